import {
  fromRfc3339,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Micros,
  SourceFault,
  type SourceLocation,
} from "@pond/canonical";
import { leftAloneMs, objectOf, openRecord, type SourceRecord } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { isRestoredLoop } from "./restored-loop.ts";
import { messageText } from "./seen-messages.ts";
import { type SessionFile, UnkeptValue } from "./session-file.ts";

/** One loop of a session file, without its content. */
export type Loop = {
  /**
   * Names the loop within its session. Loop ids alone do not, because branches and compactions
   * share them.
   */
  readonly key: string;
  readonly loopId: string;
  /** Its place in the file. */
  readonly index: number;
  /** When it began, or when the loop before it did if it does not say. */
  readonly startedAt: Micros;
  /** The newest time in it, in ms; 0 if it has none. */
  readonly newestMs: number;
  readonly isRunning: boolean;
  /** True if the model's context was replaced by a shorter one before or in this loop. */
  readonly isCompaction: boolean;
  /** True if a restore wrote it: it repeats nothing, whatever was said twice at one time. */
  readonly isRestored: boolean;
};

/** What is in a loop. */
export type LoopContent = {
  readonly record: SourceRecord;
  /** Its messages; undefined if they are not a list of objects, and stay in the record. */
  readonly messages: readonly SourceRecord[] | undefined;
  /** What was said, if a loop that broke off has it only in its turns and events. */
  readonly derived: readonly SourceRecord[];
};

/** What {@link loopsOf} finds. */
export type LoopList = { readonly loops: readonly Loop[]; readonly unkept: readonly SourceFault[] };

/**
 * The loops of a session in file order, and the faults of those that are not kept. Each is read
 * once, so what is not JSON shows before anything of the file is stored.
 */
export function loopsOf(session: SessionFile, file: string, nowMs: number): LoopList {
  const seen = new Map<string, number>();
  const loops: Loop[] = [];
  const unkept: SourceFault[] = [];
  let startedAt: Micros = 0n;
  for (let index = 0; index < session.length; index++) {
    const value = keptLoop(session, index);
    if (value instanceof UnkeptValue) {
      unkept.push(new SourceFault(placeOf(file, index), value.message));
      continue;
    }
    const { loop_id: id, started_at: start } = value;
    const loopId = typeof id === "string" ? id : "";
    // A loop that says neither who it is nor since when is known by its content.
    const name = typeof id === "string" && typeof start === "string" ? `${id}@${start}` : "";
    const isNamed = name !== "" && name.isWellFormed();
    const started = isNamed ? name : openRecord(placeOf(file, index), value).digest();
    const count = seen.get(started) ?? 0;
    seen.set(started, count + 1);
    startedAt = (typeof start === "string" ? fromRfc3339(start) : undefined) ?? startedAt;
    const hasNewContext = isCompaction(value);
    loops.push({
      key: count === 0 ? started : `${started}.${count}`,
      loopId,
      index,
      startedAt,
      newestMs: newestOf(timesIn(value), nowMs),
      isRunning: value["status"] === "Running" && (value["ended_at"] ?? null) === null,
      isCompaction: hasNewContext,
      // A compaction takes the id of the loop before it.
      isRestored: isRestoredLoop(loopId) && !hasNewContext,
    });
  }
  return { loops, unkept };
}

function keptLoop(session: SessionFile, index: number): JsonObject | UnkeptValue {
  try {
    return session.loopAt(index);
  } catch (error) {
    if (error instanceof UnkeptValue) return error;
    throw error;
  }
}

/** Reads a loop once more, with its messages. */
export function contentOf(session: SessionFile, file: string, { index }: Loop): LoopContent {
  const at = placeOf(file, index);
  const value = session.loopAt(index);
  const record = openRecord(at, value, { encodedBytes: session.bytesOf(index) });
  const messages = record.records("messages");
  return { record, messages, derived: messages?.length === 0 ? derivedMessages(at, value) : [] };
}

/** Where a loop is, for faults. */
function placeOf(file: string, index: number): SourceLocation {
  return { adapter: origin, uri: file, record: `loops[${index}]` };
}

function isCompaction({ continuation_kind, compaction_block, events }: JsonObject): boolean {
  const hasBlock = (compaction_block ?? null) !== null;
  const ends = listOf(events).some(({ event }) => objectOf(event)["type"] === "CompactionEnded");
  return hasBlock || continuation_kind === "Compaction" || ends;
}

/** True if the newest time in a session is recent enough that its open loops may go on. */
export function isLive(head: JsonObject, loops: readonly Loop[], nowMs: number): boolean {
  const own = newestOf([head["last_active_at"], head["created_at"]], nowMs);
  const newest = loops.reduce((latest, { newestMs }) => Math.max(latest, newestMs), own);
  return nowMs - newest < leftAloneMs;
}

function timesIn(loop: JsonObject): (JsonValue | undefined)[] {
  const { started_at, ended_at, turns, events, messages } = loop;
  const lastTurn = objectOf(listOf(turns).at(-1));
  const lastEvent = objectOf(objectOf(listOf(events).at(-1))["event"]);
  const lastMessage = objectOf(listOf(messages).at(-1));
  const ends = [lastTurn["ended_at"], lastEvent["timestamp"], lastMessage["timestamp"]];
  return [started_at, ended_at, ...ends];
}

/** The newest of some times, in ms; 0 if there is none. */
function newestOf(times: readonly (JsonValue | undefined)[], nowMs: number): number {
  // A clock that is ahead by more than that is wrong: it must not keep a loop open for ever.
  return Math.max(0, ...times.map(millisOf).filter((time) => time < nowMs + leftAloneMs));
}

function millisOf(value: JsonValue | undefined): number {
  if (typeof value === "number") return value;
  const micros = typeof value === "string" ? fromRfc3339(value) : undefined;
  return micros === undefined ? 0 : Number(micros / 1000n);
}

/**
 * What a loop without messages said: in its turns, and after the last of them in its events
 * (formats, section 9).
 */
function derivedMessages(
  at: SourceLocation,
  { turns, events }: JsonObject,
): readonly SourceRecord[] {
  const inTurns = listOf(turns)
    .flatMap(turnMessages)
    .map((message) => openRecord(at, message));
  const loopEvents = listOf(events).map(({ event }) => objectOf(event));
  const inEvents = (inTurns.length > 0 ? eventsAfterTurns(loopEvents) : loopEvents).flatMap(
    ({ type, message }) =>
      type === "MessageEnd" && isJsonObject(message) ? [openRecord(at, objectOf(message))] : [],
  );
  const known = new Set(inTurns.map(messageText));
  return [...inTurns, ...inEvents.filter((message) => !known.has(messageText(message)))];
}

function turnMessages({ input_messages, output_message, tool_results }: JsonObject): JsonObject[] {
  const results = listOf(tool_results);
  const answered = new Set(results.map(({ toolCallId }) => toolCallId));
  const inputs = listOf(input_messages).filter(
    ({ role, toolCallId }) => role !== "toolResult" || !answered.has(toolCallId),
  );
  const output = isJsonObject(output_message) ? [objectOf(output_message)] : [];
  return [...inputs, ...output, ...results];
}

/** The library drops a turn that did not end: what was said in it is only in the events. */
function eventsAfterTurns(loopEvents: readonly JsonObject[]): readonly JsonObject[] {
  const lastEnd = loopEvents.findLastIndex(({ type }) => type === "TurnEnd");
  return lastEnd < 0 ? [] : loopEvents.slice(lastEnd + 1);
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value)
    ? value.filter((each: JsonValue) => isJsonObject(each)).map(objectOf)
    : [];
}
