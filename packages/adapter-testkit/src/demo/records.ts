import type { MessageEvent, Micros, PartEvent, ReadEvent, SessionEvent } from "@pond/canonical";
import {
  ContentIds,
  carrierEvent,
  type Extracted,
  messageEvent,
  positionId,
  type SourceRecord,
  sessionEvent,
  textPart,
  toolCallPart,
  toolResultPart,
} from "@pond/canonical/adapter";

/** Turns the records of one file into events: the head first, then whatever each one maps to. */
export function recordReader(path: string): (record: SourceRecord) => readonly ReadEvent[] {
  const [ids, seen] = [new ContentIds(), new Set<unknown>()];
  let head: { readonly event: SessionEvent; readonly time: Extracted<Micros> } | undefined;
  return (record) => {
    if (head === undefined) {
      head = readHead(record, path);
      return [head.event];
    }
    const key = record.peek("id");
    // A record needs an id of its own. One that has none, or another's, is carried whole.
    const events = seen.has(key) ? undefined : readRecord(head.event, record);
    if (events) {
      seen.add(key);
      return events;
    }
    const timestamp = record.timestamp("at") ?? head.time;
    const init = { id: ids.next(record), timestamp, record: record.whole(), source: {} };
    return [carrierEvent(head.event, init)];
  };
}

function readHead(
  record: SourceRecord,
  path: string,
): { readonly event: SessionEvent; readonly time: Extracted<Micros> } {
  const time = record.requireTimestamp("at");
  const event = sessionEvent({
    id: record.requireString("id"),
    parentSessionId: record.id("parent"),
    sourceAgent: "demo",
    createdAt: time,
    project: record.requireString("cwd"),
    source: { path, rest: record.rest() },
    records: 1,
  });
  return { event, time };
}

const roles = {
  user: "user",
  note: "user",
  assistant: "assistant",
  call: "assistant",
  result: "tool",
} as const;

function readRecord(session: SessionEvent, record: SourceRecord): readonly ReadEvent[] | undefined {
  const kind = record.peek("role");
  if (!isKind(kind)) return undefined;
  const [id, timestamp] = [record.id("id"), record.timestamp("at")];
  const toPart = partReaders[kind](record);
  if (!id || !timestamp || !toPart) return undefined;
  const message = messageEvent(session, roles[kind], {
    id,
    timestamp,
    source: { rest: record.rest() },
  });
  return [message, toPart(message)];
}

type PartOf = (message: MessageEvent) => PartEvent;

/** Reads one kind of record each; undefined if the record lacks something. */
const partReaders: Readonly<
  Record<keyof typeof roles, (record: SourceRecord) => PartOf | undefined>
> = {
  user: (record) => readText(record, "conversational"),
  assistant: (record) => readText(record, "conversational"),
  note: (record) => readText(record, "injected"),
  call: (record) => {
    const [callId, name] = [record.string("call"), record.string("name")];
    const params = record.json("params");
    if (!callId || !name || !params) return undefined;
    const part = { ...said, callId, name, params, isProviderExecuted: false };
    return (message) => toolCallPart(message, part);
  },
  result: (record) => {
    const [callId, result] = [record.string("call"), record.json("result")];
    const isFailure = record.boolean("failed");
    if (!callId || !result || !isFailure) return undefined;
    const part = { ...said, provenance: "injected", callId, result, isFailure } as const;
    return (message) => toolResultPart(message, part);
  },
};

const said = { id: positionId(0), provenance: "conversational" } as const;

function readText(
  record: SourceRecord,
  provenance: "conversational" | "injected",
): PartOf | undefined {
  const text = record.string("text");
  return text && ((message) => textPart(message, { ...said, provenance, text }));
}

function isKind(value: unknown): value is keyof typeof roles {
  return typeof value === "string" && Object.hasOwn(roles, value);
}
