import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Collects garbage now, which takes some 20 ms. For whoever has just let go of many megabytes of text:
 * a collection would come by itself only once there are hundreds.
 */
export function collectGarbage(): void {
  collect ??= loadCollector();
  // Of a regular expression the engine keeps what it was last looked for in.
  /^/.test("");
  collect();
}

function loadCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const exposed: unknown = runInNewContext("globalThis.gc");
  // Where it cannot be had, memory is given back later.
  return typeof exposed === "function" ? () => exposed() : () => undefined;
}
