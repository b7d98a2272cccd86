import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Runs a garbage collection now, which takes about 20 ms. Call it after letting go of many
 * megabytes of text: left to itself, the engine collects only once there are hundreds.
 */
export function collectGarbage(): void {
  collect ??= loadCollector();
  // The engine keeps the text that a regular expression last searched.
  /^/.test("");
  collect();
}

function loadCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("globalThis.gc");
  // Where the engine offers no collector, memory is given back later.
  return typeof exposed === "function" ? () => exposed() : () => undefined;
}
