import { ok, strictEqual } from "node:assert/strict";
import {
  isJsonObject,
  type JsonValue,
  jsonEqual,
  messageFromWire,
  messageToWire,
  parseJson,
  partFromWire,
  partToWire,
  sessionFromWire,
  sessionToWire,
  stringifyJson,
  ValidationError,
} from "@pond/canonical";
import {
  errorBodySchema,
  type OperationName,
  operations,
  readRequest,
  WireError,
} from "@pond/wire";
import * as v from "valibot";
import type { Random } from "../../chaos/random.ts";
import { mutateBytes } from "../mutate-files.ts";
import { mutateJson } from "../mutate-json.ts";
import type { Input, Target } from "../target.ts";

const session = {
  id: "s",
  parent_session_id: "r",
  parent_message_id: "m0",
  source_agent: "demo",
  created_at: "2026-01-01T00:00:00.000250Z",
  project: "/home/ada",
  options: { host: "loom", source: { rest: { n: JSON.rawJSON("9007199254740993") } } },
};
const part = { id: "0", session_id: "s", message_id: "m", provenance: "injected", options: {} };
const header = { id: "m", session_id: "s", timestamp: "2026-01-01T00:00:01Z", options: {} };
const text = { ...part, type: "text", text: "Why does the loom skip?" };
const data = { type: "bytes", base64: "iVBORw==" };
const image = { ...part, id: "1", type: "file", media_type: "image/png", data };
const call = { ...part, id: "2", type: "tool_call", call_id: "c", name: "ls", params: { a: [1] } };
const result = { ...part, type: "tool_result", call_id: "c", is_failure: true, result: "warp" };

const requests: Readonly<Record<OperationName, readonly object[]>> = {
  search: [{ query: '+loom "heddle"', project: "/p", role: "user", since: "2026-01-01", limit: 5 }],
  list: [{ project: "/p", since: "2026-01-01", limit: 5, after: "2026-01-01T00:00:00.000Z/s" }],
  get: [
    { session_id: "s", response_mode: "complete", after_id: "m", limit_bytes: 9_000 },
    { session_id: "s", from_end: true, before_id: "m" },
    { session_id: "s", message_id: "m", context_depth: 2 },
  ],
  ingest: [{ events: [{ kind: "session", session }] }],
  status: [{}],
  restore: [{ session_id: "s", to: "pi" }],
};
const objects: Readonly<Record<string, readonly object[]>> = {
  session: [session],
  message: [
    { ...header, role: "assistant", content: [text, image, call] },
    { ...header, role: "tool", content: [result] },
    { ...header, role: "system", content: "You weave." },
  ],
  part: [text, image, call, result],
};

/** Requests to a server, before any store is asked. Each input is one body, by its name. */
export const wire: Target = {
  name: "wire",
  sources: /packages\/(?:wire|canonical)\/src/,
  seeds: () => [
    ...seedsOf(requests, { protocol_version: 1, namespace: "default" }),
    ...seedsOf(objects, {}),
  ],
  mutate: (input, random) =>
    new Map([...input].map(([name, body]) => [name, mutated(body, random)])),
  run: async (input) => {
    for (const [name, body] of input) {
      const value = jsonOf(body);
      if (value === undefined) continue;
      if (isOperation(name)) checkRequest(name, value);
      else checkObject(name, value);
    }
  },
};

function seedsOf(bodies: Readonly<Record<string, readonly object[]>>, envelope: object): Input[] {
  return Object.entries(bodies).flatMap(([name, each]) =>
    each.map((body) => {
      const sent = stringifyJson({ ...envelope, ...body } as JsonValue);
      return new Map([[name, Buffer.from(sent)]]);
    }),
  );
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

function mutated(body: Buffer, random: Random): Buffer {
  if (random.isIn(0.1)) return mutateBytes(body, random);
  let sent = String(body);
  for (let left = 1 + random.below(3); left > 0; left--) sent = mutateJson(sent, random);
  return Buffer.from(sent);
}

function jsonOf(body: Buffer): JsonValue | undefined {
  try {
    return parseJson(String(body));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A request is accepted as it was sent, or refused with a small body that says why. */
function checkRequest(name: OperationName, value: JsonValue): void {
  try {
    const request = readRequest(name, value);
    ok(jsonEqual(request as JsonValue, value), "a request is taken as it was sent");
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const body = v.parse(errorBodySchema, error.toBody());
    ok(["validation_failed", "version_unsupported"].includes(body.error.code), body.error.code);
    const sent = stringifyJson(error.toBody());
    ok(sent.isWellFormed(), "an error is valid Unicode");
    ok(sent.length < 5_000, `an error of ${sent.length} characters`);
  }
}

const forms: Readonly<Record<string, (value: unknown) => JsonValue>> = {
  session: (value) => sessionToWire(sessionFromWire(value)),
  message: (value) => messageToWire(messageFromWire(value)),
  part: (value) => partToWire(partFromWire(value)),
};

/** A body is read with nothing lost or added, or refused with the place of the mistake. */
function checkObject(name: string, value: JsonValue): void {
  const there = forms[name];
  ok(there, `${name} is an operation or an object of the model`);
  let once: JsonValue;
  try {
    once = there(value);
  } catch (error) {
    if (error instanceof ValidationError) return;
    throw error;
  }
  ok(jsonEqual(withoutTime(once), withoutTime(value)), "an object is what was sent");
  strictEqual(stringifyJson(there(parseJson(stringifyJson(once)))), stringifyJson(once));
}

/** The same time can be written in many ways. */
function withoutTime(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { created_at: _, timestamp: __, ...others } = value;
  return others;
}
