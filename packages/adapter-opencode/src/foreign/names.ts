import { base62Of, copyBase62, derivedHex } from "@pond/canonical/foreign";
import { origin } from "../origin.ts";

/**
 * The id of a session's copy here. As in the client's own ids, it begins with the complement of the
 * time, so that newer ones sort first.
 */
export function sessionId(id: string, createdMs: number): string {
  const ticks = BigInt.asUintN(48, ~(BigInt(createdMs) * 4096n));
  return `ses_${hex12(ticks)}${copyBase62(origin, id)}`;
}

/** The origin of a message or part: the id of a message, and for a part also the part's id. */
export type SourceIds = readonly string[];

/**
 * Hands out ids of messages and parts. Their first digits count, because old releases order by
 * them: they begin with the lowest number, so that whatever the client adds later sorts after them.
 * A part is numbered within its message. Importing a session again adds only what has no id there
 * yet. So an id must never go to another part once the session has grown, nor, once a turn was
 * taken back, to what was said in its place. That is why each id has the names of its origin after
 * the number.
 */
export class Ids {
  readonly #session: string;
  #messages = 0n;
  #parts = 0n;

  constructor(session: string) {
    this.#session = session;
  }

  message(source: SourceIds): string {
    this.#messages += 1n;
    this.#parts = 0n;
    return this.#id("msg", this.#messages, source);
  }

  /** The id of the next part of the message above. */
  part(source: SourceIds): string {
    this.#parts += 1n;
    return this.#id("prt", this.#messages * maxPartsPerMessage + this.#parts, source);
  }

  /** The id of the file at this place in the part above. */
  file(index: number, source: SourceIds): string {
    return this.#id("prt", this.#messages * maxPartsPerMessage + this.#parts, [
      ...source,
      `file ${index}`,
    ]);
  }

  /** The id of the part that ends the message above, however many parts it has. */
  end(source: SourceIds): string {
    return this.#id("prt", this.#messages * maxPartsPerMessage + maxPartsPerMessage - 1n, source);
  }

  #id(prefix: "msg" | "prt", number: bigint, source: SourceIds): string {
    const names = [prefix, origin, this.#session, String(number), ...source];
    return `${prefix}_${hex12(number)}${base62Of(derivedHex(...names))}`;
  }
}

/** More parts than any message has. */
const maxPartsPerMessage = 0x100000n;

function hex12(number: bigint): string {
  return number.toString(16).padStart(12, "0");
}
