import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openEmbedder } from "../open-embedder.ts";
import type { HttpSettings } from "../settings.ts";
import { type Answer, LoopbackServer, respondWith, TestClock } from "../testing.ts";
import { HttpEmbedder } from "./http-embedder.ts";

let server: LoopbackServer;
let embedder: HttpEmbedder;
let clock: TestClock;
afterEach(async () => {
  await embedder.close();
  await server.close();
});

const apiKey = "sk-very-secret";
const passage = { kind: "passage" } as const;

async function openWith(answers: readonly Answer[], settings: Partial<HttpSettings> = {}) {
  server = await LoopbackServer.with(...answers);
  clock = new TestClock();
  embedder = new HttpEmbedder(
    {
      kind: "http",
      url: `${server.address}/v1/`,
      model: "test",
      dimension: 2,
      apiKey,
      env: {},
      ...settings,
    },
    clock,
  );
  return embedder;
}

const item = (index: number, embedding: unknown = [3, 4]) => ({ index, embedding });
const data = (...items: readonly unknown[]) => ({ object: "list", data: items });
const whole: Answer = ({ body }, response) => {
  const { input } = JSON.parse(body);
  const items = input.map((text: string, index: number) => item(index, [text.length, 0]));
  response.end(JSON.stringify(data(...items)));
};
const hangUp: Answer = (_, response) => response.destroy();

