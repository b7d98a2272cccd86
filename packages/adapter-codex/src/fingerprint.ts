import { statSync } from "node:fs";
import { fileMark, type SourceSession } from "@pond/canonical/adapter";
import type { ThreadFile } from "./discover.ts";

/**
 * Size, time and identity of each file: another text whenever one may have changed. Undefined
 * where none is there any more.
 *
 * @throws where a file may not be looked at.
 */
export function measure(
  files: readonly ThreadFile[],
): Pick<SourceSession, "fingerprint" | "bytes"> | undefined {
  const marks: string[] = [];
  let bytes = 0n;
  for (const { file } of files) {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    marks.push(fileMark(stats));
    bytes += stats.size;
  }
  return marks.length === 0 ? undefined : { fingerprint: marks.join("+"), bytes: Number(bytes) };
}
