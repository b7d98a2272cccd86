import { statSync } from "node:fs";
import { fileMark } from "@pond/canonical/adapter";
import type { ThreadFile } from "./discover.ts";

/** What the files of a thread were when they were looked at. */
type Measured = { readonly fingerprint: string; readonly bytes: number };

/**
 * Size, time and identity of each file: another text whenever one may have changed. Undefined
 * where none is there any more.
 *
 * @throws where a file may not be looked at.
 */
export function measure(files: readonly ThreadFile[]): Measured | undefined {
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
