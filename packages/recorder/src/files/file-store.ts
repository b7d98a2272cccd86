import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { jsonEqual, type Message, messageToWire } from "@pond/canonical";
import { makeFolder, type SessionContent } from "@pond/canonical/adapter";
import { ConflictError } from "../errors.ts";
import { headOf } from "../log-entry.ts";
import type { SessionSink } from "../saver.ts";
import { snapshot } from "../snapshot.ts";
import { countStored, type StoredPrefix, storedPrefix } from "../stored-prefix.ts";
import { DamagedFileError, LockedError, NoFolderError } from "./errors.ts";
import { fileNameOf, idOf, isHashed } from "./file-name.ts";
import { codeOf, tryLock } from "./lock.ts";
import { draftOf, readSession, syncFolder, writeSession } from "./session-file.ts";

/**
 * Keeps sessions. Another backend is another implementation of it. The file store throws
 * {@link NoFolderError} if it cannot have its folder.
 */
export type SessionStore = SessionSink & {
  /**
   * Writes a whole session durably.
   *
   * @throws {LockedError} while somebody else writes it.
   * @throws {ConflictError} if somebody else added messages that `content` does not hold.
   */
  save(content: SessionContent): Promise<void>;
  /** @returns undefined if there is none. @throws {DamagedFileError} */
  load(sessionId: string): Promise<SessionContent | undefined>;
  /** The ids of all sessions, the most recently written first. @throws {DamagedFileError} */
  listIds(): Promise<readonly string[]>;
  /**
   * The sessions of an agent, the most recently written first.
   *
   * @throws {DamagedFileError} if a file does not say whose session it is; `listIds` and `load`
   * still give the others.
   */
  listForAgent(agentId: string): Promise<readonly SessionContent[]>;
  /** @returns False if there is none. @throws {LockedError} while somebody writes it. */
  delete(sessionId: string): Promise<boolean>;
};

/**
 * A store with one JSON file for each session in a folder, which is made when it is first needed.
 * Any number of processes may use it at once, even if some of them crash.
 *
 * @throws {TypeError} for an empty path, which would mean the current folder of the process.
 */
export function createFileStore(path: string): SessionStore {
  if (path === "") throw new TypeError("createFileStore: expected the path of a folder");
  // The process may change its working directory.
  const folder = resolve(path);
  /** What this store wrote last. If the file is unchanged, it need not be read again. */
  const lastWrites = new Map<string, LastWrite>();
  const fileOf = (sessionId: string) => join(folder, fileNameOf(sessionId));

  const load = async (sessionId: string): Promise<SessionContent | undefined> => {
    if (!isId(sessionId)) return undefined;
    const file = fileOf(sessionId);
    const content = await readSession(file);
    if (content && content.session.id !== sessionId) {
      throw new DamagedFileError(file, `it holds session ${content.session.id}`);
    }
    return content;
  };

  const save = async (content: SessionContent): Promise<void> => {
    const { id } = content.session;
    const file = fileOf(id);
    await makeFolder(folder).catch((cause: unknown) => {
      // For a place that takes no folder.
      throw codeOf(cause) === "ENOENT" ? new NoFolderError(folder, { cause }) : cause;
    });
    await locked(file, id, async () => {
      const fingerprint = await fingerprintOf(file);
      const last = lastWrites.get(id);
      const isOurs = last?.fingerprint === fingerprint && countStored(content, last?.prefix) > 0;
      if (fingerprint !== undefined && !isOurs) {
        const stored = await load(id);
        if (stored) refuseLoss(content, stored);
      }
      await writeSession(file, content);
      const prefix = storedPrefix(content, content.messages.length);
      lastWrites.set(id, { fingerprint: await fingerprintOf(file), prefix });
    });
  };
  const listIds = async (): Promise<readonly string[]> => {
    const found = await newestFirst(folder);
    const ids = found.map(async (name) => idOf(name) ?? (await idInside(join(folder, name))));
    return (await Promise.all(ids)).filter((id) => id !== undefined);
  };
  const listForAgent = async (agentId: string): Promise<readonly SessionContent[]> => {
    const contents: SessionContent[] = [];
    for (const name of await newestFirst(folder)) {
      const content = await readSession(join(folder, name));
      if (content && agentOf(content) === agentId) contents.push(content);
    }
    return contents;
  };
  const remove = async (sessionId: string): Promise<boolean> => {
    const file = fileOf(sessionId);
    if (!isId(sessionId) || (await fingerprintOf(file)) === undefined) return false;
    return locked(file, sessionId, async () => {
      const existed = (await fingerprintOf(file)) !== undefined;
      await rm(file, { force: true });
      // A crash may have left a draft.
      await rm(draftOf(file), { force: true });
      await syncFolder(folder);
      lastWrites.delete(sessionId);
      return existed;
    });
  };

  return {
    load: (sessionId) => inFolder(folder, load(sessionId)),
    save: (content) => inFolder(folder, save(content)),
    listIds: () => inFolder(folder, listIds()),
    listForAgent: (agentId) => inFolder(folder, listForAgent(agentId)),
    delete: (sessionId) => inFolder(folder, remove(sessionId)),
  };
}

