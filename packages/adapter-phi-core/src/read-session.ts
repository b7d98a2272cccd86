import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { JsonObject, ReadEvent } from "@pond/canonical";
import { isJsonObject, SourceFault } from "@pond/canonical";
import {
  ContentIds,
  carrierEvent,
  fileFault,
  isSystemError,
  objectOf,
  openRecord,
  type RecordCount,
  type SourceRecord,
  sessionEvent,
} from "@pond/canonical/adapter";
import { inOrderOfStart, latePlaces } from "./loop-order.ts";
import { contentOf, isLive, type Loop, type LoopContent, type LoopList, loopsOf } from "./loops.ts";
import { readMessage } from "./messages.ts";
import { origin } from "./origin.ts";
import { hasFileBeside, isFileName } from "./parent-file.ts";
import { fieldsIn, messageText, SeenMessages } from "./seen-messages.ts";
import { SessionFile, UnreadableFile, unreadable } from "./session-file.ts";

/**
 * The events of one session: what it says about itself, then each loop and its messages. A loop
 * that is still running is left for the next time.
 */
export function* readSession(
  file: string,
  now: number,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  count?.add(1);
  let opened: OpenedSession;
  try {
    opened = openSession(file, now);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield { ...unreadable(file, error), records: 1 };
    return;
  }
  const { session } = opened;
  try {
    const own = originalFileOf(file, session.head, now);
    if (own !== undefined) {
      const reason = `a second file of session ${session.head["session_id"]}, which ${own} holds: not ingested`;
      // Once that file is gone, this one is the session's, and looks the same.
      yield { ...fileFault(origin, file, reason), records: 1, isRetryable: true };
      return;
    }
    yield* readDocument(file, opened, now, count);
  } catch (error) {
    if (error instanceof SourceFault) yield { kind: "fault", fault: error };
    // What was read is counted; nobody knows how much is left.
    else if (error instanceof UnreadableFile) yield { ...unreadable(file, error), records: 0 };
    else throw error;
  } finally {
    session.close();
  }
}

type OpenedSession = LoopList & { readonly session: SessionFile };

/** Opens a file of which all is JSON. @throws {UnreadableFile} */
function openSession(file: string, now: number): OpenedSession {
  const session = new SessionFile(file, now);
  try {
    return { session, ...loopsOf(session, file, now) };
  } catch (error) {
    session.close();
    throw error;
  }
}

/**
 * The other file, with the name that the library uses, that holds the same session: this one is a
 * copy.
 */
function originalFileOf(
  file: string,
  { session_id: id }: JsonObject,
  now: number,
): string | undefined {
  if (typeof id !== "string" || !isFileName(id) || basename(file) === `${id}.json`)
    return undefined;
  const own = join(dirname(file), `${id}.json`);
  try {
    // The names are compared, too, because where case does not matter it may be this very file.
    // Anything but a regular file, such as a link, is not read as a session either.
    const isFile = lstatSync(own, { throwIfNoEntry: false })?.isFile() ?? false;
    if (!isFile || !readdirSync(dirname(file)).includes(basename(own))) return undefined;
    const { session } = openSession(own, now);
    session.close();
    return session.head["session_id"] === id ? basename(own) : undefined;
  } catch (error) {
    // An id can be too long for a name, and a file beside this one can be unreadable.
    if (isSystemError(error) || error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

function* readDocument(
  file: string,
  { session: document, loops, unkept }: OpenedSession,
  now: number,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  const at = { adapter: origin, uri: file, record: "session" };
  const head = openRecord(at, document.head, { encodedBytes: document.headBytes });
  const named = openRecord(at, document.head, { encodedBytes: document.headBytes });
  const { parent, unresolved } = parentOf(file, document.head);
  const place = openRecord(at, {
    path: basename(file),
    head: "session",
    ...(parent !== undefined && { parent }),
  });
  const id = head.id("session_id");
  if (id === undefined) throw new SourceFault(at, "the session id holds a lone surrogate");
  const createdAt = named.requireTimestamp("created_at");
  const session = sessionEvent({
    id,
    parentSessionId: place.id("parent"),
    unresolved,
    sourceAgent: origin,
    createdAt,
    // The format has no directory; sessions of one agent belong together.
    project: named.requireString("agent_id"),
    source: { path: place.requireString("path") },
  });
  yield session;
  yield carrierEvent(session, {
    id: place.requireString("head"),
    timestamp: createdAt,
    record: head.rest(),
    source: { head: true },
  });
  const ids = new ContentIds();
  const seen = new SeenMessages();
  const mayChange = isLive(document.head, loops, now);
  const isPending = (loop: Loop): boolean => loop.isRunning && mayChange;
  const places = latePlaces(loops.filter((loop) => !isPending(loop)));
  for (const fault of unkept) {
    count?.add(1);
    yield { kind: "fault", fault, records: 1 };
  }
  for (const loop of inOrderOfStart(loops)) {
    const content = contentOf(document, file, loop);
    const { record } = content;
    const messages = messagesIn(content);
    count?.add(1 + messages.length);
    if (isPending(loop)) {
      yield {
        kind: "pending",
        location: `${file}: ${loop.loopId}`,
        reason: "the loop is running",
        records: 1 + messages.length,
      };
      // What it says will be its own once it has ended, even if a later loop repeats it.
      for (const message of messages) seen.note(message, messageText(message), loop);
      continue;
    }
    const anchor = openRecord(at, fieldsIn(record)).timestamp("started_at") ?? createdAt;
    const names = openRecord(at, { loop: `loop:${loop.key}` });
    yield carrierEvent(session, {
      id: names.requireString("loop"),
      timestamp: anchor,
      record: record.rest(),
      source: {
        loop: loop.key,
        place: places.get(loop.key),
        messages: content.messages ? true : undefined,
        boundary: loop.isCompaction ? "compaction" : undefined,
      },
    });
    const isDerived = content.derived.length > 0;
    const common = { session, anchor, loop, isDerived, ids, seen };
    for (const [index, message] of messages.entries()) {
      yield* readMessage(message, { ...common, isFirst: index === 0 });
    }
  }
}

function messagesIn({ messages = [], derived }: LoopContent): readonly SourceRecord[] {
  return derived.length > 0 ? derived : messages;
}

/**
 * The session that spawned this one. A continued loop without a session in its id makes the library
 * write a reference to a loop: it names no tool call, and no session file has that name.
 */
function parentOf(
  file: string,
  document: JsonObject,
): { readonly parent?: string; readonly unresolved?: "parent" } {
  const spawn = document["parent_spawn_ref"];
  if (!isJsonObject(spawn)) return {};
  const { parent_session_id: parent, tool_call_id: call } = objectOf(spawn);
  if (typeof parent !== "string" || parent === "" || parent === document["session_id"]) return {};
  const hasCall = typeof call === "string" && call !== "";
  return hasCall || hasFileBeside(file, parent) ? { parent } : { unresolved: "parent" };
}
