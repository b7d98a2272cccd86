import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { SourceSession } from "./codec.ts";

/**
 * The state of a session's file and of those that belong to it, without reading them: differs
 * whenever one may have changed.
 *
 * @param others - `path` names each of them within its session.
 * @throws where the file is gone, or one of them may not be looked at.
 */
export function measureFiles(
  file: string,
  others: readonly { readonly file: string; readonly path: string }[] = [],
): Pick<SourceSession, "fingerprint" | "bytes"> {
  const own = statSync(file, { bigint: true });
  if (others.length === 0) return { fingerprint: fileMark(own), bytes: Number(own.size) };
  const hash = createHash("sha256");
  let bytes = own.size;
  for (const other of others) {
    // One that the client removed just now is not there; the session still is.
    const stats = statSync(other.file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    bytes += stats.size;
    hash.update(`${other.path}\0${fileMark(stats)}\0`);
  }
  const fingerprint = `${fileMark(own)}+${hash.digest("hex").slice(0, 32)}`;
  return { fingerprint, bytes: Number(bytes) };
}

/** What `stat` says of a file; not Node's own type, for adapters compile without that too. */
export type FileStats = {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
};

/** Size, time and identity of a file: another text whenever it may have changed. */
export function fileMark({ size, mtimeNs, ino }: FileStats): string {
  // Joined, it is one string; put together it would be kept as its pieces, four times as large.
  return [size, mtimeNs, ino].join(".");
}
