import { type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import { setField } from "../set-field.ts";

/** The keys of an object from which some fields were taken. */
type Joint = {
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
  readonly #joints: Map<string, Joint> = new Map();
  /** The joints in the record that is being restored. */
  readonly #used: Set<Joint> = new Set();
  #budget = maxCharacters;

  /**
   * Joins what was left of an object and what was taken from it, in the order known for such keys.
   * If a key is in both, the taken value counts.
   *
   * @param place - Where the taken fields go as long as no id has confirmed an order.
   */
  join(left: JsonObject, taken: JsonObject, place: "first" | "last" = "last"): JsonObject {
    const joint = this.#jointOf(left, taken, place);
    this.#used.add(joint);
    const joined: { [key: string]: JsonValue } = {};
    for (const key of joint.order) {
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
    const joints = [...this.#used];
    const known = joints.map(({ order }) => order);
    const tryCharacters = stringifyJson(record).length + triedAtLeast;
    for (const orders of joints.some(hasManyKeys) ? [] : candidates(joints)) {
      // A value that was cut, for example, gives the id in no order.
      this.#budget -= tryCharacters;
      if (this.#budget < 0) break;
      setOrders(joints, orders);
      const other = restore();
      if (other && isSource(other)) return other;
    }
    setOrders(joints, known);
    return record;
  }

  #jointOf(object: JsonObject, others: JsonObject, place: "first" | "last"): Joint {
    const left = Object.keys(object);
    const taken = Object.keys(others).filter((key) => !Object.hasOwn(object, key));
    const name = stringifyJson([left, taken]);
    const known = this.#joints.get(name);
    if (known) return known;
    const order = place === "first" ? [...taken, ...left] : [...left, ...taken];
    const joint = { left, taken, order };
    this.#joints.set(name, joint);
    return joint;
  }
}

/** How many characters the search may hash for one file: about a second. */
const maxCharacters = 100_000_000;
/** The minimum that a record costs, however short it is. */
const triedAtLeast = 1000;

type Orders = readonly (readonly string[])[];

function setOrders(joints: readonly Joint[], orders: Orders): void {
  for (const [at, joint] of joints.entries()) joint.order = orders[at] ?? joint.order;
}

/** More keys than a client writes into one object. */
function hasManyKeys({ left, taken }: Joint): boolean {
  return left.length + taken.length > 100;
}

/** Every order of one joint while the others keep theirs, then every order of all of them. */
function* candidates(joints: readonly Joint[]): Generator<Orders> {
  const known = joints.map(({ order }) => order);
  // With a single joint, these are all the orders there are.
  if (joints.length === 1) return yield* combinations(joints);
  for (const [at, { left, taken }] of joints.entries()) {
    for (const order of arrangements(left, taken)) yield known.with(at, order);
  }
  yield* combinations(joints);
}

/** Every order of every joint combined with every other; the last one changes first. */
function* combinations(joints: readonly Joint[]): Generator<Orders> {
  const [first, ...others] = joints;
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
