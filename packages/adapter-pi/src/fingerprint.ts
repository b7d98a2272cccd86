import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { SessionFiles } from "./discover.ts";

/**
 * The state of a session's files: differs whenever one may have changed.
 *
 * @throws where the log is gone or a file may not be looked at.
 */
export function measure({ file, sidecars }: SessionFiles): {
  readonly fingerprint: string;
  readonly bytes: number;
} {
  const own = statSync(file, { bigint: true });
  let bytes = own.size;
  const hash = createHash("sha256");
  for (const sidecar of sidecars) {
    // One that the client removed just now is not there; the session still is.
    const stats = statSync(sidecar.file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    bytes += stats.size;
    hash.update(`${sidecar.path}\0${stats.size}\0${stats.mtimeNs}\0${stats.ino}\0`);
  }
  const others = sidecars.length === 0 ? "" : `+${hash.digest("hex").slice(0, 32)}`;
  const fingerprint = `${own.size}.${own.mtimeNs}.${own.ino}${others}`;
  return { fingerprint, bytes: Number(bytes) };
}
