import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  tryParseJson,
} from "@pond/canonical";
import type { Row } from "./cells.ts";

/** Where a column's value stands in the record that the client exports. */
export type Column = {
  readonly column: string;
  readonly path: readonly string[];
  /** True if the column holds JSON text. */
  readonly isJson: boolean;
};

const plain = (column: string, path: string = column): Column => ({
  column,
  path: path.split("."),
  isJson: false,
});
const json = (column: string, path: string = column): Column => ({
  ...plain(column, path),
  isJson: true,
});

const shared: readonly Column[] = [
  plain("id"),
  plain("project_id", "projectID"),
  plain("parent_id", "parentID"),
  plain("title"),
  json("metadata"),
  plain("cost"),
  plain("tokens_input", "tokens.input"),
  plain("tokens_output", "tokens.output"),
  plain("tokens_reasoning", "tokens.reasoning"),
  plain("tokens_cache_read", "tokens.cache.read"),
  plain("tokens_cache_write", "tokens.cache.write"),
  json("revert"),
  plain("agent"),
  json("model"),
  plain("time_created", "time.created"),
  plain("time_updated", "time.updated"),
  plain("time_archived", "time.archived"),
];

/** Table `session`. */
export const sessionColumns: readonly Column[] = [
  ...shared,
  plain("workspace_id", "workspaceID"),
  plain("slug"),
  plain("directory"),
  plain("path"),
  plain("version"),
  plain("share_url", "share.url"),
  plain("summary_additions", "summary.additions"),
  plain("summary_deletions", "summary.deletions"),
  plain("summary_files", "summary.files"),
  json("summary_diffs", "summary.diffs"),
  json("permission"),
  plain("time_compacting", "time.compacting"),
];

/** Table `session_v2`. */
export const session2Columns: readonly Column[] = [
  ...shared,
  plain("workspace_id", "location.workspaceID"),
  plain("directory", "location.directory"),
  plain("path", "subpath"),
  plain("fork_session_id", "fork.sessionID"),
  json("fork_boundary", "fork.boundary"),
  json("permission", "permissions"),
  plain("idle_outcome", "outcome"),
  plain("time_idle", "time.idle"),
  plain("time_viewed", "time.viewed"),
];

/** A row as the record that the client would export, and the columns that have no place in it. */
export function recordOfRow(
  row: Row,
  columns: readonly Column[],
): { readonly record: JsonObject; readonly left: JsonObject } {
  const record: Draft = {};
  const left: Draft = { ...row };
  for (const { column, path, isJson } of columns) {
    const value = row[column];
    if (value === undefined) continue;
    const placed = isJson ? parsed(value) : value;
    if (placed === undefined) continue;
    setAt(record, path, placed);
    delete left[column];
  }
  return { record, left };
}

/** The row that a record came from. */
export function rowOfRecord(record: JsonObject, columns: readonly Column[], left: JsonObject): Row {
  const row: Draft = {};
  for (const { column, path, isJson } of columns) {
    const value = valueAt(record, path);
    if (value !== undefined) row[column] = isJson ? stringifyJson(value) : value;
  }
  return { ...row, ...left };
}

type Draft = { [key: string]: JsonValue };

/** A text that is not JSON is left as it is. */
function parsed(value: JsonValue): JsonValue | undefined {
  return typeof value === "string" ? tryParseJson(value) : undefined;
}

function setAt(record: Draft, [key = "", ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) record[key] = value;
  else {
    const known = record[key];
    const inner: Draft = isJsonObject(known) ? { ...known } : {};
    setAt(inner, rest, value);
    record[key] = inner;
  }
}

function valueAt(record: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = record;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
