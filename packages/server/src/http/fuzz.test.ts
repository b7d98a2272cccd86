import { connect } from "node:net";
import { stringifyJson } from "@pond/canonical";
import { errorBodySchema, errorCodes, type OperationName, operations } from "@pond/wire";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chat, type TestPond, testPond } from "../testing.ts";
import { createHttpServer, type HttpServer } from "./server.ts";
import { post } from "./testing.ts";
import { junk, valueNamed } from "./testing-schema.ts";

const requests = process.env["POND_ALL"] === "1" ? 20_000 : 500;
/** What fuzzing may leave behind in this process, server, client and generator together. */
const maxGrowthBytes = 400 * 1024 * 1024;
/** Bytes that are no whole request are followed by the end of the connection. */
const quietMs = 20;

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
const definitions: Readonly<Record<OperationName, string>> = {
  search: "SearchRequest",
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
    fc.tuple(fc.constantFrom(...names.map((name) => operations[name].path)), junk),
  )
  .map(([path, value]) => post(path, stringifyJson(value)));

const bytes: fc.Arbitrary<Buffer> = fc
  .uint8Array({ maxLength: 300 })
  .map((octets) => Buffer.from(octets));

/** A body of any bytes, and headers of any kind. */
const dressed: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(
      ...names.map((name) => operations[name].path),
      "/v1/schema",
      "/%",
      "/__proto__",
    ),
    bytes,
    fc.dictionary(
      fc.constantFrom(
        ...["host", "origin", "content-type", "content-length", "transfer-encoding", "expect"],
        ...[
          "content-encoding",
          "connection",
          "upgrade",
          "accept",
          "x-pond-request-id",
          "__proto__",
        ],
      ),
      fc.oneof(
        fc
          .string({ unit: "binary-ascii", maxLength: 20 })
          .map((text) => text.replace(/[\r\n]/g, "")),
        fc.constantFrom("chunked", "gzip", "close", "100-continue", "0", "3", "null", "localhost"),
      ),
      { maxKeys: 4 },
    ),
  )
  .map(([path, body, headers]) => post(path, body, headers));

/** A sound request of which some bytes are others, missing or doubled. */
const damaged: fc.Arbitrary<Buffer> = fc
  .tuple(described, fc.nat(), fc.nat({ max: 8 }), bytes)
  .map(([whole, at, cut, put]) => {
    const from = at % whole.length;
    return Buffer.concat([whole.subarray(0, from), put.subarray(0, 8), whole.subarray(from + cut)]);
  });

type Sent = { readonly request: Buffer; readonly isSound: boolean };

const anything: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 10, arbitrary: described.map((request) => ({ request, isSound: true })) },
  ...[dressed, damaged, bytes].map((arbitrary) => ({
    weight: 3,
    arbitrary: arbitrary.map((request) => ({ request, isSound: false })),
  })),
);

it(`answers ${requests} requests of any kind without failing`, { timeout: 3_600_000 }, async () => {
  const seen = new Map<string, number>();
  const before = process.memoryUsage.rss();
  await fc.assert(
    fc.asyncProperty(anything, async (sent) => {
      const outcome = outcomeOf(await exchange(sent));
      if (sent.isSound) expect(outcome).not.toBe("nothing");
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }),
    { numRuns: requests },
  );
  const growth = process.memoryUsage.rss() - before;
  if (requests > 500) console.log(Object.fromEntries(seen), `rss +${Math.round(growth / 1e6)} MB`);

  expect(log).toBe("");
  expect(growth).toBeLessThan(maxGrowthBytes);
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(["answered", "validation_failed", "not_found", "namespace_unknown"]),
  );
  expect(await server.stop({ deadlineMs: 5_000 })).toBe(true);
});

/** Sends bytes and gives what came back until an answer was whole or the connection was closed. */
function exchange({ request, isSound }: Sent): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" });
    const quiet = isSound ? undefined : setTimeout(() => socket.end(), quietMs);
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      if (bodyOf(text) !== undefined) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(quiet);
      resolve(text);
    });
    socket.on("connect", () => socket.write(request));
  });
}

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";

/** The first whole body; undefined while there is none. */
function bodyOf(text: string): string | undefined {
  const answer = text.startsWith(goOn) ? text.slice(goOn.length) : text;
  const end = answer.indexOf("\r\n\r\n");
  const length = Number(/^content-length: (\d+)/im.exec(answer)?.[1] ?? 0);
  if (end < 0 || answer.length < end + 4 + length) return undefined;
  return Buffer.from(answer.slice(end + 4, end + 4 + length), "latin1").toString("utf8");
}

/** What an answer was, which must be one that there is. */
function outcomeOf(text: string): string {
  const body = bodyOf(text);
  if (body === undefined) return "nothing";
  const status = Number(/^HTTP\/1.1 (\d+)/m.exec(text.replace(goOn, ""))?.[1]);
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
