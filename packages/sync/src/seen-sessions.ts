import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Fault } from "./fault.ts";

/** What this machine saw of one session when it last read it. */
export type SeenSession = {
  readonly fingerprint: string;
  /** Its id in the store; absent where no session had begun in it. */
  readonly sessionId?: string;
  /** Nothing of it could be stored. */
  readonly hasFailed?: boolean;
  /** When it was read, in milliseconds, where records were left for later. */
  readonly pendingSinceMs?: number;
  readonly faults?: readonly Fault[];
  /** How many more faults it had than are kept. */
  readonly omittedFaults?: number;
};

type Entry = readonly [key: string, fingerprint: string, rest?: Omit<SeenSession, "fingerprint">];

const version = 1;

/** No fingerprint of a reader equals it. */
export const readAgain = "";

/**
 * Which sessions of one source this machine has read, in one small file. Only an aid: when it is
 * lost or cannot be read, everything is read again and compared with what is stored.
 */
export class SeenSessions {
  readonly #file: string;
  readonly #software: string;
  readonly #sessions: Map<string, SeenSession>;
  readonly #gone: string[] = [];
  #isDirty = false;

  private constructor(file: string, software: string, saved: Saved | undefined) {
    this.#file = file;
    this.#software = software;
    const isSameSoftware = saved?.software === software;
    this.#sessions = new Map(
      saved?.sessions.map(([key, fingerprint, rest]) => [
        key,
        { ...rest, fingerprint: isSameSoftware || !rest?.faults ? fingerprint : readAgain },
      ]),
    );
  }

  /**
   * @param storedMessages - How many messages the store holds now. A store that holds fewer than
   * when the file was written was set back (a restored backup), and the file says nothing about it.
   * @param software - What reads, with its version: another one may be able to read what was a
   * fault to this one, so it reads those sessions again.
   */
  static async load(
    file: string,
    storedMessages: number,
    software: string = "",
  ): Promise<SeenSessions> {
    const saved = parseSaved(await readFile(file, "utf8").catch(() => ""));
    const isTrusted = saved !== undefined && saved.storedMessages <= storedMessages;
    return new SeenSessions(file, software, isTrusted ? saved : undefined);
  }

  get(key: string): SeenSession | undefined {
    return this.#sessions.get(key);
  }

  /** Ids of the sessions read here, as often as they were read under different keys. */
  *sessionIds(): Generator<string> {
    for (const { sessionId } of this.#sessions.values()) {
      if (sessionId !== undefined) yield sessionId;
    }
  }

  /** Ids of the sessions whose source was gone when it was listed: deleted, or under another key now. */
  get gone(): readonly string[] {
    return this.#gone;
  }

  set(key: string, session: SeenSession): void {
    this.#sessions.set(key, session);
    this.#isDirty = true;
  }

  /** Forgets every session that is not in `keys`: its source has deleted it; the store has not. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, { sessionId }] of this.#sessions) {
      if (keys.has(key)) continue;
      if (sessionId !== undefined) this.#gone.push(sessionId);
      this.#sessions.delete(key);
      this.#isDirty = true;
    }
  }

  /**
   * Writes the file whole or not at all; does nothing when nothing changed.
   *
   * @param storedMessages - As for {@link SeenSessions.load}: a store that is set back to fewer
   * may lack what is remembered here.
   */
  async save(storedMessages: number): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const sessions = Array.from(this.#sessions, toEntry);
    const saved = { version, software: this.#software, storedMessages, sessions };
    const temporary = `${this.#file}.${process.pid}.tmp`;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporary, JSON.stringify(saved), { mode: 0o600 });
      await rename(temporary, this.#file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** The file for one source of one store. */
export function seenFile(directory: string, source: { adapter: string; path: string }): string {
  const hash = createHash("sha256").update(source.path).digest("hex").slice(0, 16);
  return join(directory, `${source.adapter}-${hash}.json`);
}

function toEntry([key, { fingerprint, ...rest }]: [string, SeenSession]): Entry {
  return Object.keys(rest).length === 0 ? [key, fingerprint] : [key, fingerprint, rest];
}

type Saved = {
  readonly software?: unknown;
  readonly storedMessages: number;
  readonly sessions: readonly Entry[];
};

function parseSaved(text: string): Saved | undefined {
  try {
    const saved: unknown = JSON.parse(text);
    return isSaved(saved) ? saved : undefined;
  } catch {
    return undefined;
  }
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== "object" || value === null) return false;
  if (!("version" in value) || value.version !== version) return false;
  if (!("storedMessages" in value) || typeof value.storedMessages !== "number") return false;
  return "sessions" in value && Array.isArray(value.sessions) && value.sessions.every(isEntry);
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [key, fingerprint, rest] = value;
  const isRest = rest === undefined || (typeof rest === "object" && rest !== null);
  return typeof key === "string" && typeof fingerprint === "string" && isRest;
}
