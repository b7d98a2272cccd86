import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { openRecord, type RecordOptions } from "@pond/canonical/adapter";
import { origin } from "../origin.ts";
import type { Stored } from "./stored.ts";

/** The place where a body was found. */
export type Place = { readonly uri: string; readonly record: string };

/**
 * A body completed by the ids in its path or its columns. Those are right if the two disagree,
 * because the client itself uses them. `row` gets what the body had instead.
 *
 * @param isBare - True if bodies of this store have no such fields, so that only a body that has
 * them needs to be remembered.
 */
export function completeBody(
  place: Place,
  body: JsonObject,
  ids: Readonly<Record<string, string>>,
  beside: JsonObject,
  { isBare, ...options }: RecordOptions & { readonly isBare: boolean },
): Stored {
  const at = { adapter: origin, ...place };
  const own: { [key: string]: JsonValue } = {};
  const lacks: string[] = [];
  for (const [key, id] of Object.entries(ids)) {
    const value = Object.hasOwn(body, key) ? body[key] : undefined;
    if (value === undefined) lacks.push(key);
    else if (isBare || value !== id) own[key] = value;
  }
  const row = {
    ...beside,
    ...(Object.keys(own).length > 0 && { own }),
    ...(!isBare && lacks.length > 0 && { lacks }),
  };
  return {
    record: openRecord(at, { ...body, ...ids }, options),
    row: Object.keys(row).length > 0 ? openRecord(at, row) : undefined,
  };
}

/** The body before it was completed: without what it lacked, with what it had. */
export function bodyOf(
  record: JsonObject,
  row: JsonObject,
  ids: readonly string[],
  { isBare }: { readonly isBare: boolean },
): JsonObject {
  const { own, lacks } = row;
  const missing: readonly JsonValue[] = isBare ? ids : Array.isArray(lacks) ? lacks : [];
  const kept = Object.entries(record).filter(([key]) => !missing.includes(key));
  const body = Object.fromEntries(kept);
  return isJsonObject(own) ? { ...body, ...own } : body;
}
