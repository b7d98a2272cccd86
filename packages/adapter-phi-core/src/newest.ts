import type { Micros } from "@pond/canonical";

/** The latest of some times; the epoch if there is none. */
export function newestOf(times: readonly Micros[]): Micros {
  let newest = 0n;
  for (const time of times) if (time > newest) newest = time;
  return newest;
}
