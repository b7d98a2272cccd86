import { WireError } from "@pond/wire";
import { describe, expect, it } from "vitest";
import { answering, post, send, withServer } from "./testing.ts";

const secret = "the-words-nobody-should-see";
const body = JSON.stringify({ protocol_version: 1, query: secret });
const headers = {
  authorization: `Bearer ${secret}`,
  cookie: `session=${secret}`,
  "user-agent": secret,
  "x-pond-request-id": secret,
  "request-id": secret,
};

async function logOf(handle: () => Promise<unknown>, bytes: Buffer) {
  return withServer({ handlers: answering(handle) }, async ({ port, server, lines }) => {
    const answer = await send(port, bytes);
    await server.stop();
    const entries = lines.map((line) => JSON.parse(line));
    return { answer, text: lines.join(""), entries };
  });
}

describe("the log", () => {
  it("has one line for each answer, with its duration and sizes", async () => {
    const { answer, entries } = await logOf(async () => ({ a: 1 }), post("/v1/search", body));
    const line = entries.find(({ msg }) => msg === "answered");

    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      request_id: answer.headers["x-pond-request-id"],
      operation: "search",
      status: 200,
      code: "ok",
      ms: expect.any(Number),
      bytes_in: body.length,
      bytes_out: 7,
      msg: "answered",
    });
  });

  it("has one line for bytes that are no request, under the request id of their answer", async () => {
    const { answer, text, entries } = await logOf(
      async () => ({}),
      Buffer.from(`${secret} pond\r\n\r\n`),
    );

    expect(entries.filter(({ msg }) => msg === "answered")).toEqual([
      expect.objectContaining({
        level: 30,
        request_id: answer.headers["x-pond-request-id"],
        operation: "none",
        status: 400,
        code: "validation_failed",
      }),
    ]);
    expect(text).not.toContain(secret);
  });

  it.each([
    ["an answer", async () => ({ text: secret }), post("/v1/search", body, headers)],
    [
      "a refusal by the handler",
      async () => {
        throw new WireError("validation_failed", secret, { secret });
      },
      post("/v1/get", body, headers),
    ],
    [
      "an unexpected error and its cause",
      async () => {
        throw new RangeError(secret, { cause: new Error(secret) });
      },
      post("/v1/get", body, headers),
    ],
    [
      "the cause of an internal error",
      async () => {
        throw new WireError("internal", "broken", {}, { cause: new Error(`${secret}\n${secret}`) });
      },
      post("/v1/get", body, headers),
    ],
    [
      "a thrown string",
      async () => {
        throw secret;
      },
      post("/v1/get", body, headers),
    ],
    ["a body that is not JSON", async () => ({}), post("/v1/search", secret, headers)],
    ["an unknown path", async () => ({}), post(`/${secret}?q=${secret}`, body, headers)],
    ["a path that cannot be decoded", async () => ({}), post(`/${secret}%ZZ`, body, headers)],
    ["a Host header", async () => ({}), post("/v1/search", body, { ...headers, host: secret })],
    ["bytes that are not HTTP", async () => ({}), Buffer.from(`${secret}\r\n\r\n`)],
  ])("never contains the words of %s", async (_, handle, bytes) => {
    const { text } = await logOf(handle, bytes);

    expect(text).not.toContain(secret);
  });

  it("tells where an unexpected error came from, while the client learns nothing of it", async () => {
    const failing = async (): Promise<never> => {
      throw new RangeError(secret);
    };
    const { answer, entries } = await logOf(failing, post("/v1/get", body));
    const line = entries.find(({ msg }) => msg === "unexpected error");

    expect(answer).toMatchObject({ status: 500, code: "internal" });
    expect(answer.body).not.toContain(secret);
    expect(line).toMatchObject({
      level: 50,
      request_id: answer.headers["x-pond-request-id"],
      error: "RangeError",
      frames: expect.arrayContaining([expect.stringContaining("log.test.ts")]),
    });
  });
});

it("gives every answer a request id of its own, whatever ids the client sends", async () => {
  const ids = await withServer({}, ({ port }) =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        const { headers: given } = await send(port, post("/v1/search", "{}", headers));
        return given["x-pond-request-id"];
      }),
    ),
  );

  expect(new Set(ids).size).toBe(20);
  expect(ids).not.toContain(secret);
});
