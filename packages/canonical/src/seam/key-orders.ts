import { type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import { setField } from "../set-field.ts";

/** The keys of an object from which some fields were taken. */
type SplitKeys = {
  readonly left: readonly string[];
  readonly taken: readonly string[];
  /** All keys, in the order of the last record whose id confirmed one. */
  order: readonly string[];
};

/**
 * Puts the fields that were taken from a record back where they stood. Nothing that is stored says
 * where that was. But an id derived from the record (`ContentIds`) is a hash of its keys in their
 * order, so the id confirms the right order among all of them. A client writes objects of the same
 * keys in one order, so what one id confirms serves the whole file: make one of these for each
 * file.
 */
export class KeyOrders {
  readonly #splits: Map<string, SplitKeys> = new Map();
  /** Those in the record that is being restored. */
  readonly #used: Set<SplitKeys> = new Set();
  #budget = maxHashedCharacters;

  /**
   * Joins what was left of an object and what was taken from it, in the order known for such keys.
   * If a key is in both, the taken value counts.
   *
   * @param place - Where the taken fields go as long as no id has confirmed an order.
   */
  join(left: JsonObject, taken: JsonObject, place: "first" | "last" = "last"): JsonObject {
    const split = this.#splitKeysOf(left, taken, place);
    this.#used.add(split);
    const joined: { [key: string]: JsonValue } = {};
    for (const key of split.order) {
      setField(joined, key, (Object.hasOwn(taken, key) ? taken[key] : left[key]) ?? null);
    }
    return joined;
  }

  /**
   * A record with its keys in their original order.
   *
   * @param restore - Puts the record together, with `join` wherever fields were taken.
   * @param isSource - True if the id says that this is the record as it was read.
   */
  restored(
    restore: () => JsonObject | undefined,
    isSource: (record: JsonObject) => boolean,
  ): JsonObject | undefined {
    this.#used.clear();
    const record = restore();
    if (record === undefined || isSource(record)) return record;
    const splits = [...this.#used];
    const known = splits.map(({ order }) => order);
    const tryCharacters = stringifyJson(record).length + minCharactersPerTry;
    for (const orders of splits.some(hasManyKeys) ? [] : candidates(splits)) {
      // A value that was cut, for example, gives the id in no order.
      this.#budget -= tryCharacters;
      if (this.#budget < 0) break;
      setOrders(splits, orders);
      const other = restore();
      if (other && isSource(other)) return other;
    }
    setOrders(splits, known);
    return record;
  }

  #splitKeysOf(object: JsonObject, others: JsonObject, place: "first" | "last"): SplitKeys {
    const left = Object.keys(object);
    const taken = Object.keys(others).filter((key) => !Object.hasOwn(object, key));
    const name = stringifyJson([left, taken]);
    const known = this.#splits.get(name);
    if (known) return known;
    const order = place === "first" ? [...taken, ...left] : [...left, ...taken];
    const split = { left, taken, order };
    this.#splits.set(name, split);
    return split;
  }
}

/** How many characters the search may hash for one file: about a second. */
const maxHashedCharacters = 100_000_000;
/** The minimum that a record costs, however short it is. */
const minCharactersPerTry = 1000;

type Orders = readonly (readonly string[])[];

function setOrders(splits: readonly SplitKeys[], orders: Orders): void {
  for (const [at, split] of splits.entries()) split.order = orders[at] ?? split.order;
}

/** More keys than a client writes into one object. */
function hasManyKeys({ left, taken }: SplitKeys): boolean {
  return left.length + taken.length > 100;
}

/** Every order of one object's keys while the others keep theirs, then every order of all of them. */
function* candidates(splits: readonly SplitKeys[]): Generator<Orders> {
  const known = splits.map(({ order }) => order);
  // With a single object, these are all the orders there are.
  if (splits.length === 1) return yield* combinations(splits);
  for (const [at, { left, taken }] of splits.entries()) {
    for (const order of arrangements(left, taken)) yield known.with(at, order);
  }
  yield* combinations(splits);
}

/** Every order of each object's keys combined with every order of the others; the last one changes first. */
function* combinations(splits: readonly SplitKeys[]): Generator<Orders> {
  const [first, ...others] = splits;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const order of arrangements(first.left, first.taken)) {
    for (const rest of combinations(others)) yield [order, ...rest];
  }
}

/** Every order of these keys in which the keys that were left stay in sequence. */
function* arrangements(
  left: readonly string[],
  taken: readonly string[],
): Generator<readonly string[]> {
  const [next, ...others] = left;
  if (next === undefined && taken.length === 0) yield [];
  if (next !== undefined) {
    for (const order of arrangements(others, taken)) yield [next, ...order];
  }
  for (const key of taken) {
    const rest = taken.filter((other) => other !== key);
    for (const order of arrangements(left, rest)) yield [key, ...order];
  }
}
