import { afterAll, expect, test } from "vitest";
import { inflictOnce } from "./campaign.ts";
import { faults } from "./faults/index.ts";
import { Workshop } from "./workshop.ts";

// One run of one fault of each kind. `pnpm chaos` does all faults, hundreds of times.
const slice = [
  "kill/sync of what grew",
  "kill/restore",
  "power cut/sync of what grew",
  "full disk/sync",
  "damage/data file",
  "damage/manifest",
  "damage/mended",
  "sources/changing",
  "copied store/while written",
  "clock/jumps",
  "versions/newer and older",
];
const seed = Number(process.env["POND_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

const workshop = new Workshop();
afterAll(() => workshop.remove());

test.each(slice)(`%s (POND_SEED=${seed})`, async (name) => {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) throw new TypeError(`no fault is named ${name}`);
  const unmet = fault.unmet?.();
  if (unmet !== undefined) {
    console.info(`${name} is not run: ${unmet}`);
    return;
  }
  const inflict = await fault.open(workshop);

  expect(await inflictOnce(inflict, { seed, name })).toEqual([]);
});
