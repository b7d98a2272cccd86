import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Parses a point in time as a person types it: `2026-03-01`, `2026-03-01T14:00`, `7d` ago, `today`.
 *
 * @returns Microseconds since the epoch.
 */
export function parseTime(text: string, now: Date = new Date()): bigint {
  const date = toDate(text.trim(), now);
  // RFC 3339, in which filters are written, has years of four digits.
  const year = date?.getUTCFullYear() ?? Number.NaN;
  if (date === undefined || !(year >= 0 && year <= 9999)) {
    throw new InvalidArgumentError(
      "Use a date (2026-03-01), a time (2026-03-01T14:00Z), an age (30m, 12h, 7d, 2w), today or yesterday.",
    );
  }
  return BigInt(date.getTime()) * 1000n + subMillisecondMicros(text);
}

/** The part of a time that is finer than `Date` knows, as `pond search` shows it. */
function subMillisecondMicros(text: string): bigint {
  const [, micros = ""] = /:\d{2}\.\d{3}(\d{1,3})/.exec(text) ?? [];
  return BigInt(micros.padEnd(3, "0"));
}

function toDate(text: string, now: Date): Date | undefined {
  const age = /^(\d{1,6})([mhdw])$/.exec(text);
  if (age) return new Date(now.getTime() - Number(age[1]) * (unitMs[age[2] ?? ""] ?? 0));
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (text === "today") return midnight;
  if (text === "yesterday") return new Date(midnight.setDate(midnight.getDate() - 1));
  // A bare day means the user's own, not that of Greenwich.
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}.*)?$/.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  return new Date(time === undefined ? `${day}T00:00:00` : text);
}

/** False for 30 February, which `Date` takes for the second of March. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A whole number, at least one. */
export function parseCount(text: string): number {
  if (isDigits(text) && Number(text) >= 1) return Number(text);
  throw new InvalidArgumentError("Use a whole number from 1.");
}

/** A whole number from one to the most that an answer may have. */
export function parseCountUpTo(max: number): (text: string) => number {
  return (text) => {
    if (isDigits(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
  };
}

/**
 * Only digits: other forms that JavaScript takes for a number, such as `0x10`, were not meant as
 * one.
 */
function isDigits(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

/** A whole number, at least zero. */
export function parseDepth(text: string): number {
  if (isDigits(text)) return Number(text);
  throw new InvalidArgumentError("Use a whole number from 0.");
}

/** A TCP port, or zero for any that is free. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("Use a number from 0 to 65535.");
  return port;
}

/** A score, at least zero. */
export function parseScore(text: string): number {
  const score = Number(text);
  if (text.trim() === "" || !Number.isFinite(score) || score < 0) {
    throw new InvalidArgumentError("Use a number from 0.");
  }
  return score;
}

/** A file or folder. Refuses an empty or blank text, which is what an unset variable leaves. */
export function parsePath(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It is empty: name a file or folder.");
  return text;
}

/** A project is mostly a folder. Folders are typed relative to the current one, or with `..`. */
export function parseProject(typed: string): string {
  const text = parsePath(typed);
  return /^(?:\/(?:.*\/)?)?\.{1,2}(?:\/|$)/.test(text) ? resolve(text) : text;
}
