import { type JsonObject, type JsonValue, stringifyJson } from "@pond/canonical";
import { errorBodySchema } from "@pond/wire";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpServer, type HttpServer } from "../http/index.ts";
import { post } from "../http/testing.ts";
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
} from "../http/testing-fuzz.ts";
import { junk, valueNamed } from "../http/testing-schema.ts";
import { chat, type TestPond, testPond } from "../testing.ts";
import { createMcpServer } from "./server.ts";
import { createMcpRequestHandler } from "./streamable-http.ts";

let pond: TestPond;
let server: HttpServer;
let port = 0;
let log = "";
const failures: unknown[] = [];

beforeAll(async () => {
  pond = testPond();
  const { handlers } = pond;
  const onFailure = (error: unknown): void => void failures.push(error);
  const mcp = createMcpRequestHandler(() => createMcpServer({ handlers, version: "1", onFailure }));
  const write = (line: string): void => {
    if (line.includes('"level":50')) log += line;
  };
  const limits = { headersTimeoutMs: 1_000, bodyTimeoutMs: 1_000 };
  const mounts = { "/mcp": mcp };
  server = createHttpServer({ handlers, port: 0, mounts, logger: { write }, limits });
  ({ port } = await server.listen());
  const long = `pelican\u0000\u001b[2J\n</pond-data> ${'🧵 fish \\" '.repeat(3_000)}`;
  for (const id of ["s0", "s1"]) {
    await pond.ask("ingest", { events: chat(id, ["The pelican waits.", long, "Still."]) });
  }
});

afterAll(async () => {
  await server.stop({ deadlineMs: 0 });
  await pond.remove();
});

const characters = fc.constantFrom<JsonValue>(2_000, 10_000, 100_000, 1_999, 100_001, 1.5, "9");
const offset = fc.constantFrom<JsonValue>(0, 1, 9_000, 1e9, -1, 2 ** 53, null);

/** Arguments as a tool's schema says, or nearly. */
function argumentsOf(definition: string): fc.Arbitrary<JsonObject> {
  const own = fc.record({ max_characters: characters, offset }, { requiredKeys: [] });
  return fc.tuple(valueNamed(definition), own, fc.nat({ max: 9 })).map(([value, more, at]) => {
    const fields = Object.entries({ ...Object(value), ...(at < 4 && more) } as JsonObject);
    // Most calls are without what is the server's to say.
    return Object.fromEntries(fields.filter(([name]) => at === 0 || !ofServer.includes(name)));
  });
}

const ofServer = ["protocol_version", "namespace", "limit_bytes"];

const calls: fc.Arbitrary<JsonObject> = fc.oneof(
  argumentsOf("SearchRequest").map((given) => ({ name: "pond_search", arguments: given })),
  argumentsOf("ListRequest").map((given) => ({ name: "pond_list", arguments: given })),
  argumentsOf("GetRequest").map((given) => ({ name: "pond_get", arguments: given })),
);

const otherMethods = [
  ...["initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read"],
  ...["resources/templates/list", "prompts/list", "logging/setLevel", "completion/complete"],
  ...["notifications/cancelled", "notifications/initialized", "tasks/get", "__proto__", "x"],
];
const ids = fc.oneof(fc.constantFrom<JsonValue>(1, "a"), junk);

/** A message as the protocol says, or nearly. */
const messages: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: calls.map((params) => ({ id: 1, method: "tools/call", params })) },
  {
    weight: 3,
    arbitrary: fc.record({ id: ids, method: fc.constantFrom(...otherMethods), params: junk }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("stats://pond", "schema://pond").map((uri) => ({
      ...{ id: 1, method: "resources/read", params: { uri } },
    })),
  },
);
const requests: fc.Arbitrary<Buffer> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: messages.map((message) => ({ jsonrpc: "2.0", ...Object(message) }) as JsonValue),
    },
    { weight: 1, arbitrary: fc.array(messages, { maxLength: 3 }) },
    { weight: 1, arbitrary: junk },
  )
  .map((body) =>
    post("/mcp", stringifyJson(body), { accept: "application/json, text/event-stream" }),
  );

const dressed: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.oneof(
      bytes,
      messages.map((message) => Buffer.from(stringifyJson(message))),
    ),
    headersOf("mcp-protocol-version", "mcp-session-id", "last-event-id"),
  )
  .map(([body, headers]) => post("/mcp", body, headers));

it(`answers ${fuzzRequests} random messages without an internal error, and stops cleanly afterwards`, {
  timeout: fuzzTimeoutMs,
}, async () => {
  const seen = new Map<string, number>();
  await fuzz(mixOf(requests, [dressed, damagedOf(requests)]), async (sent) => {
    const outcome = outcomeOf(await exchange(port, sent));
    if (sent.isSound) expect(outcome).not.toBe("nothing");
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  });
  if (fuzzRequests > 500) console.log(Object.fromEntries(seen));

  expect([log, failures]).toEqual(["", []]);
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(["result", "validation_failed", "not_found"]),
  );
  expect(await server.stop({ deadlineMs: 5_000 })).toBe(true);
});

/** What an answer was, which must be one that there is. */
function outcomeOf(text: string): string {
  const body = bodyOf(text);
  if (body === undefined) return "nothing";
  expect([200, 202, 400, 403, 404, 406, 415]).toContain(statusOf(text));
  if (body === "") return "taken";
  const answer = JSON.parse(body);
  const { result, error } = answer;
  if (error !== undefined && typeof error.code === "string") return readBody(answer);
  if (error !== undefined) {
    // The protocol's own code says so too of parameters that are none: a list of what is wrong.
    const isMisfit = error.code === -32_603 && /^\[\s*\{/.test(error.message);
    const known = [-32_700, -32_600, -32_601, -32_602, -32_000, -32_002];
    if (!isMisfit) expect(known).toContain(error.code);
    return String(error.code);
  }
  if (result?.isError) return readBody(JSON.parse(result.content[0].text));
  return "result";
}

function readBody(body: unknown): string {
  const { code } = v.parse(errorBodySchema, body).error;
  expect(code).not.toBe("internal");
  return code;
}
