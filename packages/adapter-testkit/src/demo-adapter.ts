import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import type { JsonObject, JsonValue, Message, Micros, ReadEvent, Session } from "@pond/canonical";
import { isJsonObject, partsOf, SourceFault, stringifyJson, toRfc3339 } from "@pond/canonical";
import * as seam from "@pond/canonical/adapter";

/** Reads a folder of JSON Lines files: the session's head, then a turn a line. */
export function fromDemo(folder: string): seam.Reader {
  const fingerprint = async (key: string): Promise<string | undefined> =>
    (await stat(`${folder}/${key}`).catch(() => undefined))?.size.toString();
  const sessions = async function* (): AsyncGenerator<seam.SourceSession> {
    for (const key of await readdir(folder))
      yield { kind: "source", key, fingerprint: (await fingerprint(key)) ?? "", bytes: 0 };
  };
  return { origin: "demo", sessions, fingerprint, read: (key) => readFile(folder, key) };
}

async function* readFile(folder: string, uri: string): AsyncGenerator<ReadEvent> {
  const toEvents = recordReader(uri);
  const chunks = createReadStream(`${folder}/${uri}`);
  for await (const batch of seam.readRecords(chunks, { adapter: "demo", uri }))
    for (const event of batch) {
      try {
        if (event.kind === "record") yield* toEvents(event.record);
        else yield event;
      } catch (error) {
        if (!(error instanceof SourceFault)) throw error;
        yield { kind: "fault", fault: error };
      }
    }
}

function recordReader(file: string): (record: seam.SourceRecord) => Iterable<ReadEvent> {
  const [ids, seen] = [new seam.ContentIds(), new Set<unknown>()];
  let session: ReturnType<typeof seam.sessionEvent> | undefined;
  let started: seam.Extracted<Micros> | undefined;
  return (record) => {
    const timestamp = record.timestamp("at") ?? started ?? record.requireTimestamp("at");
    if (!session) {
      const [id, project] = [record.requireString("id"), record.requireString("cwd")];
      const source = { file, rest: record.rest() };
      started = timestamp;
      session = seam.sessionEvent({
        id,
        sourceAgent: "demo",
        createdAt: timestamp,
        project,
        source,
      });
      return [session];
    }
    const [key, role, time] = [record.peek("id"), record.peek("role"), record.peek("at")];
    const [id, text] = seen.has(key) || !time ? [] : [record.id("id"), record.string("text")];
    if (!id || !text || (role !== "user" && role !== "assistant"))
      return [
        seam.carrierEvent(session, {
          id: ids.next(record),
          timestamp,
          record: record.whole(),
          source: {},
        }),
      ];
    seen.add(key);
    const source = { rest: record.rest() };
    const message = seam.messageEvent(session, role, { id, timestamp, source });
    const part = { id: seam.positionId(0), provenance: "conversational", text } as const;
    return [message, seam.textPart(message, part)];
  };
}

/** Writes such files. A native one gets back every field that the reader found. */
export const toDemo: seam.Writer = {
  origin: "demo",
  writeNative: ({ root, descendants }) => [root, ...descendants].map(writeNative),
  writeForeign: ({ root, descendants }) => [root, ...descendants].map(writeForeign),
};

function writeNative({ session, messages }: seam.SessionContent): seam.RestoredFile {
  const { file, rest } = fields(session.options["source"]);
  const records = messages.map((message) => {
    const { record, rest } = fields(message.options["source"]);
    return record ?? { ...turn(message), ...fields(rest) };
  });
  const content = lines([{ ...head(session), ...fields(rest) }, ...records]);
  return { session: session.id, path: String(file), content };
}

function writeForeign({ session, messages }: seam.SessionContent): seam.RestoredFile {
  const turns = messages.filter(({ role }) => role === "user" || role === "assistant");
  const fidelity: Record<string, { kept: number; translated: number; dropped: number }> = {};
  for (const { type } of messages.flatMap(partsOf)) {
    fidelity[type] ??= { kept: 0, translated: 0, dropped: 0 };
    fidelity[type][type === "text" ? "kept" : "dropped"] += 1;
  }
  const content = lines([head(session), ...turns.map(turn)]);
  const path = `${encodeURIComponent(session.id)}.jsonl`;
  return { session: session.id, path, content, fidelity };
}

function head({ id, project, created_at }: Session): JsonObject {
  return { id, cwd: project, at: toRfc3339(created_at) };
}

function turn(message: Message): JsonObject {
  const text = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
  const { id, role, timestamp } = message;
  return { id, role, at: toRfc3339(timestamp), text: text.join("") };
}

function lines(records: readonly JsonValue[]): string[] {
  return records.map((record) => `${stringifyJson(record)}\n`);
}

function fields(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
