import { fail } from "node:assert/strict";
import { partsOf } from "@pond/canonical";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { cuts, joinLines, wholeLines } from "../mutate.ts";
import { readFiles } from "../read-files.ts";
import { markedRecords, withMarks } from "../record-marks.ts";
import { reportSkipped } from "../report-skipped.ts";
import type { SourceFiles } from "../source-files.ts";

/** Clients prune their files. An id that moved on to a neighbour would make it a revision. */
export function pruningCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => {
    const name = `ids of ${fixture.name} stay where a record before them is gone`;
    const run = () => expectIdsToStay(kit, fixture, name);
    return { rule: "adapter-integrity-additive-sync", name, run };
  });
}

async function expectIdsToStay(kit: CompleteKit, fixture: Fixture, name: string): Promise<void> {
  const files = await fixture.load();
  const whole = withMarks(kit, files);
  const before = await idsOf(kit, whole);
  const lineFiles = [...whole].filter(([path]) => kit.isLineFile(path));
  if (lineFiles.length === 0) return reportSkipped(name, "no file of it holds a record a line");
  for (const [path, bytes] of lineFiles) {
    const lines = wholeLines(bytes);
    const unmarked = wholeLines(files.get(path) ?? bytes).map(String);
    for (const gone of cuts(lines.length - 1)) {
      // Nobody can tell which of several equal records is gone.
      if (unmarked.filter((line) => line === unmarked[gone]).length > 1) continue;
      const pruned = joinLines(lines.toSpliced(gone, 1));
      const after = await idsOf(kit, new Map(whole).set(path, pruned));
      expectSameIds(before, after, placeOf(path, gone + 1));
    }
  }
}

/** Session -> place of a record -> ids of the messages made of it, and of their parts. */
type Ids = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function expectSameIds(before: Ids, after: Ids, gone: string): void {
  for (const [session, earlier] of before) {
    const later = after.get(session);
    // Without the record that begins it, there is no session.
    if (!later) continue;
    const freedIds: ReadonlySet<string> = earlier.get(gone) ?? new Set();
    for (const [place, ids] of earlier) {
      if (place === gone) continue;
      const now: ReadonlySet<string> = later.get(place) ?? new Set();
      const lost = [...ids].find((id) => !freedIds.has(id) && !now.has(id));
      // A repetition of the record that is gone takes its place.
      const isRepetition = now.size > 0 && [...now].every((id) => freedIds.has(id));
      if (lost === undefined || isRepetition) continue;
      const found = now.size > 0 ? [...now].join(", ") : "nothing";
      fail(`without ${gone}, ${place} of session ${session} is ${found} instead of ${lost}`);
    }
  }
}

async function idsOf(kit: CompleteKit, files: SourceFiles): Promise<Ids> {
  const { contents } = await readFiles(kit, files);
  return new Map(
    contents.map(({ session, messages }) => {
      const ids = new Map<string, Set<string>>();
      for (const message of messages) {
        const names = [message.id, ...partsOf(message).map(({ id }) => `${message.id} part ${id}`)];
        for (const [path, records] of markedRecords(message)) {
          for (const record of records) {
            const place = placeOf(path, record);
            ids.set(place, new Set([...(ids.get(place) ?? []), ...names]));
          }
        }
      }
      return [session.id, ids];
    }),
  );
}

function placeOf(path: string, record: number): string {
  return `${path}, record ${record}`;
}
