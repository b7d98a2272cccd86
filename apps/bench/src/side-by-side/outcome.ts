import { stopwatch } from "../shared/stopwatch.ts";
import type { Outcome } from "./measure.ts";

/** Measures a query in this process. @param ask - Resolves to the number of things it found. */
export async function timed(ask: () => Promise<number>): Promise<Outcome> {
  const spent = stopwatch();
  const found = await ask();
  return { ...spent(), found };
}

export function linesIn(text: string): number {
  return text.split("\n").filter(Boolean).length;
}
