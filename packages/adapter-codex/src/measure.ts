import { statSync } from "node:fs";
import { fileFingerprint, type SourceSession } from "@pond/canonical/adapter";
import type { ThreadNames } from "./thread-names.ts";
import type { ThreadFile } from "./threads.ts";

/**
 * Size, time and identity of each file, and the thread's name, as a text that changes whenever one
 * of them may have changed. Undefined if none of the files exists any more.
 *
 * @throws if a file may not be looked at.
 */
export function measure(
  files: readonly ThreadFile[],
  names: ThreadNames,
): Pick<SourceSession, "fingerprint" | "bytes"> | undefined {
  const fingerprints: string[] = [];
  let bytes = 0n;
  for (const { file } of files) {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    fingerprints.push(fileFingerprint(stats));
    bytes += stats.size;
  }
  if (fingerprints.length === 0) return undefined;
  // Only its own name of all, so that naming one thread does not cause others to be read again.
  const named = names.digest(files[0]?.name.thread);
  if (named !== undefined) fingerprints.push(named);
  return { fingerprint: fingerprints.join("+"), bytes: Number(bytes) };
}
