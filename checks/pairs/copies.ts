import {
  contentOf,
  lineagesOf,
  readSource,
  restoredFiles,
  type SourceFiles,
  withFolder,
} from "@pond/adapter-testkit";
import { meaningsOf } from "@pond/adapters";
import { partsOf, stringifyJson } from "@pond/canonical";
import type {
  Adapter,
  Lineage,
  Meanings,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import { missingTexts, sessionTexts } from "./session-texts.ts";

/** What an adapter reads in a folder: its lineages, and the faults that it reports. */
export type HomeContent = {
  readonly lineages: readonly Lineage[];
  readonly complaints: readonly string[];
};

export async function readHome({ from }: Adapter, home: string): Promise<HomeContent> {
  const sources = await readSource(from(home));
  const events = [...sources.values()];
  const complaints = events.flat().flatMap((event) => {
    if (event.kind === "fault") return [event.fault.message];
    return event.kind === "pending" ? [`pending ${event.location}`] : [];
  });
  const contents = events
    .filter((each) => each.some(({ kind }) => kind === "session"))
    .map((each) => contentOf(each));
  return { lineages: lineagesOf(contents), complaints };
}

/** A lineage in another client's form. */
export type Copy = {
  readonly files: SourceFiles;
  readonly restored: readonly RestoredFile[];
  /** What the client would refuse in it, and what its own reader reports. */
  readonly complaints: readonly string[];
  /** The contents as the client's own reader reads them, in the order of the original. */
  readonly contents: readonly (SessionContent | undefined)[];
};

/** Writes a lineage for a client and reads it back. */
export async function copyTo(
  target: Adapter,
  lineage: Lineage,
  meanings: Meanings = meaningsOf(),
): Promise<Copy> {
  const originals = [lineage.root, ...lineage.descendants];
  const isNative = originals.every(({ session }) => session.source_agent === target.origin);
  const { to } = target;
  const restored = [...(isNative ? to.writeNative(lineage) : to.writeForeign(lineage, meanings))];
  const files = restoredFiles(restored);
  const { lineages, complaints } = await withFolder(files, (home) => readHome(target, home));
  const copies = lineages.flatMap(({ root, descendants }) => [root, ...descendants]);
  return {
    files,
    restored,
    complaints: [...(isNative ? [] : (target.problems?.(files) ?? [])), ...complaints],
    contents: await Promise.all(
      originals.map(({ session }) => copyOf(target, session.id, restored, copies)),
    ),
  };
}

/** The copy of one session: what the client reads in the files that were written for it. */
async function copyOf(
  target: Adapter,
  id: string,
  restored: readonly RestoredFile[],
  copies: readonly SessionContent[],
): Promise<SessionContent | undefined> {
  const own = restoredFiles(restored.filter(({ session }) => session === id));
  const { lineages } = await withFolder(own, (home) => readHome(target, home));
  const alone = lineages.flatMap(({ root, descendants }) => [root, ...descendants]);
  return copies.find(({ session }) => alone.some((each) => each.session.id === session.id));
}

/** Everything that is wrong with the copy of a lineage. */
export function problemsIn(lineage: Lineage, copy: Copy): readonly string[] {
  return [...copy.complaints, ...missingFromCopy(lineage, copy), ...miscountedParts(lineage, copy)];
}

/** What the copy of a lineage lacks. */
export function missingFromCopy(
  { root, descendants }: Lineage,
  { contents }: Copy,
): readonly string[] {
  return [root, ...descendants].flatMap((original, index) => {
    const copy = contents[index];
    if (copy === undefined) return [`${original.session.id} is not there`];
    return missingTexts(sessionTexts(copy), sessionTexts(original)).map(
      (each) => `${original.session.id}: ${each}`,
    );
  });
}

/** Part types whose counts in the fidelity report differ from those of the session. */
function miscountedParts({ root, descendants }: Lineage, { restored }: Copy): readonly string[] {
  return [root, ...descendants].flatMap(({ session, messages }) => {
    const expected = countsOf(messages.flatMap(partsOf).map(({ type }) => type));
    const reported = restored.flatMap((file) => {
      return file.session === session.id && file.fidelity ? Object.entries(file.fidelity) : [];
    });
    const actual = countsOf(
      reported.flatMap(([type, { kept, translated, dropped }]) =>
        type === "system" ? [] : Array.from({ length: kept + translated + dropped }, () => type),
      ),
    );
    return stringifyJson(expected) === stringifyJson(actual)
      ? []
      : [`${session.id}: counts ${stringifyJson(actual)} of ${stringifyJson(expected)}`];
  });
}

function countsOf(types: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of [...types].sort()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
