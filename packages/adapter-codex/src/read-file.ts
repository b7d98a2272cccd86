import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  SourceFault,
} from "@pond/canonical";
import {
  fileChunks,
  isLeftAlone,
  type LineOptions,
  openRecord,
  type RecordCount,
  type RecordOutcome,
  readRecords,
} from "@pond/canonical/adapter";
import { decompress } from "./decompress.ts";
import { fault } from "./faults.ts";
import { origin } from "./origin.ts";
import type { ThreadFile } from "./threads.ts";

export type ReadOptions = LineOptions & {
  readonly signal?: AbortSignal | undefined;
  readonly count?: RecordCount | undefined;
};

const defaultMaxDocumentBytes = 256 * 1024 * 1024;

/** The records of one file, in batches. @throws if it cannot be read or decompressed. */
export function readEntries(
  { file, name }: ThreadFile,
  options: ReadOptions,
): AsyncIterable<readonly RecordOutcome[]> {
  if (name.isDocument) return readDocument(file, options);
  const bytes = fileChunks(file);
  const chunks = name.isCompressed ? decompress(bytes) : bytes;
  const source = { adapter: origin, uri: file };
  return readRecords(chunks, source, { ...options, isLeftAlone: () => isLeftAlone(file) });
}

/**
 * Reads the TypeScript client's document `{ session, items }`: one record of everything except the
 * items, then each item.
 */
async function* readDocument(
  file: string,
  { maxLineBytes: maxBytes = defaultMaxDocumentBytes, count }: ReadOptions,
): AsyncGenerator<readonly RecordOutcome[]> {
  const { size } = statSync(file);
  if (size > maxBytes) {
    yield [fault(file, `a document of ${size} bytes is too long to be read`)];
    return;
  }
  yield entriesOf(file, await readFile(file), count);
}

function entriesOf(
  file: string,
  bytes: Uint8Array,
  count: RecordCount | undefined,
): RecordOutcome[] {
  const encodedBytes = bytes.length;
  try {
    const value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const fields: JsonObject = isJsonObject(value) ? value : {};
    const { items, ...session } = fields;
    count?.add(Array.isArray(items) ? 1 + items.length : 1);
    if (!Array.isArray(items)) return [entryOf(file, "document", value, encodedBytes)];
    return [
      entryOf(file, "session", session, encodedBytes),
      ...items.map((item, index) => entryOf(file, `items.${index}`, item, encodedBytes)),
    ];
  } catch (error) {
    // Both the decoder and the parser throw these for bytes that are not such a document.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return [fault(file, `not a JSON document: ${error.message}`, error)];
  }
}

function entryOf(
  uri: string,
  record: string,
  value: JsonValue,
  encodedBytes: number,
): RecordOutcome {
  const at = { adapter: origin, uri, record };
  try {
    return { kind: "record", record: openRecord(at, value, { encodedBytes }), isTruncated: false };
  } catch (error) {
    if (error instanceof SourceFault) return { kind: "fault", fault: error };
    throw error;
  }
}