/** @throws {NoFolderError} if the work found no folder. */
async function inFolder<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    // The second code comes when a folder was to be made.
    const isNone = codeOf(cause) === "ENOTDIR" || codeOf(cause) === "EEXIST";
    throw isNone ? new NoFolderError(folder, { cause }) : cause;
  }
}

/** The state of a file as a store wrote it, and what it wrote. */
type LastWrite = { readonly fingerprint: string | undefined; readonly prefix: StoredPrefix };

/** False for text that cannot be stored unchanged: the canonical model has no such id. */
function isId(sessionId: string): boolean {
  return sessionId !== "" && sessionId.isWellFormed();
}

/** The agent whose session it is: that of its first loop, or else its client. */
function agentOf({ session, messages: [head] }: SessionContent): unknown {
  return headOf(head)?.["agent_id"] ?? session.source_agent;
}

async function locked<T>(file: string, sessionId: string, run: () => Promise<T>): Promise<T> {
  const lock = await tryLock(`${file}.lock`);
  if ("holder" in lock) throw new LockedError(sessionId, lock.holder);
  try {
    return await run();
  } finally {
    await lock.release();
  }
}

/** A session only grows. One that would shrink was read before somebody else wrote. */
function refuseLoss({ session, messages }: SessionContent, stored: SessionContent): void {
  const known = new Map(messages.map((message) => [message.id, message]));
  for (const message of stored.messages) {
    const same = known.get(message.id);
    if (same === undefined || !isEqual(same, message)) {
      throw new ConflictError(session.id, message.id);
    }
  }
}

function isEqual(left: Message, right: Message): boolean {
  return jsonEqual(snapshot(messageToWire(left)), snapshot(messageToWire(right)));
}

/**
 * A fingerprint that changes whenever the file is written; undefined if there is none.
 *
 * @throws {DamagedFileError} if a folder is there.
 */
async function fingerprintOf(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file, { bigint: true });
    if (found.isDirectory()) throw new DamagedFileError(file, "it is a folder");
    return `${found.ino} ${found.mtimeNs} ${found.size}`;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function newestFirst(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const sessions = names.filter((name) => idOf(name) !== undefined || isHashed(name));
  const times = await Promise.all(
    sessions.map(async (name) => ({ name, time: await timeOf(join(folder, name)) })),
  );
  return times
    .filter(({ time }) => time !== undefined)
    .sort((left, right) => Number((right.time ?? 0n) - (left.time ?? 0n)))
    .map(({ name }) => name);
}

/** Undefined if it was deleted in the meantime. */
async function timeOf(file: string): Promise<bigint | undefined> {
  return stat(file, { bigint: true }).then(
    ({ mtimeNs }) => mtimeNs,
    () => undefined,
  );
}

async function idInside(file: string): Promise<string | undefined> {
  return (await readSession(file))?.session.id;
}
