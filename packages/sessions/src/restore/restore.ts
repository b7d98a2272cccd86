import type { Session, SessionId } from "@pond/canonical";
import type {
  Fidelity,
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
  Writer,
} from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { SessionTooLargeError } from "../errors.ts";
import { OverBudgetError, ReadBudget } from "../read/read-budget.ts";
import type { SessionStore } from "../session-store.ts";
import { Bases } from "./bases.ts";
import { clientIdOf, toClientLineage } from "./client-ids.ts";
import { allDropped, allKept, sumOf } from "./fidelity.ts";
import { type LineageOptions, loadLineageWithin } from "./lineage.ts";
import { type LineagePart, lineageParts } from "./lineage-parts.ts";
import type { LineagePrefetch } from "./lineage-prefetch.ts";
import { parentsAtClient } from "./parents-at-client.ts";
import { checkPath } from "./safe-path.ts";
import { withoutUndoneAgents } from "./undone-agents.ts";

/** The outcome for some sessions. */
export type RestoredPart = {
  /** True if they go back to the client that they came from. */
  readonly isNative: boolean;
  /** What became of each part type, over all of them. */
  readonly fidelity: Fidelity;
};

/** A file, and the sessions that it was written with: one below the other, all native or none. */
export type LineageFile = RestoredFile & { readonly part: RestoredPart };

/** The files, and the outcome for all sessions. */
export type Restored = RestoredPart & {
  readonly files: readonly LineageFile[];
  /**
   * What each session continues that begins in the middle of others, if it is restored natively:
   * its client refuses it without those sessions' files, which are included.
   */
  readonly inheritedFrom: ReadonlyMap<SessionId, readonly SessionId[]>;
  /** Sessions that lack what they continue: it is not stored, or not stored up to that point. */
  readonly incomplete: readonly SessionId[];
  /** Sessions with a message that is not as it was written: parts of it are gone, or it changed. */
  readonly damaged: readonly SessionId[];
};

/** Which values, and how calls are interpreted. */
export type RestoreOptions = Omit<LineageOptions, "onDamaged"> & {
  /**
   * How to interpret other clients' calls and records (`meaningsOf` of `@pond/adapters`). Default:
   * every call stays in its own words, and what was taken back is told like everything else.
   */
  readonly meanings?: Meanings;
  /** The project that another client is told for a session. Default: the same. */
  readonly projectFor?: (project: string) => string;
  /**
   * Reads the lineages of many sessions that are restored one after the other, in the state of
   * `at`.
   */
  readonly prefetch?: LineagePrefetch;
  /**
   * Whether the client has a file. A translated session names a parent that is there, and the files
   * that a client has show which ones it accepts. Default: none.
   */
  readonly hasFile?: (path: string) => boolean;
  /**
   * About how many bytes of messages may be read; they are held together, with what is made of
   * them. Not for a session that `prefetch` has read. Default: any.
   */
  readonly maxBytes?: number;
};

/**
 * The files of a session and all sessions below it, for a client. Their origins decide which of
 * them are restored natively, never the adapter, and never what is above or below a session
 * (`adapter-native-restore-lossless`). A session that begins in the middle of another comes with
 * that one's files, or is translated together with what is said there before. Sub-agents of turns
 * that were taken back are not translated, and are counted with the session above them.
 *
 * @throws {SessionNotFoundError}
 * @throws {SessionTooLargeError} before more than `maxBytes` are held.
 * @throws {UnsafePathError} if a session names a place outside the client's folder.
 */
export async function restore(
  sessions: SessionStore,
  id: string,
  writer: Writer,
  { maxBytes = Number.POSITIVE_INFINITY, ...options }: RestoreOptions = {},
): Promise<Restored> {
  try {
    return await restoreWithin(new ReadBudget(maxBytes), sessions, id, writer, options);
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    throw new SessionTooLargeError(id, maxBytes, { cause: error });
  }
}

