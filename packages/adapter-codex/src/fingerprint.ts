import { statSync } from "node:fs";
import { fileMark, type SourceSession } from "@pond/canonical/adapter";
import type { ThreadNames } from "./thread-names.ts";
import type { ThreadFile } from "./threads.ts";

/**
 * Size, time and identity of each file, and what the thread is called: another text whenever one
 * may have changed. Undefined where no file is there any more.
 *
 * @throws where a file may not be looked at.
 */
export function measure(
  files: readonly ThreadFile[],
  names: ThreadNames,
): Pick<SourceSession, "fingerprint" | "bytes"> | undefined {
  const marks: string[] = [];
  let bytes = 0n;
  for (const { file } of files) {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    marks.push(fileMark(stats));
    bytes += stats.size;
  }
  if (marks.length === 0) return undefined;
  // Of all names its own alone, so that naming one thread makes no other be read again.
  const named = names.digest(files[0]?.name.thread);
  if (named !== undefined) marks.push(named);
  return { fingerprint: marks.join("+"), bytes: Number(bytes) };
}
