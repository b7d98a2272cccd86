import type { JsonObject, JsonValue } from "@pond/canonical";
import { objectAt } from "@pond/canonical/adapter";
import { textAt } from "./entry.ts";

const currentVersion = 3;

/** The version that a header names; the first form names none. */
export function versionOf(header: JsonObject): number {
  const { version } = header;
  return typeof version === "number" ? version : 1;
}

/** True if the records are of an older form, which both clients rewrite when they open one. */
export function isOlder(header: JsonObject): boolean {
  return versionOf(header) < currentVersion;
}

/**
 * Converts records of version 1 or 2, header first, to version 3: a line becomes a chain, and the
 * role `hookMessage` becomes `custom`.
 *
 * @param nextId - Gives ids for records that have none.
 */
export function migrate(records: readonly JsonObject[], nextId: () => string): JsonObject[] {
  const [header = {}, ...entries] = records;
  const isLinear = versionOf(header) < 2;
  const ids = entries.map((entry) => (isLinear ? nextId() : textAt(entry, "id")));
  const chained = entries.map((entry, index): JsonObject => {
    const renamed = withCustomRole(entry);
    if (!isLinear) return renamed;
    const { firstKeptEntryIndex, ...rest } = renamed;
    const links = { id: ids[index] ?? "", parentId: ids[index - 1] ?? null };
    // The index counts the header, too.
    const kept = typeof firstKeptEntryIndex === "number" ? ids[firstKeptEntryIndex - 1] : undefined;
    return { ...rest, ...links, ...(kept !== undefined && { firstKeptEntryId: kept }) };
  });
  return [{ ...header, version: currentVersion }, ...chained];
}

function withCustomRole(entry: JsonObject): JsonObject {
  const message = objectAt(entry, "message");
  const role: JsonValue | undefined = message["role"];
  return role === "hookMessage" ? { ...entry, message: { ...message, role: "custom" } } : entry;
}
