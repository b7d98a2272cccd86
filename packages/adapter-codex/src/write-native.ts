import type { Message } from "@pond/canonical";
import { type JsonObject, stringifyJson, toRfc3339 } from "@pond/canonical";
import {
  chunkLines,
  KeyOrders,
  type Lineage,
  objectAt,
  type RestoredFile,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { type CutOffs, cutOffsOf, fileId, Padding } from "./cut-offs.ts";
import { rolloutPath } from "./layout.ts";
import { nameLine } from "./records/name.ts";
import { restoreRecord } from "./records/record.ts";
import { nameFile, nameLines } from "./thread-names.ts";

/**
 * Writes threads of this client as their files were, record by record
 * (`adapter-native-restore-lossless`), and after the files of each thread the lines that name it.
 */
export function* writeNative({ root, descendants }: Lineage): Generator<RestoredFile> {
  const contents = [root, ...descendants];
  const cutOffs = cutOffsOf(contents);
  for (const content of contents) {
    const session = content.session.id;
    for (const { path, messages } of filesOf(content)) {
      const isDocument = path.endsWith(".json");
      const log = chunkLines(() => lines(messages, cutOffs.get(fileId(path))));
      yield { session, path, content: isDocument ? [document(messages)] : log };
    }
    const names = content.messages.flatMap((message) => nameLine(message) ?? []);
    if (names.length > 0) {
      const lines = names.map((name) => `${stringifyJson(name)}\n`);
      yield { session, path: nameFile, content: lines, shared: nameLines };
    }
  }
}

/** A file of a thread, and the messages of its records. */
export type File = { readonly path: string; readonly messages: readonly Message[] };

/**
 * The files of a thread. The session says where the first file is, and the first record of each
 * later file says where that is.
 */
export function filesOf({ session, messages }: SessionContent): readonly File[] {
  const { path } = sourceOf(session);
  const defaultPath = rolloutPath(toRfc3339(session.created_at), session.id);
  let records: Message[] = [];
  const files: File[] = [
    { path: typeof path === "string" ? path : defaultPath, messages: records },
  ];
  for (const message of messages) {
    if (nameLine(message)) continue;
    const { path: nextPath } = sourceOf(message);
    if (typeof nextPath === "string") {
      records = [];
      files.push({ path: nextPath, messages: records });
    }
    records.push(message);
  }
  return files;
}

function document(messages: readonly Message[]): string {
  const [session, ...items] = records(messages);
  return `${stringifyJson({ ...session, items })}\n`;
}

function* lines(messages: readonly Message[], cutOffs: CutOffs = new Map()): Generator<string> {
  const padding = new Padding(cutOffs);
  let before: string | undefined;
  for (const record of records(messages)) {
    const line = lineOf(record);
    const spaces = padding.before(line, record);
    if (before !== undefined) yield `${before}${spaces}\n`;
    before = line;
  }
  if (before !== undefined) yield `${before}${padding.end()}\n`;
}

// The client always writes these with a fraction, `3.0`, and refuses a `remaining_percent` without
// one.
const wholePercent = /("(?:\w+_)?(?:used|ratio)_percent":-?\d+)(?=[,}])/g;

/** A record as the client writes it, so that what follows is where other files say. */
function lineOf(record: JsonObject): string {
  const line = stringifyJson(record);
  const isUsage = objectAt(record, "payload")["type"] === "token_count";
  return isUsage ? line.replaceAll(wholePercent, "$1.0") : line;
}

/**
 * The length in bytes of these messages' records in their file; a few bytes less than the original.
 */
export function bytesOf(messages: readonly Message[]): number {
  let bytes = 0;
  for (const line of lines(messages)) bytes += Buffer.byteLength(line);
  return bytes;
}

function* records(messages: readonly Message[]): Generator<JsonObject> {
  const orders = new KeyOrders();
  for (let at = 0; at < messages.length; ) {
    const end = recordEnd(messages, at);
    const record = restoreRecord(messages.slice(at, end), orders);
    if (record) yield record;
    at = end;
  }
}

/**
 * The index after the record of this message: the record's other blocks follow its first message.
 */
export function recordEnd(messages: readonly Message[], at: number): number {
  let end = at + 1;
  while (sourceOf(messages[end] ?? { options: {} })["continues"] !== undefined) end++;
  return end;
}
