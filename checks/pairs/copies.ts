import {
  contentOf,
  lineagesOf,
  readSource,
  restoredFiles,
  type SourceFiles,
  withFolder,
} from "@pond/adapter-testkit";
import { meaningsOf } from "@pond/adapters";
import type {
  Adapter,
  Lineage,
  Meanings,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";

/** What an adapter reads in a folder: the lineages in it, and what it complains about. */
export type Found = {
  readonly lineages: readonly Lineage[];
  readonly complaints: readonly string[];
};

export async function readHome({ from }: Adapter, home: string): Promise<Found> {
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
  /** What the client would refuse in it, and what its own reader says. */
  readonly complaints: readonly string[];
  /** Read back by the client's own reader, in the order of the original. */
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
