import { createHash } from "node:crypto";
import type { Origin } from "../seam/codec.ts";

/**
 * A UUID derived from the names: the same names give the same one, so that restoring twice gives
 * one session.
 */
export function derivedUuid(...names: readonly string[]): string {
  const hex = derivedHex(...names);
  // The version and variant bits of a name-based UUID, because clients accept no other shape.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`];
  return [...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** 64 hexadecimal digits derived from the names. */
export function derivedHex(...names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex");
}

/**
 * The id of a session's copy in another client. It is never the session's own id: the copy would
 * come back into the original when that client is synced.
 */
export function copyUuid(target: Origin, id: string): string {
  return derivedUuid("session", target, id);
}

/** Fourteen letters and digits of such a hexadecimal number, for clients whose ids end in them. */
export function base62Of(hex: string): string {
  let number = BigInt(`0x${hex}`);
  let text = "";
  while (text.length < 14) {
    text += alphabet[Number(number % 62n)];
    number /= 62n;
  }
  return text;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The end of the id of a session's copy, for a client whose ids are not UUIDs. */
export function copyBase62(target: Origin, id: string): string {
  return base62Of(derivedHex("session", target, id));
}

/** A tool's name in a form that every provider's API accepts. */
export function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}

/** Hands out ids of tool calls that every client accepts, each once in a session. */
export class CallIds {
  readonly #used: Set<string> = new Set();
  /** The number last given out for each id; all lower ones are used. */
  readonly #numbers: Map<string, number> = new Map();

  /** The id of a call in the copy; a different one each time the same id comes. */
  next(id: string): string {
    // Claude Code takes `x_2` for the second entry of call `x` and joins their results.
    const legal = id.replace(/[^A-Za-z0-9_-]/g, "_").replace(/_(?=\d+$)/, "-") || "call";
    // OpenAI's API takes 64 characters, and a number may follow.
    const isLong = legal.length > 60;
    const plain = isLong ? `${legal.slice(0, 43)}-${derivedHex(id).slice(0, 16)}` : legal;
    let number = this.#numbers.get(plain) ?? 1;
    let unique = number === 1 ? plain : `${plain}-${number}`;
    while (this.#used.has(unique)) unique = `${plain}-${++number}`;
    this.#numbers.set(plain, number);
    this.#used.add(unique);
    return unique;
  }
}
