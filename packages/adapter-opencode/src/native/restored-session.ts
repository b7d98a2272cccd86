import type { JsonObject, Message } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import { KeyOrders, objectAt, type SessionContent, sourceOf } from "@pond/canonical/adapter";
import { isInside } from "../file-name.ts";
import { type Restored, type RestoredMessage, restoreMessage } from "../records/message.ts";
import { isUserAnswers } from "../records/user-answers.ts";
import { recordOfRow, rowOfRecord, session2Columns, sessionColumns } from "../stores/columns.ts";
import type { Schema, Store } from "../stores/stored.ts";

/** A session with everything that its store held, before it is written in some form. */
export type RestoredSession = Restored & {
  readonly id: string;
  /** Where it was run, as far as anything says. */
  readonly project: string;
  readonly store: Store;
  readonly schema: Schema;
  /** Its place in the store; undefined if no store says. */
  readonly path: string | undefined;
  readonly messages: Iterable<RestoredMessage>;
  /** True if the store had no whole record of it. */
  readonly isCut?: boolean;
  /** Lists beside the log, by name. */
  readonly sides: ReadonlyMap<string, JsonObject>;
  /** What 2.x kept about a session that also has messages of 1.x. */
  readonly continued: RestoredSecondHalf | undefined;
};

/** The second half of a session. */
export type RestoredSecondHalf = Restored & {
  /** The first message that it continued without. */
  readonly without?: string;
  /** True if the session has one record, from which this one is made. */
  readonly isSame?: boolean;
};

export function restoreSession({ session, messages }: SessionContent): RestoredSession {
  const info = messages.find((message) => sourceOf(message)["store"] !== undefined);
  const source = info ? sourceOf(info) : {};
  const { store, schema, path } = source;
  const isSide = (message: Message) => sourceOf(message)["side"] !== undefined;
  const log = messages.filter(
    (message) => message !== info && !isSide(message) && !isUserAnswers(message),
  );
  const sides = messages.filter(isSide).map((message): [string, JsonObject] => {
    const { side } = sourceOf(message);
    return [String(side), objectAt(sourceOf(message), "record")];
  });
  const { record, continued, cut } = source;
  const own: Restored = {
    record: isJsonObject(record) && cut !== true ? record : minimalRecord(session),
    row: objectAt(source, "row"),
  };
  const common = {
    id: session.id,
    project: session.project,
    store: store === "tree" || store === "database" ? store : "export",
    messages: { [Symbol.iterator]: () => restoreAll(log) },
    sides: new Map(sides),
    isCut: cut === true,
  } as const;
  const place = typeof path === "string" && isInside(path) ? path : undefined;
  if (schema === 2 && log.some((message) => schemaOf(message) === 1)) {
    // Its record of 1.x was replaced by that of 2.x; both halves are written all the same.
    const first = { record: minimalRecord(session), row: {} };
    const firstPlace = place?.replace(/\.2\.json$/, ".json");
    return { ...common, ...first, schema: 1, path: firstPlace, continued: own };
  }
  const later = isJsonObject(continued)
    ? restoreSecondHalf(continued, source)
    : sharedSecondHalf(own, session, schema, log);
  return { ...common, ...own, schema: schema === 2 ? 2 : 1, path: place, continued: later };
}

function restoreSecondHalf(record: JsonObject, source: JsonObject): RestoredSecondHalf {
  const { "continued.without": without } = source;
  const row = objectAt(source, "continued.row");
  return { record, row, ...(typeof without === "string" && { without }) };
}

/** The second half of a session that has one record: 2.x says the same in its own words. */
function sharedSecondHalf(
  { record }: Restored,
  { project }: SessionContent["session"],
  schema: unknown,
  log: readonly Message[],
): RestoredSecondHalf | undefined {
  if (schema === 2 || log.every((message) => schemaOf(message) === 1)) return undefined;
  const row = { directory: project, ...rowOfRecord(record, sessionColumns, {}) };
  return { record: recordOfRow(row, session2Columns).record, row: {}, isSame: true };
}

function schemaOf(message: Message): Schema {
  return sourceOf(message)["schema"] === 2 ? 2 : 1;
}

/** What canonical says about a session whose record is in no store. */
function minimalRecord({
  id,
  parent_session_id,
  project,
  created_at,
}: SessionContent["session"]): JsonObject {
  const created = Number(created_at / 1000n);
  return {
    id,
    ...(parent_session_id !== undefined && { parentID: parent_session_id }),
    directory: project,
    time: { created, updated: created },
  };
}

/**
 * Each message once: one that was stored before its record broke has the parts that were read
 * since.
 */
function* restoreAll(messages: readonly Message[]): Generator<RestoredMessage> {
  const orders = new KeyOrders();
  const whole = new Set(messages.filter((each) => !isCut(each)).map(({ id }) => String(id)));
  const later = new Map<string, readonly Restored[]>();
  for (const message of messages.filter(isCut)) {
    const { record, parts } = restoreMessage(message, orders);
    later.set(String(record["id"]), parts);
  }
  for (const message of messages) {
    const restored = restoreMessage(message, orders);
    if (isCut(message) && whole.has(String(restored.record["id"]))) continue;
    const { parts } = restored;
    const newer = isCut(message) ? undefined : later.get(message.id);
    yield newer === undefined ? restored : { ...restored, parts: withNewerParts(parts, newer) };
  }
}

function isCut(message: Message): boolean {
  return sourceOf(message)["cut"] === true;
}

function withNewerParts(
  parts: readonly Restored[],
  newer: readonly Restored[],
): readonly Restored[] {
  const ids = new Set(newer.map(({ record }) => record["id"]));
  return [...parts.filter(({ record: { id } }) => id === undefined || !ids.has(id)), ...newer];
}
