import type { FaultEvent, MessageEvent, ReadEvent, SessionEvent } from "@pond/canonical";
import {
  carrierEvent,
  type Extracted,
  type RecordCount,
  type SourceRecord,
  sessionEvent,
  sourceOf,
  suffixedId,
} from "@pond/canonical/adapter";
import { recordFault } from "./faults.ts";
import { type CheckedMessage, createOpenCheck, isIdle, isStep } from "./open-messages.ts";
import { origin } from "./origin.ts";
import { MessageIds, type Reading } from "./records/envelope.ts";
import { readMessage } from "./records/message.ts";
import { pathIn } from "./stores/siblings.ts";
import type { StoredMessage, StoredSession } from "./stores/stored.ts";

/**
 * The events of one session: the session itself, a carrier of what the client keeps about it, its
 * messages in order, and the lists beside them.
 */
export function* readSession(
  stored: StoredSession,
  nowMs: number,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  const records = stored.continued ? 2 : 1;
  count?.add(records);
  const head = headOf(stored);
  if (stored.isCut && (head === undefined || !isIdle(stored, nowMs))) {
    // Its file may still be being written, or no session can be made of what is left.
    const isRetryable = !isIdle(stored, nowMs);
    let lost = records;
    for (const event of stored.messages(count)) lost += event.records ?? 1;
    for (const event of stored.faults ?? []) {
      yield { ...event, records: lost, ...(isRetryable && { isRetryable }) };
      // Whatever else is wrong with the session, it is lost once.
      lost = 0;
    }
    return;
  }
  if (head === undefined) {
    const { uri, record } = stored.record.at;
    const reason = "no working directory or no time: not ingested (`model-project-non-empty`)";
    let lost = records;
    for (const event of stored.messages(count)) lost += event.records ?? 1;
    yield { ...recordFault(uri, String(record), reason), records: lost };
    return;
  }
  const { session, id, createdAt } = head;
  yield session;
  yield infoEvent(stored, head);
  yield* stored.faults ?? [];
  const reading: Reading = { session, anchor: createdAt, ids: new MessageIds() };
  yield* readMessages(stored, reading, nowMs, count);
  for (const side of stored.sides(count)) {
    if (side.kind === "fault") yield side;
    else {
      const [source, record] = [{ side: side.name }, side.record.whole()];
      const init = { id: suffixedId(id, side.name), timestamp: createdAt, source, record };
      yield carrierEvent(session, init);
    }
  }
}

type Head = {
  readonly session: SessionEvent;
  readonly id: Extracted<string>;
  readonly createdAt: NonNullable<ReturnType<SourceRecord["milliseconds"]>>;
};

function headOf(stored: StoredSession): Head | undefined {
  const { record, isCut, continued } = stored;
  const id = record.id("id");
  // If its own record is broken, 2.x may have continued with a copy of it.
  const known = isCut && continued ? continued.record : record;
  const created = known.record("time")?.milliseconds("created");
  const createdAt = created ?? (isCut ? firstTime(stored) : undefined);
  const project = projectOf(stored);
  if (id === undefined || createdAt === undefined || project === undefined) return undefined;
  const fork = stored.schema === 2 ? record.record("fork") : undefined;
  const cut = fork?.record("boundary")?.id("messageID");
  const parent = fork?.id("sessionID") ?? known.id("parentID");
  const isFork = fork?.peek("sessionID") !== undefined;
  const session = sessionEvent({
    id,
    parentSessionId: parent,
    parentMessageId: parent && cut,
    sourceAgent: origin,
    createdAt,
    project,
    source: { relation: isFork ? "fork" : undefined },
    unresolved: isCut && parent === undefined ? "parent" : undefined,
  });
  return { session, id, createdAt };
}

