import { createHash } from "node:crypto";

/** A UUID that is the same for the same names, so that restoring twice gives one session. */
export function derivedUuid(...names: readonly string[]): string {
  const hex = derivedHex(...names);
  // Version and variant as a name-based UUID has them: the client accepts no other shape.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`];
  return [...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** 64 hexadecimal digits that are the same for the same names. */
export function derivedHex(...names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex");
}

/** The name of a session's file: its id where that is a UUID, else one derived from it. */
export function sessionUuid(id: string): string {
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  return isUuid ? id.toLowerCase() : derivedUuid("session", id);
}

/** The name of a sub-agent's file, as the client makes them. */
export function agentId(id: string): string {
  return `a${derivedHex("agent", id).slice(0, 16)}`;
}

/** A tool's name as the API accepts one. */
export function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}

/** Hands out ids of tool calls as the API accepts them, each once. */
export class CallIds {
  readonly #used: Set<string> = new Set();

  next(id: string): string {
    // The client takes `x_2` for the second entry of a call `x` and joins their results.
    const plain = id.replace(/[^A-Za-z0-9_-]/g, "_").replace(/_(?=\d+$)/, "-") || "call";
    let unique = plain;
    for (let number = 2; this.#used.has(unique); number++) unique = `${plain}-${number}`;
    this.#used.add(unique);
    return unique;
  }
}
