import { copyLetters, derivedHex, lettersOf } from "@pond/canonical/foreign";
import { origin } from "../origin.ts";

/**
 * The id of a session's copy here. As the client makes them it begins with the complement of the
 * time, so that newer ones sort first.
 */
export function sessionId(id: string, createdMs: number): string {
  const ticks = BigInt.asUintN(48, ~(BigInt(createdMs) * 4096n));
  return `ses_${hex12(ticks)}${copyLetters(origin, id)}`;
}

/** What a message or part was made from: the id of a message, and that of a part of it. */
export type SourceNames = readonly string[];

/**
 * Hands out ids of messages and parts. Their first digits count, because old releases order by
 * them: from the lowest number on, so that whatever the client adds later sorts behind. A part is
 * numbered within its message. Importing a session again adds only what has no id there yet: none
 * may go to another part once the session has grown, nor, once a turn was taken back, to what was
 * said in its place. So behind the number each id has the names of what it was made from.
 */
export class Ids {
  readonly #session: string;
  #messages = 0n;
  #parts = 0n;

  constructor(session: string) {
    this.#session = session;
  }

  message(source: SourceNames): string {
    this.#messages += 1n;
    this.#parts = 0n;
    return this.#id("msg", this.#messages, source);
  }

  /** The next part of the message above. */
  part(source: SourceNames): string {
    this.#parts += 1n;
    return this.#id("prt", this.#messages * room + this.#parts, source);
  }

  /** The file at this place in the part above. */
  file(index: number, source: SourceNames): string {
    return this.#id("prt", this.#messages * room + this.#parts, [...source, `file ${index}`]);
  }

  /** The part that ends the message above, however many it has. */
  end(source: SourceNames): string {
    return this.#id("prt", this.#messages * room + room - 1n, source);
  }

  #id(prefix: "msg" | "prt", number: bigint, source: SourceNames): string {
    const names = [prefix, origin, this.#session, String(number), ...source];
    return `${prefix}_${hex12(number)}${lettersOf(derivedHex(...names))}`;
  }
}

/** More parts than any message has. */
const room = 0x100000n;

function hex12(number: bigint): string {
  return number.toString(16).padStart(12, "0");
}