/** When the first message was made. */
function firstTime(stored: StoredSession): Head["createdAt"] | undefined {
  for (const event of stored.messages()) {
    const found = event.kind === "message" ? createdIn(event.record) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Messages of 2025 have their times in `metadata`. */
function createdIn(message: SourceRecord): Head["createdAt"] | undefined {
  const time = message.record("time") ?? message.record("metadata")?.record("time");
  return time?.milliseconds("created");
}

/**
 * What the client keeps about the session, carried whole: title, model and costs change with every
 * turn, and a later value of a message becomes a revision.
 */
function infoEvent(stored: StoredSession, { session, id, createdAt }: Head): MessageEvent {
  const { store, schema, path, row, continued, isCut } = stored;
  const event = carrierEvent(session, {
    id: suffixedId(id, "info"),
    timestamp: createdAt,
    source: {
      store,
      schema,
      path,
      row: row?.whole(),
      continued: continued?.record.whole(),
      "continued.row": continued?.row?.whole(),
      "continued.without": continued?.without,
      cut: isCut,
    },
    record: stored.record.whole(),
    records: (isCut ? 0 : 1) + (continued ? 1 : 0),
  });
  if (!isCut) return event;
  // The stored value may have come with the file.
  const isStoredComplete: MessageEvent["isStoredComplete"] = (stored) => {
    const known = sourceOf(stored);
    const hasMore = continued === undefined && known["continued"] !== undefined;
    return known["cut"] !== true || hasMore;
  };
  return { ...event, isIncomplete: true, isStoredComplete };
}

/**
 * The directory that a session names, or its project's, or the first one that its messages name, or
 * the one that its siblings agree on, because names of two projects may map to one folder.
 */
function projectOf(stored: StoredSession): Extracted<string> | undefined {
  const holder = stored.schema === 2 ? stored.record.record("location") : stored.record;
  const later = stored.isCut ? stored.continued?.record.record("location") : undefined;
  const own =
    nonEmptyString(holder, "directory") ??
    nonEmptyString(later, "directory") ??
    nonEmptyString(stored.worktree(), "worktree", "/");
  if (own) return own;
  for (const event of stored.messages()) {
    if (event.kind === "fault") continue;
    const path = pathIn(event.record);
    const found = nonEmptyString(path, "cwd") ?? nonEmptyString(path, "root");
    if (found) return found;
  }
  const paths = [...(stored.siblingPaths?.() ?? [])];
  const roots = new Set(paths.map((path) => path.peek("root")));
  return roots.size === 1 ? nonEmptyString(paths[0], "root", "/") : undefined;
}

function nonEmptyString(
  record: SourceRecord | undefined,
  key: string,
  not = "",
): Extracted<string> | undefined {
  const value = record?.peek(key);
  return value === "" || value === not ? undefined : record?.string(key);
}

function* readMessages(
  stored: StoredSession,
  reading: Reading,
  nowMs: number,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  const openReasonOf = createOpenCheck(stored, nowMs);
  // Messages from the first open one on, until a later step proves that it ended.
  let deferred: (CheckedMessage | FaultEvent)[] = [];
  const open = new Set<CheckedMessage>();
  for (const event of stored.messages(count)) {
    if (event.kind === "fault") {
      if (deferred.length > 0) deferred.push(event);
      else yield event;
      continue;
    }
    if (isStep(event)) {
      for (const each of open) if (isEnded(each, event, stored)) open.delete(each);
      if (open.size === 0) {
        for (const each of deferred) yield* release(each, reading, open);
        deferred = [];
      }
    }
    const checked = { message: event, open: openReasonOf(event) };
    if (checked.open !== undefined) open.add(checked);
    if (open.size === 0) yield* readMessage(event, reading);
    else deferred.push(checked);
  }
  for (const each of deferred) yield* release(each, reading, open);
}

/**
 * True for a message that a later step proves to have ended. Side by side, 1.x and 2.x do not wait
 * for each other.
 */
function isEnded(
  { message }: CheckedMessage,
  { schema }: StoredMessage,
  { isMixed }: StoredSession,
): boolean {
  return isMixed !== true || message.schema === schema;
}

function* release(
  deferred: CheckedMessage | FaultEvent,
  reading: Reading,
  open: ReadonlySet<CheckedMessage>,
): Generator<ReadEvent> {
  if ("kind" in deferred) yield deferred;
  else if (deferred.open === undefined || !open.has(deferred))
    yield* readMessage(deferred.message, reading);
  else {
    const { message, open: reason } = deferred;
    yield {
      kind: "pending",
      location: placeOf(message),
      reason,
      records: message.records,
    };
  }
}

function placeOf({ record }: StoredMessage): string {
  return `${record.at.uri}:${record.at.record}`;
}
