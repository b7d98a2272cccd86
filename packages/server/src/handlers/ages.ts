import { refused } from "./refused.ts";

type Times = { readonly since?: string | undefined; readonly until?: string | undefined };

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * The times of a request, with the moment in place of an age such as `7d`: a model seldom knows what
 * day it is.
 *
 * @throws {WireError} for a text that is neither an age nor begins as a time does.
 */
export function withoutAges({ since, until }: Times, now: Date): Times {
  return {
    since: since && momentOf("since", since, now),
    until: until && momentOf("until", until, now),
  };
}

/** Anything that may be a time as it is, to be read as one. */
function momentOf(field: keyof Times, text: string, now: Date): string {
  // Five digits reach back to the year 110.
  const [, count, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) {
    return new Date(now.getTime() - Number(count) * (unitMs[unit] ?? 0)).toISOString();
  }
  if (/^\d{4}-/.test(text)) return text;
  const shown = text.slice(0, 40).toWellFormed();
  const forms = "2026-11-20, 2026-11-20T08:00:00Z, or an age: 30m, 12h, 7d, 2w";
  throw refused(field, `"${shown}" is not a time; write ${forms}`);
}
