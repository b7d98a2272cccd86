import type { Message, Session } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import {
  chunkLines,
  type Lineage,
  type RestoredFile,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { logSuffix, projectFolder, sessionsPrefix, stemOf } from "./layout.ts";
import { hookRoleOf, withMigratedFields } from "./migration.ts";
import { restoreArtifact } from "./records/artifact.ts";
import { blobsIn } from "./records/blobs.ts";
import { restoreEntry } from "./records/entry.ts";
import { restoreHeader } from "./records/header.ts";
import { isAside } from "./records/side-question.ts";
import { isTypedAnswer } from "./records/typed-answers.ts";

/** Writes sessions as their files were, record by record (`adapter-native-restore-lossless`). */
export function* writeNative(lineage: Lineage): Generator<RestoredFile> {
  const folders = new Map<string, string>();
  const placed = [lineage.root, ...lineage.descendants].map(({ session, messages }) => {
    const { path, folder } = placeOf(session, folders.get(session.parent_session_id ?? ""));
    folders.set(session.id, folder);
    return { session, messages, path, folder };
  });
  const continued = new Set(
    placed.map(({ session, path }) => `${sourceOf(session)["copyOf"]} ${path}`),
  );
  // Before a fork was known to continue an agent, that log was the agent's own session.
  const sessions = withUniquePaths(
    placed.filter(({ session, path }) => !continued.has(`${session.id} ${path}`)),
  );
  const written = new Set(sessions.map(({ path }) => path));
  for (const { session, messages, path, folder } of sessions) {
    const log = messages.filter(
      (message) =>
        restoreArtifact(message) === undefined && !isTypedAnswer(message) && !isAside(message),
    );
    yield { session: session.id, path, content: chunkLines(() => lines(log)) };
    for (const file of filesOf(messages, folder)) {
      // Sessions share what is stored under its hash, and a log that a fork copied may be stored as
      // its file and as a session.
      if (written.has(file.path)) continue;
      written.add(file.path);
      yield { session: session.id, path: file.path, content: [file.bytes] };
    }
  }
}

type PlacedSession = SessionContent & Place;

/**
 * A log can belong to another session than before, for example if an agent was started anew under
 * its name. It then belongs to the later one; the earlier one goes beside it, under a name that
 * includes its session's, too.
 */
function withUniquePaths(sessions: readonly PlacedSession[]): readonly PlacedSession[] {
  const last = new Map<string, PlacedSession>();
  for (const each of sessions) {
    const other = last.get(each.path);
    const isLater = !other || other.session.created_at <= each.session.created_at;
    if (isLater) last.set(each.path, each);
  }
  return sessions.map((each) => {
    if (last.get(each.path) === each) return each;
    const name = each.session.id.replaceAll(/[^\w-]/g, "_");
    return { ...each, path: `${stemOf(each.path)}-${name}${logSuffix}` };
  });
}

type Place = {
  readonly path: string;
  /** Where its artifacts and those of its sub-agents are. */
  readonly folder: string;
};

/** Folders move: a sub-agent goes into the folder of the session that it belongs to. */
function placeOf(session: Session, above: string | undefined): Place {
  const { path, artifact } = sourceOf(session);
  if (typeof artifact === "string" && above !== undefined) {
    return { path: `${above}/${escapeBackslashes(artifact)}`, folder: above };
  }
  const own =
    typeof path === "string"
      ? escapeBackslashes(path)
      : `${sessionsPrefix}${projectFolder(session.project)}/${session.id}${logSuffix}`;
  // A restore may begin with a sub-agent: those below it are in the same folder as that one.
  const below = typeof artifact === "string" ? `/${escapeBackslashes(artifact)}` : undefined;
  const isBelow = below !== undefined && own.endsWith(below);
  return { path: own, folder: isBelow ? own.slice(0, -below.length) : stemOf(own) };
}

/** A backslash leads into another folder on some systems, so no restore writes such a name. */
function escapeBackslashes(path: string): string {
  return path.replaceAll("\\", "%5C");
}

/** The files beside a log: artifacts, and what the log refers to by its hash. */
function* filesOf(
  messages: readonly Message[],
  folder: string,
): Generator<{ readonly path: string; readonly bytes: Uint8Array }> {
  for (const message of messages) {
    const artifact = restoreArtifact(message);
    if (artifact) {
      const { kind, name, bytes } = artifact;
      yield {
        path: kind === "blob" ? `blobs/${name}` : `${folder}/${escapeBackslashes(name)}`,
        bytes,
      };
      continue;
    }
    for (const { hash, bytes } of blobsIn(message)) yield { path: `blobs/${hash}`, bytes };
  }
}

function* lines(messages: readonly Message[]): Generator<string> {
  const { message: header, title, version, links } = restoreHeader(messages);
  const era = { hookRole: hookRoleOf(version) };
  let position = 0;
  let isPastHeader = false;
  for (const message of messages) {
    const entry = restoreEntry(message, era);
    if (isPastHeader) position++;
    isPastHeader ||= message === header;
    if (message === header && title) yield `${stringifyJson(title)}\n`;
    const { keptFrom } = sourceOf(message);
    yield `${stringifyJson(withMigratedFields(entry, links, position, keptFrom))}\n`;
  }
}
