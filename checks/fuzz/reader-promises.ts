import { fail, ok, strictEqual } from "node:assert/strict";
import { contentOf, eventText, firstDifference, restoredFiles } from "@pond/adapter-testkit";
import {
  isJsonObject,
  type JsonValue,
  messageFromWire,
  messageToWire,
  parseJson,
  type ReadEvent,
  recordCountOf,
  sessionFromWire,
  sessionToWire,
} from "@pond/canonical";
import {
  type Adapter,
  objectOf,
  type Reader,
  RecordCount,
  type SessionContent,
  splitJoinedRecords,
} from "@pond/canonical/adapter";
import type { Files, IsLines } from "./mutate-files.ts";

/** An adapter, and the kinds of its files. */
export type Reading = {
  readonly adapter: Adapter;
  readonly isLines: IsLines;
  /** True for a file that is one JSON value, which stays equal; other files keep their bytes. */
  readonly isDocument: (path: string) => boolean;
};

/** Checks every promise of a reader, for a folder that holds these files. */
export async function checkFolder(reading: Reading, files: Files, folder: string): Promise<void> {
  const { adapter } = reading;
  const first = await readAll(adapter.from(folder));
  // Done only now and then, because it costs as much as all the rest.
  if (runs++ % 8 === 0) {
    const second = await readAll(adapter.from(folder));
    strictEqual(first.join("\n"), second.join("\n"), "reads the same twice");
  }
  for (const events of first.sessions) checkSession(reading, files, events);
  // What the client would refuse is returned, and never thrown.
  adapter.problems?.(files);
}

let runs = 0;

class Listing extends Array<string> {
  readonly sessions: (readonly ReadEvent[])[] = [];
}

async function readAll(reader: Reader): Promise<Listing> {
  const listing = new Listing();
  for await (const found of reader.sessions()) {
    if (found.kind === "fault") {
      listing.push(eventText(found));
      continue;
    }
    const { key } = found;
    const fingerprint = await reader.fingerprint(key).catch(refused);
    ok(fingerprint !== undefined, `${key} is listed and has no fingerprint`);
    const count = new RecordCount();
    const events = await Array.fromAsync(reader.read(key, undefined, count));
    const accounted = events.reduce((sum, event) => sum + recordCountOf(event), 0);
    const read = count.records ?? 0;
    strictEqual(accounted, read, `${key}: ${read} records read, and ${accounted} accounted for`);
    listing.sessions.push(events);
    listing.push(key, ...events.map(eventText));
  }
  return listing;
}

/** The system and SQLite may refuse a file. Any other error is a mistake of the reader. */
function refused(error: unknown): string {
  if (error instanceof Error && ("syscall" in error || "errcode" in error)) return error.message;
  throw error;
}

/** Events fit the model, survive the wire, and give back every record. */
function checkSession(
  { adapter: { to }, isLines, isDocument }: Reading,
  files: Files,
  events: readonly ReadEvent[],
): void {
  if (!events.some(({ kind }) => kind === "session")) return;
  const content = contentOf(events);
  const session = sessionFromWire(sessionToWire(content.session) as never);
  const messages = content.messages.map((message) =>
    messageFromWire(messageToWire(message) as never),
  );
  const root: SessionContent = { session, messages };
  const written = [...to.writeNative({ root, descendants: [] })];
  const shared = new Set(written.flatMap(({ path, shared }) => (shared ? path : [])));
  const restored = restoredFiles(written);
  const isWhole = events.every(({ kind }) => kind !== "fault" && kind !== "pending");
  for (const [path, bytes] of restored) {
    const source = files.get(path);
    if (source === undefined) continue;
    if (isLines(path)) {
      const all = recordsIn(source);
      // In a file that sessions share, only the records that name this session.
      const own = all.filter((each) => !shared.has(path) || objectOf(each)["id"] === session.id);
      compareRecords(path, own, recordsIn(Buffer.from(bytes)));
    } else if (isDocument(path)) {
      if (isWhole) compare(path, parse(source), parse(bytes));
    } else ok(source.equals(bytes), `${path} is restored with other bytes`);
  }
}

function compareRecords(
  path: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  for (const [at, record] of before.entries()) {
    const own = after[at];
    if (own === undefined) fail(`${path}: record ${at + 1} is not restored`);
    compare(`${path}: record ${at + 1}`, record, own);
  }
  strictEqual(after.length, before.length, `${path}: records restored`);
}

/** The records of a log, found by other means than the reader's, except if they share a line. */
function recordsIn(bytes: Buffer): readonly JsonValue[] {
  const text = bytes.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const isLast = at === lines.length - 1;
    const own = isLast ? line : line.replace(/\r$/, "");
    // A power cut leaves zeros around a record.
    const inner = own.replace(/^\0+/, "").replace(/\0+$/, "");
    const whole = valueIn(inner);
    if (whole !== undefined) return isJsonObject(whole) ? [whole] : [];
    const pieces = splitJoinedRecords(inner).map(({ from, end }) =>
      valueIn(inner.slice(from, end)),
    );
    return pieces.filter((piece) => piece !== undefined && isJsonObject(piece));
  });
}

/** @param text - One character for each byte. */
function valueIn(text: string): JsonValue | undefined {
  try {
    return parseJson(decoder.decode(Buffer.from(text, "latin1")));
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function compare(place: string, expected: JsonValue, actual: JsonValue): void {
  const difference = firstDifference(expected, actual);
  if (difference !== undefined) fail(`${place}: ${difference}`);
}

function parse(bytes: Uint8Array): JsonValue {
  return parseJson(
    Buffer.from(bytes)
      .toString()
      .replace(/^\ufeff/, ""),
  );
}
