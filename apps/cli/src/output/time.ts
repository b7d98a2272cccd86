import { type SafeText, safeLine, safeText } from "./safe-text.ts";

// All have the same width. The names of a locale need not: `Sept`.
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How long ago something was, as briefly as possible: `5m ago`, `3h ago`, `2d ago`, then `12 Mar`,
 * `2025-03-12`. Ages are written as `--since` takes them.
 */
export function formatWhen(rfc3339: string, now: Date): SafeText {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return safeLine(rfc3339);
  const age = now.getTime() - date.getTime();
  // A clock that is a little behind must not put anything into the future.
  if (age < -minuteMs || age >= 300 * dayMs) return safeText(formatDay(date));
  if (age < minuteMs) return safeText("just now");
  if (age < hourMs) return safeText(`${Math.floor(age / minuteMs)}m ago`);
  if (age < dayMs) return safeText(`${Math.floor(age / hourMs)}h ago`);
  if (age < 7 * dayMs) return safeText(`${Math.floor(age / dayMs)}d ago`);
  return safeText(`${date.getDate()} ${months[date.getMonth()]}`);
}

/** `2026-03-12 14:05`, local time. */
export function formatMoment(rfc3339: string): SafeText {
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return safeLine(rfc3339);
  return safeText(`${formatDay(date)} ${two(date.getHours())}:${two(date.getMinutes())}`);
}

function formatDay(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
