import { PackedList } from "@pond/canonical/adapter";
import type { SeenSessions } from "./seen-sessions.ts";

/** A session that is to be read. A home may have a hundred thousand: no more of each than is needed. */
export type Change = {
  readonly key: string;
  readonly bytes: number;
  /** False of one that is read only to verify it. */
  readonly isDue: boolean;
};

/** A session of a listing. */
export type Listed = {
  /** Its number among those that were seen, where it was. */
  readonly number: number | undefined;
  readonly bytes: number;
  readonly isDue: boolean;
  /** True where nothing but that it is there has to be told, as long as it is not read. */
  readonly isQuiet: boolean;
};

/** Sessions of one source in the order in which it lists them, in columns. */
export class ListedSessions {
  readonly #seen: SeenSessions;
  /** Keys of those that were never seen; of the others these are known. */
  readonly #newKeys = new PackedList<string>();
  /** Their numbers among those that were seen, or below zero among the keys, counted from the end. */
  #numbers: number[] = [];
  #bytes: number[] = [];
  #flags: number[] = [];

  constructor(seen: SeenSessions) {
    this.#seen = seen;
  }

  get length(): number {
    return this.#numbers.length;
  }

  /** Of all of them. */
  get bytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  add(key: string, { number, bytes, isDue, isQuiet }: Listed): void {
    this.#numbers.push(number ?? -1 - this.#newKeys.push(key));
    this.#bytes.push(bytes);
    this.#flags.push(flagsOf(isDue, isQuiet));
  }

  /**
   * Leaves others out.
   *
   * @param asRead - How one of them is read; undefined for one that is left out.
   */
  keep(asRead: (session: Listed) => Pick<Change, "isDue"> | undefined): void {
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

  *[Symbol.iterator](): Generator<Change> {
    for (const [index, number] of this.#numbers.entries()) {
      const key = number < 0 ? this.#newKeys.at(-1 - number) : this.#seen.keyOf(number);
      const isDue = ((this.#flags[index] ?? 0) & due) !== 0;
      yield { key, bytes: this.#bytes[index] ?? 0, isDue };
    }
  }
}

const due = 1;
const quiet = 2;

function flagsOf(isDue: boolean, isQuiet: boolean): number {
  return (isDue ? due : 0) | (isQuiet ? quiet : 0);
}