describe("a request", () => {
  it("has the address, headers and body that the endpoint expects", async () => {
    const { embed } = bound(await openWith([whole], { queryPrefix: "query: " }));

    await embed(["lock", "file"], { kind: "query" });

    expect(server.seen).toMatchObject([
      {
        method: "POST",
        url: "/v1/embeddings",
        headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      },
    ]);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({
      model: "test",
      input: ["query: lock", "query: file"],
    });
  });

  it("holds no key if none is set", async () => {
    const { embed } = bound(await openWith([whole], { apiKey: "" }));

    await embed(["lock"], passage);

    expect(server.seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each(["\n", "\r\n", "\r", " "])("holds the key without a %j at its end", async (end) => {
    const { embed } = bound(await openWith([whole], { apiKey: `${apiKey}${end}` }));

    await embed(["lock"], passage);

    expect(server.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${apiKey}` });
  });

  it("cuts texts between characters, and sends no empty or malformed text", async () => {
    const { embed } = bound(await openWith([whole], { maxCharacters: 4 }));

    await embed(["abcdef", "abc🔒", "", "\ud800"], passage);

    expect(JSON.parse(server.seen[0]?.body ?? "").input).toEqual(["abcd", "abc", " ", "\ufffd"]);
  });

  it("is not sent for no texts or for too many", async () => {
    const { embed } = bound(await openWith([whole], { maxTexts: 2 }));

    expect(await embed([], passage)).toEqual([]);
    await expect(embed(["a", "b", "c"], passage)).rejects.toThrow(RangeError);
    expect(server.seen).toEqual([]);
  });

  it("waits for its turn if there is a rate limit", async () => {
    const { embed } = bound(await openWith([whole], { requestsPerMinute: 30 }));

    for (const text of ["a", "b", "c"]) await embed([text], passage);

    expect(clock.slept).toEqual([2000, 2000]);
  });

  it("goes through the proxy that the environment names", async () => {
    await openWith([whole]);
    await embedder.close();
    const env = { http_proxy: server.address.replace("http://", "http://user:word@") };
    const url = "http://models.test/v1";
    embedder = new HttpEmbedder({ kind: "http", url, model: "test", dimension: 2, env });

    await embedder.embed(["lock"], passage);

    expect(server.seen).toMatchObject([
      {
        url: "http://models.test/v1/embeddings",
        headers: { "proxy-authorization": `Basic ${btoa("user:word")}` },
      },
    ]);
  });

  it.each([
    ["to this machine", "127.0.0.1", {}],
    ["to a host that NO_PROXY names", "0.0.0.0", { NO_PROXY: "example.test,0.0.0.0" }],
  ])("goes through no proxy %s", async (_, host, env) => {
    const dead = "http://127.0.0.1:9";
    const options = { env: { HTTP_PROXY: dead, HTTPS_PROXY: dead, ...env } };
    await openWith([whole]);
    const url = server.address.replace("127.0.0.1", host);
    await embedder.close();
    embedder = new HttpEmbedder({ kind: "http", url, model: "test", dimension: 2, ...options });

    expect(await embedder.embed(["lock"], passage)).toHaveLength(1);
  });

  it.each([
    ["an invalid address", "http://["],
    ["an address of an unsupported scheme", "socks4://127.0.0.1:1"],
  ])("is not sent if the proxy is %s", async (_, proxy) => {
    const { embed, close } = bound(
      await openWith([whole], { url: "http://a.test", env: { HTTP_PROXY: proxy } }),
    );

    await expect(embed(["lock"], passage)).rejects.toMatchObject({
      details: {
        reason: "HTTP_PROXY or HTTPS_PROXY is not a usable address",
        attempts: 1,
      },
    });
    await close();
  });

  it("is refused by a proxy that connects to no such host", async () => {
    await openWith([whole]);
    await embedder.close();
    const env = { HTTPS_PROXY: server.address };
    const url = "https://models.test/v1";
    embedder = new HttpEmbedder({ kind: "http", url, model: "test", dimension: 2, env });

    await expect(embedder.embed(["lock"], passage)).rejects.toMatchObject({
      details: { reason: "the proxy answered 403", attempts: 1, isOfEveryText: true },
    });
  });

  it("reaches this machine whatever the proxy is", async () => {
    const { embed } = bound(await openWith([whole], { env: { HTTPS_PROXY: "socks4://a.test" } }));

    await expect(embed(["lock"], passage)).resolves.toHaveLength(1);
  });
});

describe("a response", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("is decompressed though nobody asked for compression: %s", async (encoding, pack) => {
    const answer = pack(JSON.stringify(data(item(0, [3, 4]))));
    const { embed } = bound(
      await openWith([respondWith(200, answer, { "content-encoding": encoding })]),
    );

    expect(await embed(["a"], passage)).toEqual([Float32Array.of(0.6, 0.8)]);
    expect(server.seen[0]?.headers).toMatchObject({ "accept-encoding": "identity" });
  });

  it.each([
    ["too long once decompressed", gzipSync(Buffer.alloc(50_000_000, 32)), "is too long"],
    ["impossible to decompress", Buffer.from("no gzip"), "cannot be decompressed"],
  ])("is refused if it is %s", async (_, answer, reason) => {
    const { embed } = bound(
      await openWith([respondWith(200, answer, { "content-encoding": "gzip" })]),
    );

    await expect(embed(["a"], passage)).rejects.toMatchObject({
      details: { reason: expect.stringContaining(reason), attempts: 1 },
    });
  });

  it.each(["no gzip", ""])("of a temporary failure may be badly compressed: %j", async (answer) => {
    const refuse = respondWith(503, Buffer.from(answer), { "content-encoding": "gzip" });
    const { embed } = bound(await openWith([refuse, whole]));

    expect(await embed(["a"], passage)).toEqual([Float32Array.of(1, 0)]);
  });

  it.each([
    ["vectors in order", data(item(0, [0, 2]), item(1, [3, 4]))],
    ["vectors in another order", data(item(1, [3, 4]), item(0, [0, 2]))],
    ["vectors without indices", data({ embedding: [0, 2] }, { embedding: [3, 4] })],
    [
      "a vector in base64",
      data(item(0, Buffer.from(Float32Array.of(0, 2).buffer).toString("base64")), item(1, [3, 4])),
    ],
  ])("gives unit vectors in the order of the texts: %s", async (_, answer) => {
    const { embed } = bound(await openWith([respondWith(200, answer)]));

    expect(await embed(["a", "b"], passage)).toEqual([
      Float32Array.of(0, 1),
      Float32Array.of(0.6, 0.8),
    ]);
  });

  const secret = "the text that nobody may see";
  it.each<[string, Answer, string]>([
    ["too few vectors", respondWith(200, data(item(0))), "gave 1 vectors for 2 texts"],
    [
      "too many vectors",
      respondWith(200, data(item(0), item(1), item(2))),
      "gave 3 vectors for 2 texts",
    ],
    [
      "two vectors for one text",
      respondWith(200, data(item(1), item(1))),
      "two vectors for text 1",
    ],
    [
      "a vector for a text that was not sent",
      respondWith(200, data(item(0), item(2))),
      "for a text that was not sent",
    ],
    [
      "a vector with a fractional index",
      respondWith(200, data(item(0), item(0.5))),
      "for a text that was not sent",
    ],
    [
      "a vector that is too short",
      respondWith(200, data(item(0), item(1, [1]))),
      "1 numbers for text 1, not 2",
    ],
    [
      "a vector that is too long",
      respondWith(200, data(item(0), item(1, [1, 2, 3]))),
      "3 numbers for text 1, not 2",
    ],
    [
      "a vector with null in it",
      respondWith(200, data(item(0), item(1, [null, 1]))),
      "no numbers for text 1",
    ],
    [
      "a vector in base64 with an incomplete number",
      respondWith(200, data(item(0), item(1, "AAAA"))),
      "no numbers for text 1",
    ],
    ["null in place of a vector", respondWith(200, data(item(0), null)), "no numbers for text 1"],
    [
      "a zero vector",
      respondWith(200, data(item(0), item(1, [0, 0]))),
      "zero or not a number for text 1",
    ],
    [
      "a vector with an infinite number",
      respondWith(
        200,
        '{"data":[{"index":0,"embedding":[1,1e999]},{"index":1,"embedding":[1,1]}]}',
      ),
      "zero or not a number for text 0",
    ],
    [
      "a vector with NaN",
      respondWith(200, '{"data":[{"index":0,"embedding":[NaN,1]}]}'),
      "is not JSON",
    ],
    ["an HTML page", respondWith(200, `<!doctype html>${secret}`), "is not JSON"],
    ["an error with status 200", respondWith(200, { error: { message: secret } }), 'has no "data"'],
    ["an endless answer", respondWith(200, " ".repeat(1_100_000)), "is too long"],
    [
      "a redirect",
      respondWith(307, "", { location: "http://127.0.0.1:9/" }),
      "answered 307; redirects are not followed, so configure the address that it leads to",
    ],
    [
      "a refusal that quotes the key and the text",
      respondWith(401, { error: { message: `${secret} ${apiKey}`, code: "invalid_api_key" } }),
      "answered 401 (invalid_api_key); check the key",
    ],
    [
      "a refusal that is not due to the length of a text",
      respondWith(400, { error: { message: secret, code: 400 } }),
      "answered 400 (http",
    ],
    [
      "a refusal with a message in words",
      respondWith(404, { error: { message: "model not found", type: secret } }),
      "answered 404; check the address and the model's name",
    ],
  ])("is refused as a whole, without text or key in the error: %s", async (_, answer, reason) => {
    const { embed } = bound(await openWith([answer]));

    const error = await embed([secret, secret], passage).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "embedding_failed",
      message: expect.stringContaining(reason),
      details: { model: "test", url: `${server.address}/v1/embeddings`, attempts: 1 },
      [Symbol.for("pond.error")]: true,
    });
    const written = `${error} ${JSON.stringify(error)} ${String((error as Error).cause)}`;
    expect(written).not.toContain(secret);
    expect(written).not.toContain(apiKey);
    expect(server.seen).toHaveLength(1);
  });
});

describe("a text that is too long by itself", () => {
  const upTo = (most: number, status: number): Answer => {
    return (seen, response) => {
      const fits = JSON.parse(seen.body).input.every((text: string) => text.length <= most);
      return (fits ? whole : respondWith(status))(seen, response);
    };
  };
  const sent = () => server.seen.map(({ body }) => JSON.parse(body).input[0].length);

  it.each([400, 413, 422])("is halved until the endpoint accepts it: %d", async (status) => {
    const { embed } = bound(await openWith([upTo(1_600, status)]));

    expect(await embed(["a".repeat(9_000)], passage)).toEqual([Float32Array.of(1, 0)]);
    expect(sent()).toEqual([6_000, 3_000, 1_500]);
    expect(clock.slept).toEqual([]);
  });

  it.each([
    "input (1418 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
    "the input length exceeds the context length",
  ])(
    "is halved at once if a server answers its length with 500, as llama.cpp does: %s",
    async (message) => {
      const refuse = respondWith(500, { error: { code: 500, message, type: "server_error" } });
      const { embed } = bound(
        await openWith([
          (seen, response) => (seen.body.length > 2_000 ? refuse : whole)(seen, response),
        ]),
      );

      expect(await embed(["a".repeat(6_000)], passage)).toEqual([Float32Array.of(1, 0)]);
      expect(sent()).toEqual([6_000, 3_000, 1_500]);
      expect(clock.slept).toEqual([]);
    },
  );

  it.each(["the request took too long", "the queue exceeds the maximum of 64"])(
    "is sent again whole if a 500 only sounds like a length error: %s",
    async (message) => {
      const { embed } = bound(await openWith([respondWith(500, { error: { message } }), whole]));

      expect(await embed(["a".repeat(6_000)], passage)).toEqual([Float32Array.of(1, 0)]);
      expect(sent()).toEqual([6_000, 6_000]);
    },
  );

  it("in a batch is not sent again if a server answers its length with 500", async () => {
    const error = { message: "input is too large to process" };
    const { embed } = bound(await openWith([respondWith(500, { error })]));

    await expect(embed(["a".repeat(2_000), "b"], passage)).rejects.toMatchObject({
      details: { attempts: 1, isOfEveryText: false },
    });
    expect(clock.slept).toEqual([]);
  });

  it("in a batch is not sent again if a limit of tokens in a minute is below its length", async () => {
    const error = { message: "Request too large on tokens per min", code: "rate_limit_exceeded" };
    const { embed } = bound(await openWith([respondWith(429, { error })]));

    await expect(embed(["a".repeat(2_000), "b"], passage)).rejects.toMatchObject({
      details: { attempts: 1, isOfEveryText: false },
    });
  });

  it("is halved at most four times", async () => {
    const { embed } = bound(await openWith([upTo(100, 400)], { maxCharacters: 20_000 }));

    await expect(embed(["a".repeat(20_000)], passage)).rejects.toMatchObject({
      details: { status: 400, attempts: 5, isOfEveryText: false },
    });
    expect(sent()).toEqual([20_000, 10_000, 5_000, 2_500, 1_250]);
  });

  it("is not halved if it is short or in a batch", async () => {
    const { embed } = bound(await openWith([upTo(100, 400)]));

    await expect(embed(["a".repeat(499)], passage)).rejects.toThrow("answered 400 (http");
    await expect(embed(["a".repeat(2_000), "b"], passage)).rejects.toThrow(
      "answered 400; if a text is too long for its model, lower the limit of characters",
    );
    expect(sent()).toEqual([499, 2_000]);
  });
});

describe("a failure", () => {
  it.each<[string, Answer, boolean]>([
    ["400, as for a text that is too long", respondWith(400), false],
    ["500, as some servers answer for a text that is too long", respondWith(500), false],
    ["an answer without vectors", respondWith(200, "{}"), false],
    [
      "a text for which Ollama computes no numbers",
      respondWith(500, { error: { message: "json: unsupported value: NaN" } }),
      false,
    ],
    ["a quota that is used up", respondWith(429, { error: { code: "insufficient_quota" } }), true],
    ["a wrong key", respondWith(401), true],
    ["a wrong path", respondWith(404), true],
    ["too many requests", respondWith(429), true],
    ["a gateway without a server", respondWith(502), true],
    ["a broken connection", hangUp, true],
  ])("tells whether it would affect every text: %s", async (_, answer, isOfEveryText) => {
    const { embed } = bound(await openWith([answer]));

    await expect(embed(["lock"], passage)).rejects.toMatchObject({ details: { isOfEveryText } });
  });
});

describe("a temporary failure", () => {
  it.each<[string, Answer, number]>([
    ["408", respondWith(408), 500],
    ["429, as a limit of a minute ends later than that", respondWith(429), 10_000],
    ["429 in an answer of 200", respondWith(200, { error: { code: 429 } }), 10_000],
    ["500", respondWith(500), 500],
    ["503", respondWith(503), 500],
    ["a broken connection", hangUp, 500],
    ["429 with a number of seconds to wait", respondWith(429, "", { "retry-after": "7" }), 7000],
    [
      "503 with a date to wait for",
      respondWith(503, "", { "retry-after": new Date(1_009_000).toUTCString() }),
      9000,
    ],
  ])("is retried: %s", async (_, failure, pause) => {
    const { embed } = bound(await openWith([failure, whole]));

    expect(await embed(["lock"], passage)).toEqual([Float32Array.of(1, 0)]);
    expect(clock.slept).toEqual([pause]);
  });

  it.each(["0", new Date(1_000).toUTCString()])(
    "is retried after a pause even if the server asks for none: %s",
    async (header) => {
      const { embed } = bound(await openWith([respondWith(429, "", { "retry-after": header })]));

      await expect(embed(["lock"], passage)).rejects.toMatchObject({ details: { attempts: 5 } });
      expect(clock.slept).toEqual([10_000, 20_000, 40_000, 60_000]);
    },
  );

  it.each([
    ["a quota that is used up", 429, { code: "insufficient_quota" }],
    ["a text for which Ollama computes no numbers", 500, { message: "unsupported value: NaN" }],
  ])("is not assumed of what comes back each time: %s", async (_, status, error) => {
    const { embed } = bound(await openWith([respondWith(status, { error })]));

    await expect(embed(["lock", "file"], passage)).rejects.toMatchObject({
      details: { attempts: 1 },
    });
  });

  it("is tried five times, with growing pauses", async () => {
    const { embed } = bound(await openWith([respondWith(503)]));

    await expect(embed(["lock"], passage)).rejects.toMatchObject({
      code: "embedding_failed",
      details: {
        reason: "the endpoint answered 503",
        status: 503,
        attempts: 5,
        isOfEveryText: true,
      },
    });
    expect(clock.slept).toEqual([500, 1000, 2000, 4000]);
  });

  it("is tried twice for a query, because somebody waits for it", async () => {
    const { embed } = bound(await openWith([respondWith(503)]));

    await expect(embed(["lock"], { kind: "query" })).rejects.toMatchObject({
      details: { attempts: 2 },
    });
    expect(clock.slept).toEqual([500]);
  });

  it("is tried twice if that is to be brief, and tells why it is tried again", async () => {
    const { embed } = bound(await openWith([respondWith(503)]));
    const onRetry = vi.fn();

    await expect(embed(["lock"], { ...passage, isBrief: true, onRetry })).rejects.toMatchObject({
      details: { attempts: 2 },
    });
    expect(onRetry.mock.calls).toEqual([["the endpoint answered 503"]]);
  });

  it("pauses a second at most for a query, whatever the limit is", async () => {
    const { embed } = bound(await openWith([respondWith(429), whole]));

    expect(await embed(["lock"], { kind: "query" })).toHaveLength(1);
    expect(clock.slept).toEqual([1000]);
  });

  it.each([
    ["a passage", "passage", "3600", 1, []],
    ["a passage", "passage", "120", 5, [120_000, 120_000, 120_000, 120_000]],
    ["a query", "query", "2", 1, []],
    ["a query", "query", "1", 2, [1000]],
  ] as const)(
    "is waited out only as long as %s can wait: %s, Retry-After %s",
    async (_, kind, seconds, attempts, slept) => {
      const { embed } = bound(await openWith([respondWith(429, "", { "retry-after": seconds })]));

      await expect(embed(["lock"], { kind })).rejects.toMatchObject({
        details: {
          ...{ attempts, status: 429 },
          reason: `the endpoint answered 429; it asks for a pause of ${seconds} s`,
        },
      });
      expect(clock.slept).toEqual(slept);
    },
  );

  it("may be that what answers there speaks no HTTP", async () => {
    const noHttp: Answer = (_, response) => void response.socket?.end("SSH-2.0\r\n");
    const { embed } = bound(await openWith([noHttp]));

    await expect(embed(["lock"], passage)).rejects.toMatchObject({
      details: { reason: "the connection failed", attempts: 5, isOfEveryText: true },
    });
  });

  it("may be that nothing listens at the address", async () => {
    const { embed } = bound(await openWith([whole]));
    await server.close();

    await expect(embed(["lock"], passage)).rejects.toMatchObject({
      details: { reason: "nothing listens there (ECONNREFUSED)", attempts: 5, isOfEveryText: true },
    });
  });

  it("may be a response that never comes", async () => {
    const { embed } = bound(await openWith([() => {}, whole], { timeoutMs: 500 }));

    expect(await embed(["lock"], passage)).toEqual([Float32Array.of(1, 0)]);
  });

  it.each([
    [["lock"], 2, true],
    [["lock", "file"], 1, false],
  ])("without a response to %j is tried %d times", async (texts, attempts, every) => {
    const { embed } = bound(await openWith([() => {}], { timeoutMs: 500 }));

    await expect(embed(texts, passage)).rejects.toMatchObject({
      details: { attempts, isOfEveryText: every },
    });
    expect(server.seen).toHaveLength(attempts);
  });
});

describe("an HTTP embedder", () => {
  it("ends a call when its signal is aborted, and sends nothing after that", async () => {
    const abort = new AbortController();
    const stop: Answer = () => abort.abort(new Error("enough"));
    const { embed } = bound(await openWith([stop]));

    const running = embed(["lock"], { ...passage, signal: abort.signal });

    await expect(running).rejects.toThrow("enough");
    expect(server.seen).toHaveLength(1);
    await expect(embed(["lock"], { ...passage, signal: abort.signal })).rejects.toThrow("enough");
    expect(server.seen).toHaveLength(1);
  });

  it("finishes running calls when closed, and refuses later ones", async () => {
    const open = await openWith([whole]);
    const running = open.embed(["lock"], passage);

    const closing = open.close();

    await expect(open.embed(["late"], passage)).rejects.toMatchObject({ code: "embedding_failed" });
    await closing;
    expect(await running).toHaveLength(1);
  });

  it("has an id that depends only on the settings that change vectors", async () => {
    const idOf = async (settings: Partial<HttpSettings>) =>
      (
        await openEmbedder({
          kind: "http",
          url: "http://a.test/v1",
          model: "m",
          dimension: 2,
          ...settings,
        })
      ).modelId;
    const plain = await idOf({});
    await openWith([whole]);

    const same = [{ url: "http://b.test/" }, { apiKey }, { timeoutMs: 1 }, { maxTexts: 3 }];
    for (const settings of same) expect(await idOf(settings)).toBe(plain);
    const other = [
      { model: "n" },
      { dimension: 3 },
      { queryPrefix: "q" },
      { passagePrefix: "p" },
      { maxCharacters: 9 },
    ];
    const ids = await Promise.all(other.map(idOf));
    expect(new Set([plain, ...ids]).size).toBe(other.length + 1);
  });

  it.each<[string, Partial<HttpSettings>, typeof TypeError | typeof RangeError]>([
    ["an invalid address", { url: "localhost" }, TypeError],
    ["an unsupported protocol", { url: "ftp://a.test" }, TypeError],
    ["a password in the address", { url: "http://user:pass@a.test" }, TypeError],
    ["a line break in the key", { apiKey: "sk-1\nX: y" }, TypeError],
    ["characters in the key that no header can hold", { apiKey: "sk-ключ" }, TypeError],
    ["a dimension of zero", { dimension: 0 }, RangeError],
    ["a negative number of texts", { maxTexts: -1 }, RangeError],
    ["a number of requests that is NaN", { requestsPerMinute: Number.NaN }, RangeError],
  ])("is refused at once for %s", async (_, settings, kind) => {
    await openWith([whole]);

    await expect(
      openEmbedder({ kind: "http", url: "http://a.test", model: "m", dimension: 2, ...settings }),
    ).rejects.toThrow(kind);
  });
});

it("refuses a key that no header can hold without revealing the key", async () => {
  await openWith([whole]);

  const opened = openEmbedder({
    ...{ kind: "http", url: "http://a.test", model: "m", dimension: 2 },
    apiKey: "sk-1\u0000very-secret",
  });

  await expect(opened).rejects.toThrow(/^apiKey (?!.*secret)/);
});

function bound(of: HttpEmbedder) {
  return { embed: of.embed.bind(of), close: of.close.bind(of) };
}
