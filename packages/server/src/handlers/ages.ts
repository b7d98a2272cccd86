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
 */
export function withoutAges({ since, until }: Times, now: Date): Times {
  return { since: since && momentOf(since, now), until: until && momentOf(until, now) };
}

/** Anything but an age as it is, to be read as a time. */
function momentOf(text: string, now: Date): string {
  // Five digits reach back to the year 110.
  const [, count, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const ageMs = Number(count) * (unitMs[unit] ?? 0);
  return count === undefined ? text : new Date(now.getTime() - ageMs).toISOString();
}
