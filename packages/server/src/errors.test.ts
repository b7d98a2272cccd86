import { PondError, ValidationError } from "@pond/canonical";
import { EmbedError, ModelNotFoundError } from "@pond/embed";
import {
  DamagedRowError,
  MessageNotFoundError,
  PartNotFoundError,
  SessionNotFoundError,
  UnsafePathError,
} from "@pond/sessions";
import {
  ConflictError,
  InvalidBatchError,
  StorageUnavailableError,
  StoreNotFoundError,
  StoreSchemaError,
} from "@pond/substrate";
import { type ErrorCode, WireError } from "@pond/wire";
import { expect, test } from "vitest";
import { isAbort, toWireError } from "./errors.ts";

class LaterError extends PondError {
  readonly code = "constructor";
  readonly details = {};
}

class ModelError extends EmbedError {
  readonly code = "model_invalid";
  readonly details = { model: "m" };
}

const hidden = "the server failed; its log says why";
const id = { request_id: "r1" };

test.each<[string, unknown, ErrorCode, string, object]>([
  [
    "a validation error",
    new ValidationError("session.id", "is empty"),
    "validation_failed",
    "session.id: is empty",
    { path: "session.id", reason: "is empty" },
  ],
  [
    "a missing session",
    new SessionNotFoundError("s"),
    "not_found",
    "no session s is stored",
    { session_id: "s" },
  ],
  [
    "a missing message",
    new MessageNotFoundError("s", "m"),
    "not_found",
    "session s holds no message m",
    { session_id: "s", message_id: "m" },
  ],
  [
    "a missing part",
    new PartNotFoundError("m", "p"),
    "not_found",
    "message m holds no part p",
    { message_id: "m", part_id: "p" },
  ],
  [
    "a write conflict",
    new ConflictError("messages", 5),
    "conflict",
    "messages: other writers won 5 times in a row; try again",
    { table: "messages", attempts: 5 },
  ],
  [
    "a storage error that names the location",
    new StorageUnavailableError("s3://secret", "403 for key"),
    "storage_unavailable",
    "the store does not answer; try again",
    {},
  ],
  [
    "a missing-store error that names the location",
    new StoreNotFoundError("/secret"),
    "not_found",
    "nothing is stored here yet",
    { kind: "store_not_found" },
  ],
  [
    "a store written by a later version",
    new StoreSchemaError("/secret", "messages", "has version 9"),
    "internal",
    "the store was written by a later version of pond",
    { kind: "store_schema", ...id },
  ],
  [
    "a store whose creation is not finished",
    new StoreSchemaError("/secret", "messages", "write to the store once", "unmade"),
    "storage_unavailable",
    "the store is not complete yet; storing something completes it",
    { kind: "store_schema.unmade" },
  ],
  [
    "a store that lost a table",
    new StoreSchemaError("/secret", "messages", "it is lost", "lost"),
    "internal",
    "the store is damaged: one of its tables is lost",
    { kind: "store_schema.lost", ...id },
  ],
  [
    "a path outside the target folder",
    new UnsafePathError("s", "../x"),
    "internal",
    "session s would be written outside the target folder: ../x",
    { session_id: "s", path: "../x", kind: "unsafe_path", ...id },
  ],
  [
    "a damaged row",
    new DamagedRowError("options", "secret"),
    "internal",
    hidden,
    { kind: "damaged_row", ...id },
  ],
  [
    "rows that cannot be stored",
    new InvalidBatchError("messages", "id", "secret"),
    "internal",
    hidden,
    { kind: "invalid_batch", ...id },
  ],
  [
    "a broken model",
    new ModelError("m: its files do not fit each other"),
    "internal",
    "m: its files do not fit each other",
    { model: "m", kind: "model_invalid", ...id },
  ],
  [
    "a missing model",
    new ModelNotFoundError("m", "is not downloaded"),
    "not_found",
    "m: is not downloaded",
    { model: "m", reason: "is not downloaded", kind: "model_not_found" },
  ],
  [
    "a pond error with an unknown code",
    new LaterError("secret"),
    "internal",
    hidden,
    { kind: "constructor", ...id },
  ],
  ["a programming error", new TypeError("secret is undefined"), "internal", hidden, id],
  [
    "a system error with a code that pond uses too",
    Object.assign(new Error("secret"), { code: "conflict" }),
    "internal",
    hidden,
    id,
  ],
  ["a thrown string", "secret", "internal", hidden, id],
  ["a thrown undefined", undefined, "internal", hidden, id],
])(
  "turns %s into a wire error that tells only what a client may know",
  (_, error, code, message, details) => {
    const said = toWireError(error, "r1");

    expect(said.toBody()).toEqual({ error: { code, message, details } });
    expect(said.cause).toBe(error);
  },
);

test("returns a WireError unchanged", () => {
  const error = new WireError("namespace_unknown", "no");

  expect(toWireError(error, "r1")).toBe(error);
});

test("leaves the request id out when there is none", () => {
  expect(toWireError(new Error("x")).details).toEqual({});
});

test.each([
  ["any error once the signal is aborted", new Error("x"), AbortSignal.abort(), true],
  ["an AbortError without a signal", new DOMException("x", "AbortError"), undefined, true],
  ["an error while the signal is not aborted", new Error("x"), new AbortController().signal, false],
  ['the string "AbortError"', "AbortError", undefined, false],
])("isAbort tells an abort from other errors: %s", (_, error, signal, expected) => {
  expect(isAbort(error, signal)).toBe(expected);
});
