import * as v from "valibot";

/** Microseconds since the Unix epoch. */
export type Micros = bigint;

export const microsSchema: v.GenericSchema<Micros> = v.bigint();

const pattern =
  /^(\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2})(?:[.,](\d{1,6})\d*)?([Zz]|[+-]\d{2}:?\d{2})$/;

/**
 * Microseconds since the epoch from RFC 3339 text; digits past the sixth are cut.
 *
 * @returns undefined where the text is not such a time.
 */
export function fromRfc3339(text: string): Micros | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, seconds = "", fraction = "", zone = ""] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const millis = Date.parse(`${seconds.replace(/[t ]/, "T")}${offset}`);
  if (Number.isNaN(millis)) return undefined;
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

/** RFC 3339 text in UTC, with three decimals, or six where the time has microseconds. */
export function toRfc3339(micros: Micros): string {
  const millis = micros / 1000n - (micros < 0n && micros % 1000n !== 0n ? 1n : 0n);
  const rest = micros - millis * 1000n;
  const text = new Date(Number(millis)).toISOString();
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}
