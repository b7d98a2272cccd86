import { setImmediate } from "node:timers/promises";
import { collectGarbage } from "@pond/canonical/adapter";

/**
 * What the process keeps in JavaScript and its buffers, in bytes. Collects until no collection
 * frees more: what a pending callback holds, or another thread gives back, goes only later.
 */
export async function memoryUsed(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let idle = 0; idle < 3; ) {
    collectGarbage();
    await setImmediate();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const used = heapUsed + arrayBuffers;
    idle = used < least - 10_000 ? 0 : idle + 1;
    least = Math.min(least, used);
  }
  return least;
}
