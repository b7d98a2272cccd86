import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { SourceSession } from "./codec.ts";

/**
 * The state of a session's file and of the files that belong to it, without reading them. It
 * changes whenever one of them may have changed.
 *
 * @param others - `path` names each of them within its session.
 * @throws if the file is gone, or one of them may not be looked at.
 */
export function measureFiles(
  file: string,
  others: readonly { readonly file: string; readonly path: string }[] = [],
): Pick<SourceSession, "fingerprint" | "bytes"> {
  const own = statSync(file, { bigint: true });
  if (others.length === 0) return { fingerprint: fileFingerprint(own), bytes: Number(own.size) };
  const hash = createHash("sha256");
  let bytes = own.size;
  for (const other of others) {
    // A file that the client removed a moment ago is missing; the session is still there.
    const stats = statSync(other.file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    bytes += stats.size;
    hash.update(`${other.path}\0${fileFingerprint(stats)}\0`);
  }
  const fingerprint = `${fileFingerprint(own)}+${hash.digest("hex").slice(0, 32)}`;
  return { fingerprint, bytes: Number(bytes) };
}

/** The fields of `stat`. Not Node's own type, so that adapters compile without Node's types too. */
export type FileStats = {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
};

// FAT and exFAT note every other second, HFS+ each; rounded up or down.
const tickMs = 2_000;
const nsPerSecond = 1_000_000_000n;

/**
 * Size, time and identity of a file as a text that differs whenever the file may have changed. If
 * its time may still be that of a further write, because the file system notes whole seconds, the
 * text is another one once that second has passed.
 */
export function fileFingerprint(
  { size, mtimeNs, ino }: FileStats,
  nowMs: number = Date.now(),
): string {
  const isWholeSecond = mtimeNs % nsPerSecond === 0n;
  const isTicking = isWholeSecond && Math.abs(nowMs - Number(mtimeNs / 1_000_000n)) < tickMs;
  // A joined text is one string; a concatenated one would be kept as its pieces, four times as
  // large.
  return [size, mtimeNs, ino, ...(isTicking ? ["ticking"] : [])].join(".");
}
