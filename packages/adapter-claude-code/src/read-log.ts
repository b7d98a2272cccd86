import {
  fileChunks,
  isLeftAlone,
  type LineOptions,
  type RecordCount,
  type RecordOutcome,
  readRecords,
} from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

export type LogOptions = LineOptions & {
  readonly signal?: AbortSignal | undefined;
  /** Bytes read at a time. */
  readonly chunkBytes?: number;
  readonly count?: RecordCount | undefined;
};

/** The records of a session file, one batch per chunk. @throws if the file cannot be read. */
export function readLog(
  file: string,
  { chunkBytes, ...options }: LogOptions,
): AsyncIterable<readonly RecordOutcome[]> {
  const source = { adapter: origin, uri: file };
  return readRecords(fileChunks(file, chunkBytes), source, {
    ...options,
    isLeftAlone: () => isLeftAlone(file),
  });
}
