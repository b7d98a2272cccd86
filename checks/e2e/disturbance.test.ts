import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, finished, type Home } from "./pond.ts";
import { type Rows, rowDifferences, storedRows } from "./rows.ts";
import { claudeCodeHomes } from "./sources.ts";

const homes = claudeCodeHomes();
const samples = homes[0]?.home ?? "";
// The richest of our sources.
const source = homes.at(-1)?.home ?? "";
const sync = ["sync", "claude-code", "--path", source, "--json"] as const;

const kills = Number(process.env["POND_KILLS"] ?? 3);

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** The result of an undisturbed sync, and how long it takes. */
type Peace = { readonly rows: Rows; readonly wholeMs: number };

async function syncInPeace(): Promise<Peace> {
  const undisturbed = createHome();
  const startedMs = performance.now();
  await undisturbed.pond(...sync);
  const wholeMs = performance.now() - startedMs;
  const { rows } = await storedRows(undisturbed.storage);
  undisturbed.remove();
  return { rows, wholeMs };
}

let peace: Promise<Peace> | undefined;
/** For the richest source, once for all tests. */
function inPeace(): Promise<Peace> {
  peace ??= syncInPeace();
  return peace;
}

test.each(["sessions", "windows"])(
  "a sync repairs a store whose table %s was only begun when the power failed",
  async (table) => {
    const nothing = join(home.folder, "nothing");
    mkdirSync(join(nothing, "projects"), { recursive: true });
    await home.sync(nothing);
    rmSync(join(home.storage, `${table}.lance`, "_versions"), { recursive: true });

    await home.sync(samples);

    const { rows } = await storedRows(home.storage);
    home.reset();
    await home.sync(samples);
    expect(rowDifferences((await storedRows(home.storage)).rows, rows)).toEqual([]);
  },
);

test("four processes that sync the same sources at once store the same rows as one process", async () => {
  const { rows } = await inPeace();

  const runs = await Promise.all([1, 2, 3, 4].map(() => home.pond(...sync)));

  expect(runs.filter(({ code }) => code !== 0 && code !== 3)).toEqual([]);
  const stored = await storedRows(home.storage);
  expect(stored.duplicates).toEqual([]);
  expect(rowDifferences(rows, stored.rows)).toEqual([]);
});

test(
  `a sync killed at ${kills} moments, then run undisturbed, stores the same rows as one that was never killed`,
  async () => {
    const { rows, wholeMs } = await inPeace();

    for (let kill = 1, moment = 1; kill <= kills; moment++) {
      const child = home.start(...sync);
      const end = finished(child);
      await sleep(wholeMs * shareOf(moment));
      const isHit = child.kill("SIGKILL");
      await end;
      // It ended before that: try another moment.
      if (!isHit) continue;
      kill++;
      // Some stores are disturbed again during their repair.
      if (kill % 3 === 0 && kill <= kills) continue;
      await home.pond(...sync);
      const stored = await storedRows(home.storage);
      expect(stored.duplicates).toEqual([]);
      expect(rowDifferences(rows, stored.rows)).toEqual([]);
      home.reset();
    }
  },
  200_000 + kills * 60_000,
);

/** When to disturb a run: multiples of the golden ratio are spread evenly over it. */
function shareOf(moment: number): number {
  return (moment * 0.618_034) % 1;
}
