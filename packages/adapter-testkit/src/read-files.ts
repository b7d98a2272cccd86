import type { ReadEvent, SourceFault } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { contentOf, lineagesOf } from "./content.ts";
import type { CompleteKit } from "./kit.ts";
import { eventText, findSessions, readAll } from "./read.ts";
import { type SourceFiles, withFolder } from "./source-files.ts";

/** What an adapter made of some files. */
export type ReadResult = {
  readonly events: readonly ReadEvent[];
  /**
   * The canonical events of each session, by its id; a second session with that id counts as
   * another.
   */
  readonly sessions: ReadonlyMap<string, readonly ReadEvent[]>;
  readonly contents: readonly SessionContent[];
  readonly lineages: readonly Lineage[];
  readonly faults: readonly SourceFault[];
  /** Canonical events as text, those of one session together. */
  readonly canonical: readonly string[];
  /** Tells which files gave no session, because a fault refused them. */
  readonly isRefused: (path: string) => boolean;
};

/** Reads files from a folder of their own. @throws {ValidationError} for events out of order. */
export async function readFiles(kit: CompleteKit, files: SourceFiles): Promise<ReadResult> {
  return withFolder(files, async (folder) => {
    const reader = kit.reader(folder);
    const { sessions, faults } = await findSessions(reader);
    const results: (readonly ReadEvent[])[] = [];
    for (const { key } of sessions) results.push(await readAll(reader, key));
    return toResult(results, faults);
  });
}

function toResult(
  results: readonly (readonly ReadEvent[])[],
  found: readonly SourceFault[],
): ReadResult {
  const [accepted, refused] = [
    results.filter(holdsSession),
    results.filter((r) => !holdsSession(r)),
  ];
  const contents = accepted.map(contentOf);
  const refusedUris = [...found, ...refused.flatMap(faultsOf)].map(({ details }) => details.uri);
  return {
    events: results.flat(),
    sessions: byId(accepted),
    contents,
    lineages: lineagesOf(contents),
    faults: [...found, ...results.flatMap(faultsOf)],
    canonical: accepted
      .map((events) => events.filter(isCanonical).map(eventText))
      .sort()
      .flat(),
    isRefused: (path) => refusedUris.some((uri) => uri === path || uri.endsWith(`/${path}`)),
  };
}

function byId(
  accepted: readonly (readonly ReadEvent[])[],
): ReadonlyMap<string, readonly ReadEvent[]> {
  const sessions = new Map<string, readonly ReadEvent[]>();
  for (const events of accepted) {
    const id = events.find((event) => event.kind === "session")?.session.id ?? "";
    let name: string = id;
    for (let number = 2; sessions.has(name); number++) name = `${id} (${number})`;
    sessions.set(name, events.filter(isCanonical));
  }
  return sessions;
}

function holdsSession(events: readonly ReadEvent[]): boolean {
  return events.some(({ kind }) => kind === "session");
}

function faultsOf(events: readonly ReadEvent[]): SourceFault[] {
  return events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
}

function isCanonical({ kind }: ReadEvent): boolean {
  return kind !== "fault" && kind !== "pending";
}
