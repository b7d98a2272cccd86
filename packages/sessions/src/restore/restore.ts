import type {
  Fidelity,
  ReadTool,
  RestoredFile,
  SessionContent,
  Writer,
} from "@pond/canonical/adapter";
import type { SessionStore } from "../session-store.ts";
import { keptWhole, sumOf } from "./fidelity.ts";
import { type LineageOptions, loadLineage } from "./lineage.ts";
import { partsOf } from "./parts.ts";
import { checkPath } from "./safe-path.ts";

/** What became of some sessions. */
export type RestoredPart = {
  /** True where they go back to the client they came from. */
  readonly isNative: boolean;
  /** What became of each part type, over all of them. */
  readonly fidelity: Fidelity;
};

/** A file, and the sessions it was written with: one below the other, all native or none. */
export type LineageFile = RestoredFile & { readonly part: RestoredPart };

/** The files, and what became of all the sessions. */
export type Restored = RestoredPart & { readonly files: readonly LineageFile[] };

/** Which values, and how calls are understood. */
export type RestoreOptions = LineageOptions & {
  /** What a call of another client's tool means. Default: every call stays in its own words. */
  readonly readTool?: ReadTool;
  /** What another client is told a session's project is. Default: the same. */
  readonly projectFor?: (project: string) => string;
};

/**
 * The files of a session and of all below it, for a client. Their origins decide which of them are
 * restored natively, never the adapter, and never what lies above or below one
 * (`adapter-native-restore-lossless`).
 *
 * @throws {SessionNotFoundError}
 * @throws {UnsafePathError} where a session names a place outside the client's folder.
 */
export async function restore(
  sessions: SessionStore,
  id: string,
  writer: Writer,
  { readTool = () => undefined, projectFor = (project) => project, ...which }: RestoreOptions = {},
): Promise<Restored> {
  const lineage = await loadLineage(sessions, id, which);
  const inProject = ({ session, messages }: SessionContent): SessionContent => ({
    session: { ...session, project: projectFor(session.project) },
    messages,
  });
  const written = partsOf(lineage, writer.origin).map(({ isNative, root, descendants }) => {
    const foreign = { root: inProject(root), descendants: descendants.map(inProject) };
    const files = [
      ...(isNative
        ? writer.writeNative({ root, descendants })
        : writer.writeForeign(foreign, readTool)),
    ];
    const fidelity = isNative
      ? keptWhole([root, ...descendants].flatMap(({ messages }) => messages))
      : sumOf(files.flatMap((file) => file.fidelity ?? []));
    return { files, part: { isNative, fidelity } };
  });
  const files = withoutShared(
    written.flatMap(({ files, part }) => files.map((file) => ({ ...file, part }))),
  );
  for (const file of files) checkPath(file);
  return {
    files,
    isNative: written.every(({ part }) => part.isNative),
    fidelity: sumOf(written.map(({ part }) => part.fidelity)),
  };
}

/** Sessions share what they attach: of files with the same path and bytes the first is enough. */
function withoutShared(files: readonly LineageFile[]): LineageFile[] {
  const alike = Map.groupBy(files, ({ path }) => path);
  return files.filter((file) => {
    const [first = file] = alike.get(file.path) ?? [];
    return first === file || !bytesOf(first).equals(bytesOf(file));
  });
}

function bytesOf({ content }: RestoredFile): Buffer {
  return Buffer.concat([...content].map((piece) => Buffer.from(piece)));
}
