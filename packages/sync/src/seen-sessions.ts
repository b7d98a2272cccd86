import { NumbersByKey, PackedEntries } from "@pond/canonical/adapter";
import type { Source } from "./discover.ts";
import {
  type AddedRow,
  type Entry,
  matchesStore,
  readSeenFile,
  type SeenFile,
  type SeenSession,
  type StoredRows,
  seenFile,
  type WatchedTable,
  writeSeenFile,
} from "./seen-file.ts";

/** No fingerprint of a reader equals it. */
export const noFingerprint = "";

export type LoadOptions = {
  readonly stored: StoredRows;
  /**
   * The reading software with its version. Another one may be able to read what was a fault to this
   * one, so it reads those sessions again.
   */
  readonly software?: string | undefined;
};

export type SeenSource = Pick<Source, "adapter" | "path" | "others">;

/**
 * Which sessions of one source this machine has read, in one small file. It is only an aid: if it
 * is lost or cannot be read, everything is read again and compared with what is stored.
 */
export class SeenSessions {
  readonly file: string;
  /** False for a source that was read only when somebody asked for it by its path. */
  readonly isUsual: boolean;
  readonly path: string;
  readonly #software: string;
  readonly #sessions: PackedEntries<Entry>;
  /** Which sessions were found since a listing began, by their numbers. */
  #found: Uint8Array | undefined;
  /** The numbers of the sessions that the last listing lacked. */
  #notListed: readonly number[] = [];
  /** The numbers of sessions by their ids in the store; made when it is first asked. */
  #byId: NumbersByKey | undefined;
  #reported: ReadonlySet<string>;
  /** The last row of each table. */
  readonly #lastRows: Map<WatchedTable, AddedRow>;
  /** Rows added since the file was written; another process may have been faster. */
  readonly #added: Map<WatchedTable, AddedRow> = new Map();
  #isDirty: boolean;

  private constructor(
    file: string,
    { path, others }: SeenSource,
    seen: SeenFile | undefined,
    software: string,
  ) {
    this.file = file;
    this.isUsual = others === undefined || seen?.isUsual === true;
    this.path = path;
    this.#software = software;
    this.#lastRows = new Map(seen?.lastRows?.map((row) => [row.table, row]));
    // The file has to say what source it is about, so that other sources can be compared with it.
    this.#isDirty = seen !== undefined && seen.isUsual !== this.isUsual;
    this.#reported = new Set(seen?.told);
    this.#sessions = seen?.sessions ?? new PackedEntries();
    if (seen !== undefined && seen.software !== software) this.#rereadFaulty();
  }

  /**
   * What the directory of a store says about a source, as far as it applies to the store as it is.
   */
  static async load(
    directory: string,
    source: SeenSource,
    { stored, software = "" }: LoadOptions,
  ): Promise<SeenSessions> {
    const file = seenFile(directory, source);
    const seen = await readSeenFile(file);
    const isTrusted = seen !== undefined && (await matchesStore(seen, stored));
    return new SeenSessions(file, source, isTrusted ? seen : undefined, software);
  }

  get(key: string): SeenSession | undefined {
    const entry = this.#sessions.get(key);
    return entry && sessionOf(entry);
  }

  /** What was read of a session, by its number. */
  at(number: number): SeenSession | undefined {
    const entry = this.#sessions.at(number);
    return entry && sessionOf(entry);
  }

  keyOf(number: number): string {
    return this.#sessions.at(number)?.[0] ?? "";
  }

