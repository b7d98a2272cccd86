import { isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { wireMessageSchema, wirePartSchema, wireSessionSchema } from "./canonical.ts";
import { errorBodySchema } from "./errors.ts";
import { ingestEventSchema } from "./ingest.ts";
import { operations } from "./operations.ts";
import { partSummarySchema } from "./part-summary.ts";

const { search, list, get, ingest, status, restore } = operations;

const definitions: Readonly<Record<string, GenericSchema>> = {
  SearchRequest: search.request,
  SearchResponse: search.response,
  ListRequest: list.request,
  ListResponse: list.response,
  GetRequest: get.request,
  GetResponse: get.response,
  IngestRequest: ingest.request,
  IngestResponse: ingest.response,
  StatusRequest: status.request,
  StatusResponse: status.response,
  RestoreRequest: restore.request,
  RestoreResponse: restore.response,
  ErrorBody: errorBodySchema,
  IngestEvent: ingestEventSchema,
  Session: wireSessionSchema,
  Message: wireMessageSchema,
  Part: wirePartSchema,
  PartSummary: partSummarySchema,
};

const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * JSON Schema 2020-12 of everything sent over the wire, by name under `$defs`. Requests are closed;
 * answers are open, because a later server may say more (spec 7.2).
 */
export function jsonSchemas(): JsonObject {
  return { $schema: dialect, title: "pond protocol v1", $defs: definitionsAt("#/$defs/") };
}

/**
 * One of the schemas as a document of its own, with everything it refers to.
 *
 * @throws {TypeError} if no schema has this name.
 */
export function jsonSchemaOf(name: string): JsonObject {
  const all = definitionsAt("#/$defs/");
  const schema = all[name];
  if (!isJsonObject(schema)) throw new TypeError(`no schema is called ${name}`);
  const usedNames = new Set<string>();
  gatherNames(schema, all, usedNames);
  const $defs = Object.fromEntries(Object.entries(all).filter(([other]) => usedNames.has(other)));
  return { $schema: dialect, ...schema, ...(usedNames.size > 0 && { $defs }) };
}

/** @param place - The beginning of a reference to another definition. */
export function definitionsAt(place: string): JsonObject {
  const defs = toJsonSchemaDefs(definitions, {
    target: "draft-2020-12",
    // A custom check has no JSON Schema of its own; its equivalent stands beside it.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === "custom" ? jsonSchema : undefined,
  });
  const text = JSON.stringify(defs).replaceAll('"#/$defs/', `"${place}`);
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}

function gatherNames(value: unknown, all: JsonObject, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key !== "$ref") gatherNames(each, all, names);
    else if (typeof each === "string") {
      const name = each.slice(each.lastIndexOf("/") + 1);
      if (names.has(name)) continue;
      names.add(name);
      gatherNames(all[name], all, names);
    }
  }
}
