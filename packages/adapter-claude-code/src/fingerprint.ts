import { createHash } from "node:crypto";
import { type BigIntStats, statSync } from "node:fs";
import type { SessionFiles } from "./discover.ts";

/** What the files of a session were when they were looked at. */
type Measured = { readonly fingerprint: string; readonly bytes: number };

/**
 * The state of the files: size, time and identity of each. Differs whenever one may have changed.
 *
 * @throws where the log is gone or a file may not be looked at.
 */
export function measure({ file, sidecars }: SessionFiles): Measured {
  const own = statSync(file, { bigint: true });
  if (sidecars.length === 0) return { fingerprint: mark(own), bytes: Number(own.size) };
  const hash = createHash("sha256");
  let bytes = own.size;
  for (const { file, path } of sidecars) {
    // One that the client removed just now is not there; the session still is.
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    bytes += stats.size;
    hash.update(`${path}\0${mark(stats)}\0`);
  }
  return {
    fingerprint: `${mark(own)}+${hash.digest("hex").slice(0, 32)}`,
    bytes: Number(bytes),
  };
}

function mark({ size, mtimeNs, ino }: BigIntStats): string {
  return `${size}.${mtimeNs}.${ino}`;
}
