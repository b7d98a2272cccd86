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

/**
 * Hands out ids of messages and parts. Their first digits count, because old releases order by
 * them: from the lowest number on, so that whatever the client adds later sorts behind.
 */
export class Ids {
  readonly #session: string;
  #count = 0n;

  constructor(session: string) {
    this.#session = session;
  }

  next(prefix: "msg" | "prt"): string {
    this.#count += 1n;
    const tail = lettersOf(derivedHex(prefix, origin, this.#session, String(this.#count)));
    return `${prefix}_${hex12(this.#count)}${tail}`;
  }
}

function hex12(number: bigint): string {
  return number.toString(16).padStart(12, "0");
}
