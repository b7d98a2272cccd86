import type {
  Fidelity,
  ReadTool,
  RestoredFile,
  SessionContent,
  Writer,
} from "@pond/canonical/adapter";
import type { At } from "../read/outline.ts";
import type { SessionStore } from "../session-store.ts";
import { keptWhole, sumOf } from "./fidelity.ts";
import { loadLineage } from "./lineage.ts";
import { checkPath } from "./safe-path.ts";

/** The files, and what became of the parts. */
export type Restored = {
  readonly files: readonly RestoredFile[];
  /** True where every session goes back to the client it came from. */
  readonly isNative: boolean;
  /** What became of each part type, over all sessions. */
  readonly fidelity: Fidelity;
};

/** Which values, and how calls are understood. */
export type RestoreOptions = {
  /** The sessions as last seen in their source, or as first stored. Default `last`. */
  readonly at?: At;
  /** What a call of another client's tool means. Default: every call stays in its own words. */
  readonly readTool?: ReadTool;
  /** What another client is told a session's project is. Default: the same. */
  readonly projectFor?: (project: string) => string;
};

/**
 * The files of a session and of all below it, for a client. The origins decide whether the restore
 * is native, never the adapter (`adapter-native-restore-lossless`).
 *
 * @throws {SessionNotFoundError}
 * @throws {UnsafePathError} where a session names a place outside the client's folder.
 */
export async function restore(
  sessions: SessionStore,
  id: string,
  writer: Writer,
  {
    at = "last",
    readTool = () => undefined,
    projectFor = (project) => project,
  }: RestoreOptions = {},
): Promise<Restored> {
  const lineage = await loadLineage(sessions, id, { at });
  const contents = [lineage.root, ...lineage.descendants];
  const isNative = contents.every(({ session }) => session.source_agent === writer.origin);
  const inProject = ({ session, messages }: SessionContent): SessionContent => ({
    session: { ...session, project: projectFor(session.project) },
    messages,
  });
  const foreign = {
    root: inProject(lineage.root),
    descendants: lineage.descendants.map(inProject),
  };
  const files = [
    ...(isNative ? writer.writeNative(lineage) : writer.writeForeign(foreign, readTool)),
  ];
  for (const file of files) checkPath(file);
  const fidelity = isNative
    ? keptWhole(contents.flatMap(({ messages }) => messages))
    : sumOf(files.flatMap((file) => file.fidelity ?? []));
  return { files, isNative, fidelity };
}
