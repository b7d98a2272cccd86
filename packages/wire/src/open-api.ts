import type { JsonObject } from "@pond/canonical";
import { protocolVersion } from "./envelope.ts";
import { type ErrorCode, errorCodes, isErrorCode } from "./errors.ts";
import { definitionsAt } from "./json-schema.ts";
import { operations } from "./operations.ts";

const place = "#/components/schemas/";

const headers: JsonObject = {
  "X-Pond-Request-Id": {
    description: "What the server's log calls the request.",
    schema: { type: "string" },
  },
};

const retryAfter: JsonObject = {
  "Retry-After": {
    description: "Seconds after which it is worth asking again.",
    schema: { type: "integer" },
  },
};

const summaries: Readonly<Record<keyof typeof operations, string>> = {
  search: "Messages by their words, and by meaning where they are embedded, grouped by session",
  get: "A page of a session, or one message with its neighbours",
  ingest: "Stores canonical events; what is wrong with one costs no other",
  status: "What is stored, and how well it is indexed",
  restore: "A session, and all below it, as files of a client",
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
      "/readyz": { get: document("readiness", "Whether it can answer", ["storage_unavailable"]) },
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

/** What is there for whoever asks, whatever is stored. */
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
