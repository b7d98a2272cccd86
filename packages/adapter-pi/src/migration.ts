import type { JsonObject, JsonValue } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import { openRecord, type SourceRecord } from "@pond/canonical/adapter";

/**
 * The identity of an entry depends on how its file began. The clients rewrite a file of version 1
 * when they load it: every entry gets a random id, so ids say nothing there, neither before nor
 * after. Such a session has ids derived from content, everything of which the migration keeps.
 */
export type Era = {
  /** True if the session was begun before entries had ids. */
  readonly isBornV1: boolean;
  /** True if its file was migrated since. */
  readonly isMigrated: boolean;
  /** The role that extensions speak in: the migration to version 3 renames it. */
  readonly hookRole: "custom" | "hookMessage";
};

/** The era of a session by its header. */
export function eraOf(header: SourceRecord): Era {
  const version = header.peek("version");
  const isFirst = typeof version !== "number" || version < 2;
  const isBornV1 = isFirst || hasOldFields(header) || isRewritten(header);
  return { isBornV1, isMigrated: isBornV1 && !isFirst, hookRole: hookRoleOf(version) };
}

/** For a log without a header. */
export const assumedVersion = 3;

/** The role that extensions speak in, in a file of that version. */
export function hookRoleOf(version: JsonValue | undefined): Era["hookRole"] {
  return typeof version === "number" && version >= 3 ? "custom" : "hookMessage";
}

/** Fields that no header had after version 1. */
function hasOldFields(header: SourceRecord): boolean {
  return ["provider", "modelId", "thinkingLevel", "branchedFrom"].some(
    (key) => typeof header.peek(key) === "string",
  );
}

/** The migration adds its fields after the existing ones; a client writes them first. */
function isRewritten(header: SourceRecord): boolean {
  const isAfterAll = ["id", "timestamp", "cwd"].every((key) => isAfter(header, "version", key));
  return isAfterAll && header.keys()[0] === "type";
}

function hasNewFields(entry: SourceRecord): boolean {
  return isAfter(entry, "id", "timestamp") && isAfter(entry, "parentId", "id");
}

function isAfter(record: SourceRecord, key: string, other: string): boolean {
  const keys = record.keys();
  return keys.includes(other) && keys.indexOf(key) > keys.indexOf(other);
}

/** An entry without what a migration writes into it. */
export type NormalizedEntry = {
  readonly record: SourceRecord;
  /** What its id is derived from, if it is not its own. */
  readonly identity: SourceRecord;
  /** What was removed: it is kept with the session's header, which the migration changes, too. */
  readonly links: JsonObject | undefined;
  /** For a compaction: the position of the first entry kept, however the source names it. */
  readonly keptFrom: number | undefined;
  /** True if the role of the message was left out because the version implies it. */
  readonly isHook: boolean;
};

/** Goes over the records after the header of one log, in order. */
export class EntryNormalizer {
  readonly #era: Era;
  /** For entries that were migrated: id -> position, where the header's is 0 as in version 1. */
  readonly #positions: Map<string, number> = new Map();
  #position = 0;

  constructor(era: Era) {
    this.#era = era;
  }

  /** Position of the last record normalized. */
  get position(): number {
    return this.#position;
  }

  normalize(record: SourceRecord): NormalizedEntry {
    this.#position++;
    const { isBornV1, isMigrated, hookRole } = this.#era;
    const isHook = roleOf(record) === hookRole;
    if (!isBornV1) return { ...plain(isHook ? without(record, [], true) : record), isHook };
    const isRewritten = isMigrated && hasNewFields(record);
    const id = record.peek("id");
    if (isRewritten && typeof id === "string") this.#positions.set(id, this.#position);
    const isNative = !isRewritten && id !== undefined;
    const kept = isNative ? undefined : this.#keptFrom(record);
    const linked = isRewritten ? migratedFields : unreadFields(record, this.#era);
    const named = kept === undefined ? [] : keptFields;
    return {
      record: without(record, [...linked, ...named], isHook),
      identity: without(
        record,
        [...migratedFields, ...keptFields, ...versionField(record)],
        isHook,
      ),
      links: linked.length > 0 ? pick(record, linked) : undefined,
      keptFrom: kept,
      isHook,
    };
  }

  #keptFrom(record: SourceRecord): number | undefined {
    if (record.peek("type") !== "compaction") return undefined;
    const index = record.peek("firstKeptEntryIndex");
    if (typeof index === "number" && Number.isSafeInteger(index)) return index;
    const id = record.peek("firstKeptEntryId");
    return typeof id === "string" ? this.#positions.get(id) : undefined;
  }
}

const migratedFields: readonly string[] = ["id", "parentId"];
const keptFields: readonly string[] = ["firstKeptEntryId", "firstKeptEntryIndex"];

/** In version 1 the clients use the order of the lines, whatever an entry says about its parent. */
function unreadFields(record: SourceRecord, { isMigrated }: Era): readonly string[] {
  return isMigrated || record.peek("parentId") === undefined ? [] : ["parentId"];
}

/** A second header gets the new version as the first one does. */
function versionField(record: SourceRecord): readonly string[] {
  return record.peek("type") === "session" ? ["version"] : [];
}

function plain(record: SourceRecord): Omit<NormalizedEntry, "isHook"> {
  return { record, identity: record, links: undefined, keptFrom: undefined };
}

/** The entry with the fields that a migration gave it, after the others as in the file. */
export function withMigratedFields(
  entry: JsonObject,
  links: JsonObject,
  position: number,
  keptFrom: JsonValue | undefined,
): JsonObject {
  const own = links[position];
  const whole = isJsonObject(own) ? { ...entry, ...own } : entry;
  if (typeof keptFrom !== "number") return whole;
  const kept = links[keptFrom];
  const id = isJsonObject(kept) ? kept["id"] : undefined;
  return id === undefined
    ? { ...whole, firstKeptEntryIndex: keptFrom }
    : { ...whole, firstKeptEntryId: id };
}

function roleOf(record: SourceRecord): JsonValue | undefined {
  const message = record.peek("type") === "message" ? record.peek("message") : undefined;
  return isJsonObject(message) ? message["role"] : undefined;
}

function pick(record: SourceRecord, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, record.peek(key) ?? null]));
}

function without(record: SourceRecord, left: readonly string[], isHook: boolean): SourceRecord {
  const keys = record.keys().filter((key) => !left.includes(key));
  const fields = keys.map((key) => {
    const value = record.peek(key) ?? null;
    return [key, isHook && key === "message" ? withoutRole(value) : value] as const;
  });
  return openRecord(record.at, Object.fromEntries(fields));
}

function withoutRole(message: JsonValue): JsonValue {
  if (!isJsonObject(message)) return message;
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== "role"));
}
