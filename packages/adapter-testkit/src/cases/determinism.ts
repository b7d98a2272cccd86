import { deepEqual } from "node:assert/strict";
import { expectSameEvents } from "../event-difference.ts";
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
          const reader = kit.reader(folder);
          const first = await readSource(reader);
          // By the same reader, and by one that has read nothing yet.
          for (const again of [reader, kit.reader(folder)]) {
            const second = await readSource(again);
            deepEqual([...second.keys()], [...first.keys()], "keys of the sessions");
            for (const [key, events] of first) {
              const repeated = second.get(key) ?? [];
              expectSameEvents(events.map(eventText), repeated.map(eventText), key);
            }
          }
        });
      },
    },
    {
      rule: "lance-deterministic-pk",
      name: `${fixture.name} gives equal rows from another folder`,
      run: async () => {
        const files = await fixture.load();

        const [here, there] = [await readFiles(kit, files), await readFiles(kit, files)];

        expectSameEvents(here.canonical, there.canonical, "from another folder");
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