async function restoreWithin(
  budget: ReadBudget,
  sessions: SessionStore,
  id: string,
  writer: Writer,
  {
    meanings = {},
    projectFor = (project) => project,
    hasFile,
    prefetch,
    ...which
  }: Omit<RestoreOptions, "maxBytes">,
): Promise<Restored> {
  const damaged = new Set<SessionId>();
  const onDamaged = (sessionId: SessionId): void => void damaged.add(sessionId);
  const lineage = prefetch
    ? await prefetch.take(id, onDamaged)
    : await loadLineageWithin(budget, sessions, id, { ...which, onDamaged });
  const { at = "last" } = which;
  const { session } = lineage.root;
  const parentsOfRoot = hasFile
    ? await parentsAtClient(sessions.store, session, writer, { at, hasFile })
    : [];
  const bases = new Bases(sessions, lineage, { at, meanings, onDamaged, budget });
  const toTranslate = async (content: SessionContent): Promise<SessionContent> => {
    const { session, messages } = await bases.withInherited(content);
    // Half a character is not JSON to most of them.
    const project = projectFor(session.project).toWellFormed();
    return { session: { ...session, project }, messages };
  };
  const paths = new Map<string, string>();
  const written: { readonly files: RestoredFile[]; readonly part: RestoredPart }[] = [];
  // What a translated part depends on is written before it.
  for (const part of lineageParts(lineage, writer.origin)) {
    const above =
      part.root === lineage.root
        ? parentsOfRoot
        : await parentFiles(sessions.store, part.parents, paths);
    const { files, fidelity } = part.isNative
      ? await nativeFiles(sessions.store, part, writer, bases, hasFile)
      : foreignFiles(await eachChanged(part, toTranslate), writer, meanings, above);
    for (const { session, path } of files) if (!paths.has(session)) paths.set(session, path);
    written.push({ files, part: { isNative: part.isNative, fidelity } });
  }
  const files = withoutDuplicates(
    written.flatMap(({ files, part }) => files.map((file) => ({ ...file, part }))),
  );
  for (const file of files) checkPath(file);
  return {
    files,
    isNative: written.every(({ part }) => part.isNative),
    fidelity: sumOf(written.map(({ part }) => part.fidelity)),
    inheritedFrom: bases.bySession,
    incomplete: [...bases.incomplete],
    damaged: [...damaged],
  };
}

type Written = { readonly files: RestoredFile[]; readonly fidelity: Fidelity };

/** The part's own files come first. */
async function nativeFiles(
  store: Store,
  part: LineagePart,
  writer: Writer,
  bases: Bases,
  hasFile: RestoreOptions["hasFile"],
): Promise<Written> {
  const { lineage, wanted } = await bases.withBases(part);
  const own = new Set([part.root, ...part.descendants].map(({ session }) => session.id));
  const named = await toClientLineage(store, lineage);
  const isOwn = ({ session }: RestoredFile): boolean => own.has(session);
  const files = [...writer.writeNative(named.lineage, hasFile)]
    .map((file) => ({ ...file, session: named.storedIds.get(file.session) ?? file.session }))
    .filter(({ session }) => wanted.has(session));
  const contents = [lineage.root, ...lineage.descendants];
  const restored = contents.filter(({ session }) => wanted.has(session.id));
  return {
    files: [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))],
    fidelity: allKept(restored.flatMap(({ messages }) => messages)),
  };
}

function foreignFiles(
  lineage: Lineage,
  writer: Writer,
  meanings: Meanings,
  above: readonly NativeParent[],
): Written {
  const { lineage: remaining, leftOut } = withoutUndoneAgents(lineage, meanings);
  const lost = new Map(leftOut);
  const files = [...writer.writeForeign(remaining, meanings, above)].map((file): RestoredFile => {
    const { session, fidelity } = file;
    if (fidelity === undefined) return file;
    const dropped = allDropped(lost.get(session) ?? []);
    // Its other files count what is theirs.
    lost.delete(session);
    return { ...file, fidelity: sumOf([fidelity, dropped]) };
  });
  return { files, fidelity: sumOf(files.flatMap((file) => file.fidelity ?? [])) };
}

/** The lineage of a part, with each session changed by itself. */
async function eachChanged(
  { root, descendants }: LineagePart,
  change: (content: SessionContent) => Promise<SessionContent>,
): Promise<Lineage> {
  return { root: await change(root), descendants: await Promise.all(descendants.map(change)) };
}

/** The sessions of which there is a file, with the path of the first. */
async function parentFiles(
  store: Store,
  sessions: readonly Session[],
  paths: ReadonlyMap<string, string>,
): Promise<readonly NativeParent[]> {
  const found: NativeParent[] = [];
  for (const session of sessions) {
    const path = paths.get(session.id);
    if (path === undefined) continue;
    found.push({ session: { ...session, id: await clientIdOf(store, session) }, path });
  }
  return found;
}

/** Sessions share what they attach: of files with the same path and bytes, the first is enough. */
function withoutDuplicates(files: readonly LineageFile[]): LineageFile[] {
  const alike = Map.groupBy(files, ({ path }) => path);
  return files.filter((file) => {
    const [first = file] = alike.get(file.path) ?? [];
    return first === file || !bytesOf(first).equals(bytesOf(file));
  });
}

function bytesOf({ content }: RestoredFile): Buffer {
  return Buffer.concat([...content].map((piece) => Buffer.from(piece)));
}
