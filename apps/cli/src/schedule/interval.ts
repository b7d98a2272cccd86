import { InvalidArgumentError } from "commander";

/** How often: intervals that cron, systemd and launchd can all express exactly. */
// biome-ignore format: a table
export const intervals = [
  "5m", "10m", "15m", "20m", "30m",
  "1h", "2h", "3h", "4h", "6h", "8h", "12h",
  "1d",
] as const;

export type Interval = (typeof intervals)[number];

/** @throws {InvalidArgumentError} for an interval that not all of them can express. */
export function parseInterval(text: string): Interval {
  const same = text === "24h" ? "1d" : text === "60m" ? "1h" : text;
  const interval = intervals.find((each) => each === same);
  if (interval === undefined) throw new InvalidArgumentError(`One of ${intervals.join(", ")}.`);
  return interval;
}

/** The five fields of a line of cron. */
export function cronTime(interval: Interval): string {
  const { count, unit } = partsOf(interval);
  if (unit === "m") return `*/${count} * * * *`;
  // Off the full hour, when everybody else's jobs begin.
  if (unit === "h") return count === 1 ? "17 * * * *" : `17 */${count} * * *`;
  return "17 12 * * *";
}

/** A calendar event of systemd. */
export function calendarTime(interval: Interval): string {
  const { count, unit } = partsOf(interval);
  if (unit === "m") return `*:00/${String(count).padStart(2, "0")}`;
  if (unit === "h") return count === 1 ? "*:17" : `00/${count}:17`;
  return "*-*-* 12:17";
}

export function secondsOf(interval: Interval): number {
  const { count, unit } = partsOf(interval);
  return count * { m: 60, h: 3600, d: 86_400 }[unit];
}

function partsOf(interval: Interval) {
  const unit = interval.slice(-1) as "m" | "h" | "d";
  return { count: Number(interval.slice(0, -1)), unit };
}
