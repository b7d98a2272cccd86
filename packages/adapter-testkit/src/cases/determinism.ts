import { deepEqual } from "node:assert/strict";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { eventText, readSource } from "../read.ts";
import { readFiles } from "../read-files.ts";
import { withFolder } from "../source-files.ts";

/** The same source gives the same rows, today and from another folder. */
export function determinismCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) => [
    {
      rule: "lance-deterministic-pk",
      name: `two reads of ${fixture.name} give equal events`,
      run: async () => {
        await withFolder(await fixture.load(), async (folder) => {
          const read = async () =>
            [...(await readSource(kit.reader(folder)))].map(([key, events]) => [
              key,
              events.map(eventText),
            ]);

          deepEqual(await read(), await read());
        });
      },
    },
    {
      rule: "lance-deterministic-pk",
      name: `${fixture.name} gives equal rows from another folder`,
      run: async () => {
        const files = await fixture.load();

        const [here, there] = [await readFiles(kit, files), await readFiles(kit, files)];

        deepEqual(here.canonical, there.canonical);
      },
    },
    {
      rule: "adapter-integrity-event-ordering",
      name: `${fixture.name} gives every session, its messages and their parts in order`,
      // Reading validates every event, and says which one is wrong.
      run: async () => void (await readFiles(kit, await fixture.load())),
    },
  ]);
}
