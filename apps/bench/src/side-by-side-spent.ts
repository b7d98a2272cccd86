import type { Spent } from "./side-by-side-measure.ts";

/** What something takes that is asked in this process. @param ask - Resolves to what it found. */
export async function timed(ask: () => Promise<number>): Promise<Spent> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const found = await ask();
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1000, found };
}

export function linesIn(text: string): number {
  return text.split("\n").filter(Boolean).length;
}
