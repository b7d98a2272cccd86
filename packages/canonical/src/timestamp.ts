import * as v from "valibot";

/** Microseconds since the Unix epoch. */
export type Micros = bigint;

export const microsSchema: v.GenericSchema<Micros> = v.bigint();

const pattern =
  /^(\d{4}-\d{2}-(\d{2}))[Tt ]((?:[01]\d|2[0-3]):\d{2}:\d{2})(?:[.,](\d{1,6})\d*)?([Zz]|[+-]\d{2}:?\d{2})$/;
// The form that pond writes, and nearly every client.
const plainPattern = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):\d{2}:\d{2}\.\d{3}Z$/;
const firstMillis = Date.parse("0000-01-01T00:00:00Z");
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Microseconds since the epoch from RFC 3339 text; digits past the sixth are cut.
 *
 * @returns undefined if the text is not such a time.
 */
export function fromRfc3339(text: string): Micros | undefined {
  if (plainPattern.test(text)) {
    const millis = Date.parse(text);
    return isOfDay(millis, text.slice(8, 10)) ? BigInt(millis) * 1000n : undefined;
  }
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date = "", day = "", time = "", fraction = "", zone = ""] = match;
  const local = Date.parse(`${date}T${time}Z`);
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const millis = Date.parse(`${date}T${time}${offset}`);
  // An offset can push a time out of the years that RFC 3339 can write.
  if (!isOfDay(local, day) || !(millis >= firstMillis && millis <= lastMillis)) return undefined;
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

/**
 * Microseconds since the epoch from milliseconds; anything finer than a microsecond is cut.
 *
 * @returns undefined if RFC 3339 cannot write that time.
 */
export function fromMillis(millis: number): Micros | undefined {
  if (!(millis >= firstMillis && millis <= lastMillis)) return undefined;
  const whole = Math.floor(millis);
  return BigInt(whole) * 1000n + BigInt(Math.trunc((millis - whole) * 1000));
}

/**
 * Microseconds since the epoch from seconds, rounded to the nearest: a double of today's seconds
 * has no more precision.
 *
 * @returns undefined if RFC 3339 cannot write that time.
 */
export function fromSeconds(seconds: number): Micros | undefined {
  if (!(seconds * 1000 >= firstMillis && seconds * 1000 <= lastMillis)) return undefined;
  return BigInt(Math.round(seconds * 1_000_000));
}

/** RFC 3339 text in UTC, with three decimals, or six if the time has microseconds. */
export function toRfc3339(micros: Micros): string {
  const millis = micros / 1000n - (micros < 0n && micros % 1000n !== 0n ? 1n : 0n);
  const rest = micros - millis * 1000n;
  const text = new Date(Number(millis)).toISOString();
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

/** True if `toRfc3339` writes exactly this text for the time that it stands for. */
export function isPlainTime(text: string, micros: Micros): boolean {
  return plainPattern.test(text) || toRfc3339(micros) === text;
}

/** The engine takes 30 February for 2 March. */
function isOfDay(millis: number, day: string): boolean {
  return !Number.isNaN(millis) && new Date(millis).getUTCDate() === Number(day);
}
