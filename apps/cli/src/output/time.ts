import { type Shown, shown } from "./shown.ts";

const dayMs = 86_400_000;

/** When something was, as short as it can be told: `14:05`, `Mon 14:05`, `12 Mar`, `2025-03-12`. */
export function formatWhen(rfc3339: string, now: Date): Shown {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return shown(rfc3339);
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", options).format(date);
  const age = now.getTime() - date.getTime();
  const clock = format({ hour: "2-digit", minute: "2-digit" });
  if (age >= 0 && date.toDateString() === now.toDateString()) return shown(clock);
  if (age >= 0 && age < 6 * dayMs) return shown(`${format({ weekday: "short" })} ${clock}`);
  if (age >= 0 && age < 300 * dayMs) return shown(format({ day: "numeric", month: "short" }));
  return shown(formatDay(date));
}

/** `2026-03-12 14:05`, local time. */
export function formatMoment(rfc3339: string): Shown {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return shown(rfc3339);
  const two = (value: number): string => String(value).padStart(2, "0");
  return shown(`${formatDay(date)} ${two(date.getHours())}:${two(date.getMinutes())}`);
}

function formatDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
