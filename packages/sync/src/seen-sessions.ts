import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Held } from "@pond/sessions";
import type { Fault } from "./fault.ts";

/** The time of the last message of a session, in milliseconds, and how many messages it has. */
export type Extent = readonly [newestMs: number, messages: number];

/** What this machine saw of one session when it last read it. */
export type SeenSession = {
  readonly fingerprint: string;
  /** Its id in the store; absent where no session had begun in it. */
  readonly sessionId?: string;
  /** What the store showed of it then. */
  readonly held?: Held;
  readonly extent?: Extent;
  /** It was not there when its source was listed: deleted, under another key now, or out of reach. */
  readonly isGone?: boolean;
  /** Nothing of it could be stored. */
  readonly hasFailed?: boolean;
  /** When it was read, in milliseconds, where records were left for later. */
  readonly pendingSinceMs?: number;
  readonly faults?: readonly Fault[];
  /** How many more faults it had than are kept. */
  readonly omittedFaults?: number;
};

/** A row that was added to the store, by its session and the time it was stamped with. */
export type AddedRow = { readonly sessionId: string; readonly atMicros: number };

/** What the store holds now, as far as it tells whether it was set back. */
export type Stored = {
  readonly messages: number;
  holds(row: AddedRow): Promise<boolean>;
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
  #lastAdded: AddedRow | undefined;
  /** Added since the file was written; another process may have been faster. */
  #added: AddedRow | undefined;
  #isDirty = false;

  private constructor(file: string, software: string, saved: Saved | undefined) {
    this.#file = file;
    this.#software = software;
    this.#lastAdded = saved?.lastAdded;
    const isSameSoftware = saved?.software === software;
    this.#sessions = new Map(
      saved?.sessions.map(([key, fingerprint, rest]) => [
        key,
        { ...rest, fingerprint: isSameSoftware || !rest?.faults ? fingerprint : readAgain },
      ]),
    );
  }

  /**
   * @param stored - A store that holds fewer messages than when the file was written, or lacks the
   * last row that was added from this source, was set back (a restored backup), and the file says
   * nothing about it.
   * @param software - What reads, with its version: another one may be able to read what was a
   * fault to this one, so it reads those sessions again.
   */
  static async load(file: string, stored: Stored, software: string = ""): Promise<SeenSessions> {
    const saved = parseSaved(await readFile(file, "utf8").catch(() => ""));
    const isTrusted = saved !== undefined && (await isOfStore(saved, stored));
    return new SeenSessions(file, software, isTrusted ? saved : undefined);
  }

  get(key: string): SeenSession | undefined {
    return this.#sessions.get(key);
  }

  /** What was read, by key; also what is gone. */
  entries(): MapIterator<[string, SeenSession]> {
    return this.#sessions.entries();
  }

  /** @param added - The last row that reading it added to the store, if any. */
  set(key: string, session: SeenSession, added?: AddedRow): void {
    this.#sessions.set(key, session);
    this.#added = added ?? this.#added;
    this.#isDirty = true;
  }

  forget(key: string): void {
    if (this.#sessions.delete(key)) this.#isDirty = true;
  }

  /**
   * Marks what is not in `keys` as gone. It is remembered: its folder may come back.
   *
   * @param isAll - False where the listing broke off: what it lacks may well be there.
   */
  markGone(keys: ReadonlySet<string>, isAll: boolean): void {
    for (const [key, { isGone = false, ...session }] of this.#sessions) {
      const isAway = !keys.has(key);
      if (isAway === isGone || (isAway && !isAll)) continue;
      this.#sessions.set(key, isAway ? { ...session, isGone: true } : session);
      this.#isDirty = true;
    }
  }

  /**
   * Writes the file whole or not at all; does nothing when nothing changed.
   *
   * @param stored - As for {@link SeenSessions.load}: a store that is set back may lack what is
   * remembered here.
   */
  async save(stored: Stored): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    if (this.#added && (await stored.holds(this.#added))) this.#lastAdded = this.#added;
    this.#added = undefined;
    const sessions = Array.from(this.#sessions, toEntry);
    const saved = {
      ...{ version, software: this.#software, storedMessages: stored.messages },
      ...(this.#lastAdded && { lastAdded: this.#lastAdded }),
      sessions,
    };
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
  /** Absent in files of older versions, and where nothing was added. */
  readonly lastAdded?: AddedRow;
  readonly sessions: readonly Entry[];
};

async function isOfStore({ storedMessages, lastAdded }: Saved, stored: Stored): Promise<boolean> {
  if (storedMessages > stored.messages) return false;
  return lastAdded === undefined || stored.holds(lastAdded);
}

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
  if ("lastAdded" in value && !isAddedRow(value.lastAdded)) return false;
  return "sessions" in value && Array.isArray(value.sessions) && value.sessions.every(isEntry);
}

function isAddedRow(value: unknown): value is AddedRow {
  if (typeof value !== "object" || value === null) return false;
  const isNamed = "sessionId" in value && typeof value.sessionId === "string";
  return isNamed && "atMicros" in value && Number.isSafeInteger(value.atMicros);
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value)) return false;
  const [key, fingerprint, rest] = value;
  const isRest = rest === undefined || (typeof rest === "object" && rest !== null);
  return typeof key === "string" && typeof fingerprint === "string" && isRest;
}
