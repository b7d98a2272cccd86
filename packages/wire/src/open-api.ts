import type { JsonObject } from "@pond/canonical";
import { protocolVersion } from "./envelope.ts";
import { type ErrorCode, errorCodes, isErrorCode } from "./errors.ts";
import { definitionsAt } from "./json-schema.ts";
import { operations } from "./operations.ts";

const place = "#/components/schemas/";

const headers: JsonObject = {
  "X-Pond-Request-Id": {
    description: "Id of the request in the server's log.",
    schema: { type: "string" },
  },
};

const retryAfter: JsonObject = {
  "Retry-After": {
    description: "Seconds to wait before asking again.",
    schema: { type: "integer" },
  },
};

const summaries: Readonly<Record<keyof typeof operations, string>> = {
  search: "Find messages by their words, and by meaning if they are embedded, grouped by session",
  list: "List sessions, the last active first; sub-agents count with the session that they served",
  get: "Read a page of a session, or one message with its neighbours",
  ingest: "Store canonical events; those that are refused are listed, all others are stored",
  status: "Show what is stored, and how well it is indexed",
  restore: "Restore a session, and all sessions below it, as files of a client",
};

/** The OpenAPI 3.1 document of the HTTP transport. */
export function openApi(): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "pond",
      version: `${protocolVersion}`,
      description: "Sessions of coding agents: stored, searched, read and restored.",
    },
    paths: {
      ...Object.fromEntries(
        Object.entries(operations).map(([name, { path }]) => [path, { post: post(name) }]),
      ),
      "/v1/schema": { get: document("schema", "JSON Schema of every request and answer") },
      "/openapi.json": { get: document("openApi", "This document") },
      "/healthz": { get: document("health", "Whether the server runs") },
      "/readyz": {
        get: document("readiness", "Whether the server can answer", ["storage_unavailable"]),
      },
    },
    components: { schemas: definitionsAt(place) },
  };
}

function post(name: string): JsonObject {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    operationId: name,
    summary: Object.hasOwn(summaries, name) ? summaries[name as keyof typeof summaries] : name,
    requestBody: { required: true, content: json(`${type}Request`) },
    responses: {
      "200": { description: "The answer.", headers, content: json(`${type}Response`) },
      ...Object.fromEntries(errorsByStatus().map(([status, codes]) => [status, failure(codes)])),
    },
  };
}

/** The paths that every pond has, whatever is stored. */
function document(
  operationId: string,
  summary: string,
  codes: readonly ErrorCode[] = [],
): JsonObject {
  const content = { "application/json": { schema: { type: "object" } } };
  return {
    operationId,
    summary,
    responses: {
      "200": { description: "The answer.", headers, content },
      ...Object.fromEntries(
        codes.map((code) => [String(errorCodes[code].httpStatus), failure([code])]),
      ),
    },
  };
}

function json(name: string): JsonObject {
  return { "application/json": { schema: { $ref: `${place}${name}` } } };
}

function failure(codes: readonly ErrorCode[]): JsonObject {
  const isLater = codes.includes("storage_unavailable");
  return {
    description: codes.join(" or "),
    headers: { ...headers, ...(isLater && retryAfter) },
    content: json("ErrorBody"),
  };
}

function errorsByStatus(): [string, ErrorCode[]][] {
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  const statuses = new Set(codes.map((code) => errorCodes[code].httpStatus));
  return [...statuses].map((status) => [
    String(status),
    codes.filter((code) => errorCodes[code].httpStatus === status),
  ]);
}
