import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/**
 * The client whose rules apply: the two share the form of the file, and differ in what it means.
 */
export type SessionDialect = "pi" | "omp";

/** The first record, which says what the session is; not part of the tree. */
export type SessionHeader = JsonObject & {
  readonly type: "session";
  readonly id: string;
};

/** A record of the tree. Unknown fields and kinds are kept as they are. */
export type SessionEntry = JsonObject & {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
};

export function isHeader(value: JsonValue): value is SessionHeader {
  return isJsonObject(value) && fieldOf(value, "type") === "session" && isText(value, "id");
}

export function isEntry(value: JsonValue): value is SessionEntry {
  if (!isJsonObject(value) || !isText(value, "type") || !isText(value, "id")) return false;
  const parent = fieldOf(value, "parentId");
  return parent === null || typeof parent === "string";
}

/** The text at `key`, if there is one. */
export function textAt(value: JsonObject, key: string): string | undefined {
  const text = value[key];
  return typeof text === "string" ? text : undefined;
}

function isText(value: JsonObject, key: string): boolean {
  return typeof fieldOf(value, key) === "string";
}

function fieldOf(value: JsonObject, key: string): JsonValue | undefined {
  return value[key];
}
