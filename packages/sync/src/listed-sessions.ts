import { PackedList } from "@pond/canonical/adapter";
import type { SeenSessions } from "./seen-sessions.ts";

/** A session to read. It holds no more than is needed, since a home may have a hundred thousand. */
export type ChangedSession = {
  readonly key: string;
  readonly bytes: number;
  /** False for a session that is read only to verify it. */
  readonly isDue: boolean;
};

/** A session of a listing. */
export type Listed = {
  /** Its number among the sessions seen before; undefined if it was never seen. */
  readonly number: number | undefined;
  readonly bytes: number;
  readonly isDue: boolean;
  /** True if, unless it is read, nothing has to be reported about it except that it exists. */
  readonly isQuiet: boolean;
};

/** The sessions of one source in the order in which it lists them, kept in columns. */
export class ListedSessions {
  readonly #seen: SeenSessions;
  /** The keys of sessions never seen before. The keys of the others are known. */
  readonly #newKeys = new PackedList<string>();
  /**
   * Their numbers among the sessions seen before. A number below zero is one among the new keys: -1
   * is the first.
   */
  #numbers: number[] = [];
  #bytes: number[] = [];
  #flags: number[] = [];

  constructor(seen: SeenSessions) {
    this.#seen = seen;
  }

  get length(): number {
    return this.#numbers.length;
  }

  /** The bytes of all sessions together. */
  get bytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  add(key: string, { number, bytes, isDue, isQuiet }: Listed): void {
    this.#numbers.push(number ?? -1 - this.#newKeys.push(key));
    this.#bytes.push(bytes);
    this.#flags.push(flagsOf(isDue, isQuiet));
  }

  /**
   * Drops sessions that are not read.
   *
   * @param asRead - How a session is read; undefined if it is dropped.
   */
  keep(asRead: (session: Listed) => Pick<ChangedSession, "isDue"> | undefined): void {
    const [numbers, all, flags]: [number[], number[], number[]] = [[], [], []];
    for (const [index, number] of this.#numbers.entries()) {
      const [bytes, flag] = [this.#bytes[index] ?? 0, this.#flags[index] ?? 0];
      const isDue = (flag & due) !== 0;
      const isQuiet = (flag & quiet) !== 0;
      const known = number < 0 ? undefined : number;
      const read = asRead({ number: known, bytes, isDue, isQuiet });
      if (read === undefined) continue;
      numbers.push(number);
      all.push(bytes);
      flags.push(flagsOf(read.isDue, isQuiet));
    }
    [this.#numbers, this.#bytes, this.#flags] = [numbers, all, flags];
  }

  *[Symbol.iterator](): Generator<ChangedSession> {
    for (const index of this.#numbers.keys()) yield this.#at(index);
  }

  /** Iterates once. The keys of new sessions are released on the way: they are seen sessions by then. */
  *taken(): Generator<ChangedSession> {
    for (const [index, number] of this.#numbers.entries()) {
      if (number < 0) this.#newKeys.releaseBefore(-1 - number);
      yield this.#at(index);
    }
  }

  #at(index: number): ChangedSession {
    const number = this.#numbers[index] ?? 0;
    const key = number < 0 ? this.#newKeys.at(-1 - number) : this.#seen.keyOf(number);
    const isDue = ((this.#flags[index] ?? 0) & due) !== 0;
    return { key, bytes: this.#bytes[index] ?? 0, isDue };
  }
}

const due = 1;
const quiet = 2;

function flagsOf(isDue: boolean, isQuiet: boolean): number {
  return (isDue ? due : 0) | (isQuiet ? quiet : 0);
}
