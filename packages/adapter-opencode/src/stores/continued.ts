import type { FaultEvent } from "@pond/canonical";
import { type Stored, type StoredMessage, type StoredSession, updatedOf } from "./stored.ts";

/**
 * A session of 1.x that continued in 2.x. The client copied its log there once, with losses, and
 * left the original in place. The original is the record; of the copy only what came after it
 * counts, and changes of the session itself.
 *
 * @param copiedMs - When the client began to copy; undefined if no store says.
 */
export function continuedIn(
  first: StoredSession,
  second: StoredSession,
  copiedMs: number | undefined,
): StoredSession {
  const { known, isWhole } = knownMessagesOf(first);
  const all = [...second.messages()];
  const later = all.slice(lastCopyIndex(all, known, isWhole, copiedMs) + 1);
  if (later.length === 0 && !isEdited(first, second)) return first;
  const copies = all.slice(0, all.length - later.length);
  const without = later.length === 0 ? undefined : firstDropped(copies, known, copiedMs);
  return {
    ...first,
    newestMs: Math.max(first.newestMs, second.newestMs),
    continued: { record: second.record, row: second.row, without },
    faults: [...(first.faults ?? []), ...(second.faults ?? [])],
    messages: function* (count) {
      yield* first.messages(count);
      for (const event of later) {
        count?.add(event.records ?? 1);
        yield event;
      }
    },
  };
}

/** What counts about a message of 1.x. */
type MessageFacts = {
  readonly createdMs: number | undefined;
  /** True if no copy has it. */
  readonly isNotCopied: boolean;
};

/** The messages of a session, by their ids and in order. */
type Messages = ReadonlyMap<string, MessageFacts>;

type KnownMessages = {
  readonly known: Messages;
  /** False if some cannot be read: nothing distinguishes these from deleted ones. */
  readonly isWhole: boolean;
};

function knownMessagesOf(session: StoredSession): KnownMessages {
  const known = new Map<string, MessageFacts>();
  const commands = new Set<unknown>();
  let isWhole = true;
  for (const event of session.messages()) {
    if (event.kind === "message" && !event.isCut) {
      if (event.parts.some(isCommand)) commands.add(idOf(event));
      known.set(idOf(event), {
        createdMs: createdMs(event),
        isNotCopied: isNotCopied(event, commands),
      });
    } else isWhole = false;
  }
  return { known, isWhole };
}

/**
 * True for messages that the client does not copy. A summary becomes one record together with the
 * prompt to compact, under that prompt's id; a command that started an agent is not copied, nor is
 * the agent's call.
 *
 * @param commands - The prompts with a command that started an agent.
 */
function isNotCopied({ record, parts }: StoredMessage, commands: ReadonlySet<unknown>): boolean {
  if (record.peek("summary") === true) return true;
  return commands.has(record.peek("parentID"))
    ? parts.some((part) => part.record.peek("tool") === "task")
    : parts.length > 0 && parts.every(isCommand);
}

function isCommand({ record }: Stored): boolean {
  return record.peek("type") === "subtask";
}

function idOf({ record }: StoredMessage): string {
  const id = record.peek("id");
  return typeof id === "string" ? id : "";
}

function createdMs({ record }: StoredMessage): number | undefined {
  const created = record.record("time")?.peek("created");
  return typeof created === "number" ? created : undefined;
}

/** Where the copy ends: 1.x may have deleted the last copied messages since. */
function lastCopyIndex(
  events: readonly (StoredMessage | FaultEvent)[],
  known: Messages,
  isWhole: boolean,
  copiedMs = 0,
): number {
  const isKnown = (message: StoredMessage) => known.has(idOf(message));
  // A session imported from a file of 2.x has nothing of 1.x, however old it is.
  const hasCopy = events.some((event) => event.kind === "message" && isKnown(event));
  const prefixes = idPrefixesOf(known.keys());
  let last = -1;
  for (const [index, event] of events.entries()) {
    if (event.kind === "fault") continue;
    const prefix = idPrefixOf(event);
    // A message without a time may have come later.
    const isDeleted = isWhole && hasCopy && (createdMs(event) ?? copiedMs) < copiedMs;
    const isCopy = isKnown(event) || isDeleted;
    if (isCopy || (isGenerated(event) && prefixes.has(prefix))) last = index;
    if (isWhole) prefixes.add(prefix);
  }
  return last;
}

/**
 * The first characters of an id: messages that the client makes in addition have the same ones, and
 * a hash.
 */
function idPrefixOf(message: StoredMessage): string {
  return idOf(message).slice(0, idPrefixLength);
}

function idPrefixesOf(ids: Iterable<string>): Set<string> {
  return new Set([...ids].map((id) => id.slice(0, idPrefixLength)));
}

const idPrefixLength = 16;

/**
 * True for messages that the client makes in addition: from the synthetic texts of a prompt, and
 * the notice after the log.
 */
function isGenerated({ record }: StoredMessage): boolean {
  const type = record.peek("type");
  return type === "synthetic" || type === "system";
}

/**
 * True if 2.x has another title, an archived time or a revert of its own, which the copy lacks.
 * What is changed there is newer than the copy; otherwise 1.x changed it since.
 */
function isEdited(first: StoredSession, second: StoredSession): boolean {
  if (updatedOf(second) <= updatedOf(first)) return false;
  const title = second.record.peek("title");
  const archived = second.record.record("time")?.peek("archived");
  return (
    (title !== undefined && title !== first.record.peek("title")) ||
    (archived !== undefined && archived !== first.record.record("time")?.peek("archived")) ||
    second.record.peek("revert") !== undefined
  );
}

/**
 * The first message of 1.x that 2.x continued without, because a revert there removes the end of
 * the copy. What 1.x said after the copy was never there. A database that pond restored has no
 * copy.
 */
function firstDropped(
  copies: readonly (StoredMessage | FaultEvent)[],
  known: Messages,
  copiedMs = Number.POSITIVE_INFINITY,
): string | undefined {
  const messages = copies.filter((event) => event.kind === "message");
  const last = messages.findLastIndex((message) => known.has(idOf(message)));
  const lastCopied = messages[last];
  if (lastCopied === undefined) return undefined;
  const prefixes = idPrefixesOf(known.keys());
  // After the notice, and after a message that 1.x deleted since, nothing of the copy is missing.
  const isWhole = messages.slice(last + 1).some((message) => {
    return message.record.peek("type") === "system" || !prefixes.has(idPrefixOf(message));
  });
  const place = [...known.keys()].indexOf(idOf(lastCopied));
  const [next, facts] = [...known].slice(place + 1).find(([, each]) => !each.isNotCopied) ?? [];
  const isAfter = (facts?.createdMs ?? 0) >= copiedMs;
  return isWhole || isAfter ? undefined : next;
}
