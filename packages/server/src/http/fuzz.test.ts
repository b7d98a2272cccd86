import { stringifyJson } from "@pond/canonical";
import { errorBodySchema, errorCodes, type OperationName, operations } from "@pond/wire";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chat, type TestPond, testPond } from "../testing.ts";
import { createHttpServer, type HttpServer } from "./server.ts";
import { post } from "./testing.ts";
import {
  bodyOf,
  bytes,
  damagedOf,
  exchange,
  fuzz,
  fuzzRequests,
  fuzzTimeoutMs,
  headersOf,
  mixOf,
  statusOf,
} from "./testing-fuzz.ts";
import { junk, valueNamed } from "./testing-schema.ts";

let pond: TestPond;
let server: HttpServer;
let port = 0;
let log = "";

beforeAll(async () => {
  pond = testPond({ limits: { maxEvents: 20 } });
  const write = (line: string): void => {
    if (line.includes('"level":50')) log += line;
  };
  const limits = { headersTimeoutMs: 1_000, bodyTimeoutMs: 1_000, maxBodyBytes: 8_000 };
  server = createHttpServer({ handlers: pond.handlers, port: 0, logger: { write }, limits });
  ({ port } = await server.listen());
  for (const id of ["s0", "s1"]) {
    await pond.ask("ingest", { events: chat(id, ["The pelican waits.", "For fish.", "Still."]) });
  }
});

afterAll(async () => {
  await server.stop({ deadlineMs: 0 });
  await pond.remove();
});

const names = Object.keys(operations) as OperationName[];
const paths = names.map((name) => operations[name].path);
const definitions: Readonly<Record<OperationName, string>> = {
  search: "SearchRequest",
  list: "ListRequest",
  get: "GetRequest",
  ingest: "IngestRequest",
  status: "StatusRequest",
  restore: "RestoreRequest",
};

/** A request as its schema says, or nearly. */
const described: fc.Arbitrary<Buffer> = fc
  .oneof(
    ...names.map((name) =>
      valueNamed(definitions[name]).map((value) => [operations[name].path, value] as const),
    ),
    fc.tuple(fc.constantFrom(...paths), junk),
  )
  .map(([path, value]) => post(path, stringifyJson(value)));

/** A body of any bytes, and headers of any kind. */
const dressed: fc.Arbitrary<Buffer> = fc
  .tuple(fc.constantFrom(...paths, "/v1/schema", "/%", "/__proto__"), bytes, headersOf())
  .map(([path, body, headers]) => post(path, body, headers));

const anything = mixOf(described, [dressed, damagedOf(described), bytes]);

it(`answers ${fuzzRequests} random requests without an internal error, and stops cleanly afterwards`, {
  timeout: fuzzTimeoutMs,
}, async () => {
  const seen = new Map<string, number>();
  await fuzz(anything, async (sent) => {
    const outcome = outcomeOf(await exchange(port, sent));
    if (sent.isSound) expect(outcome).not.toBe("nothing");
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  });
  if (fuzzRequests > 500) console.log(Object.fromEntries(seen));

  expect(log).toBe("");
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(["answered", "validation_failed", "not_found", "namespace_unknown"]),
  );
  expect(await server.stop({ deadlineMs: 5_000 })).toBe(true);
});

/** What an answer was, which must be one that there is. */
function outcomeOf(text: string): string {
  const body = bodyOf(text);
  if (body === undefined) return "nothing";
  const status = statusOf(text);
  expect(text).toMatch(/^x-pond-request-id: [0-9a-f-]{36}\r$/im);
  const answer = JSON.parse(body);
  if (status === 200) {
    expect(answer).not.toHaveProperty("error");
    return "answered";
  }
  const { error } = v.parse(errorBodySchema, answer);
  const isForbidden = /^(host|origin)_not_allowed$/.test(String(error.details["kind"]));
  expect(status).toBe(isForbidden ? 403 : errorCodes[error.code].httpStatus);
  expect(error.code).not.toBe("internal");
  return error.code;
}