  /** The numbers of the keys under which a session was read, without those that are gone. */
  numbersOf(sessionId: string): number[] {
    this.#byId ??= this.#numbersById();
    return [...this.#byId.of(sessionId)].filter((number) => {
      const session = this.at(number);
      return session?.sessionId === sessionId && !session.isGone;
    });
  }

  #numbersById(): NumbersByKey {
    const byId = new NumbersByKey();
    for (let number = 0; number < this.#sessions.nextNumber; number++) {
      const id = this.at(number)?.sessionId;
      if (id !== undefined) byId.add(id, number);
    }
    return byId;
  }

  /** What was read of each session, by key, including sessions that are gone. */
  *entries(): Generator<[string, SeenSession]> {
    for (const entry of this.#sessions) yield [entry[0], sessionOf(entry)];
  }

  /** What was read of the sessions that are gone, as of the last listing. */
  *gone(): Generator<SeenSession> {
    for (const number of this.#notListed) {
      const entry = this.#sessions.at(number);
      if (entry?.[2]?.isGone) yield sessionOf(entry);
    }
  }

  /** @param added - The last row of each table to which reading it added something. */
  set(key: string, session: SeenSession, added: readonly AddedRow[] = []): void {
    this.#put(key, session);
    for (const row of added) this.#added.set(row.table, row);
  }

  forget(key: string): void {
    if (this.#sessions.delete(key)) this.#isDirty = true;
  }

  /** Notes that a session is listed, so not gone; returns its number and what was read of it. */
  found(key: string): { readonly number: number; readonly session: SeenSession } | undefined {
    const number = this.#sessions.numberOf(key);
    const before = number === undefined ? undefined : this.at(number);
    if (number === undefined || before === undefined) return undefined;
    this.#found ??= new Uint8Array(this.#sessions.nextNumber);
    this.#found[number] = 1;
    if (!before.isGone) return { number, session: before };
    const { isGone, ...session } = before;
    this.#put(key, session);
    return { number, session };
  }

  /**
   * Marks what was not found in a listing as gone. It is remembered: its folder may come back.
   *
   * @param isAll - False if the listing broke off: what it lacks may well be there.
   */
  markGone(isAll: boolean): void {
    const found = this.#found ?? new Uint8Array(this.#sessions.nextNumber);
    this.#found = undefined;
    const notListed: number[] = [];
    for (const [number, isFound] of found.entries()) if (isFound === 0) notListed.push(number);
    this.#notListed = notListed;
    if (!isAll) return;
    for (const number of notListed) {
      const entry = this.#sessions.at(number);
      if (entry && !entry[2]?.isGone) this.#put(entry[0], { ...sessionOf(entry), isGone: true });
    }
  }

  /** True for a leftover that a sync has reported. */
  hasReported(location: string): boolean {
    return this.#reported.has(location);
  }

  /**
   * Remembers the leftovers that exist and were reported, now or before.
   *
   * @param isAll - False if not everything was listed: what is missing may well be there.
   */
  setReported(locations: ReadonlySet<string>, isAll: boolean): void {
    const reported = isAll ? locations : new Set([...this.#reported, ...locations]);
    if (reported.size === this.#reported.size && [...reported].every(this.hasReported, this))
      return;
    this.#reported = reported;
    this.#isDirty = true;
  }

  /**
   * Writes the file; does nothing if nothing changed.
   *
   * @param stored - A store that is set back may lack what is remembered here.
   */
  async save(stored: StoredRows): Promise<void> {
    if (!this.#isDirty) return;
    // Anything set in the meantime is saved the next time.
    this.#isDirty = false;
    try {
      await this.#write(stored);
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
  }

  async #write(stored: StoredRows): Promise<void> {
    for (const [table, row] of this.#added) {
      if (await stored.holds(row)) this.#lastRows.set(table, row);
    }
    this.#added.clear();
    await writeSeenFile(this.file, {
      ...{ software: this.#software, path: this.path, isUsual: this.isUsual },
      ...{ storedMessages: stored.rows.messages, storedRows: stored.rows },
      ...(this.#lastRows.size > 0 && { lastRows: [...this.#lastRows.values()] }),
      ...(this.#reported.size > 0 && { told: [...this.#reported] }),
      sessions: this.#sessions.texts(),
    });
  }

  #put(key: string, { fingerprint, ...rest }: SeenSession): void {
    const isBare = Object.keys(rest).length === 0;
    const number = this.#sessions.set(isBare ? [key, fingerprint] : [key, fingerprint, rest]);
    if (rest.sessionId !== undefined) this.#byId?.add(rest.sessionId, number);
    this.#isDirty = true;
  }

  /** Another version may be able to read what was a fault to the one that noted it. */
  #rereadFaulty(): void {
    for (const [key, , rest] of this.#sessions) {
      if (rest?.faults) this.#sessions.set([key, noFingerprint, rest]);
    }
  }
}

function sessionOf([, fingerprint, rest]: Entry): SeenSession {
  return { ...rest, fingerprint };
}
