import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openEmbedder } from "../open-embedder.ts";
import { type Answer, LoopbackServer, respondWith, TestClock } from "../testing.ts";
import {
  type DownloadOptions,
  type DownloadProgress,
  downloadModel,
  downloadWithClock,
} from "./download-model.ts";
import { isDownloaded, removeModel } from "./model-folder.ts";
import { type PinnedModel, pinnedModels } from "./pinned-models.ts";

const contents = new Map<string, Buffer>();
let manifest: PinnedModel;
let built: string;
let cacheDirectory: string;
let server: LoopbackServer;
let clock: TestClock;

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "pond-built-"));
  await buildTestModel(built, { dimension: 8 });
  for (const name of ["model.onnx", "tokenizer.json"]) {
    contents.set(name, readFileSync(join(built, name)));
  }
  const file = (path: string) => {
    const bytes = contents.get(basename(path)) ?? Buffer.of();
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { path, name: basename(path), bytes: bytes.length, sha256 };
  };
  manifest = {
    name: "tiny",
    repository: "pond/tiny",
    revision: "0123456789abcdef0123456789abcdef01234567",
    licence: "Apache-2.0",
    dimension: 8,
    pooling: "mean",
    queryPrefix: "query: ",
    passagePrefix: "",
    maxTokens: 64,
    tokenizerConfig: { pad_token: "[PAD]" },
    files: [file("onnx/model.onnx"), file("tokenizer.json")],
  };
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  cacheDirectory = mkdtempSync(join(tmpdir(), "pond-cache-"));
  clock = new TestClock();
});
afterEach(async () => {
  rmSync(cacheDirectory, { recursive: true });
  await server.close();
});

/** A hub, which knows ranges. */
const hub: Answer = ({ url, headers }, response) => {
  const bytes = contents.get(basename(new URL(url, "http://hub.test").pathname));
  if (bytes === undefined) return void response.writeHead(404).end();
  const start = Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
  if (start === 0) return void response.end(bytes);
  const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
  response.writeHead(206, { "content-range": range }).end(bytes.subarray(start));
};

/** A hub that sends some bytes, from where it is asked to, and hangs up when they have arrived. */
function cutAfter(count: number) {
  let hangUp = (): void => {};
  let end = count;
  const answer: Answer = ({ url, headers }, response) => {
    const bytes = contents.get(basename(url)) ?? Buffer.of();
    const start = Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    end = start + count;
    hangUp = () => void response.destroy();
    const range = { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(start === 0 ? 200 : 206, {
      "content-length": bytes.length - start,
      ...(start > 0 && range),
    });
    response.write(bytes.subarray(start, end));
  };
  const onProgress = ({ bytesDone }: DownloadProgress): void => {
    if (bytesDone === end) hangUp();
  };
  return { answer, onProgress };
}

/** A hub that knows no ranges. */
const plainHub: Answer = ({ url }, response) => response.end(contents.get(basename(url)));

async function download(answers: readonly Answer[], options: Partial<DownloadOptions> = {}) {
  server = await LoopbackServer.with(...answers);
  const given = { cacheDirectory, endpoint: server.address, env: {}, ...options };
  return downloadWithClock(clock, manifest, given);
}

const folder = () => join(cacheDirectory, "tiny@0123456789ab");
const leave = (name: string, content: Uint8Array): void => {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), name), content);
};
const model = () => contents.get("model.onnx") ?? Buffer.of();
const ranges = () => server.seen.map(({ headers }) => headers.range);
const expectWhole = (): void => {
  expect(readdirSync(folder()).sort()).toEqual(["model.onnx", "tokenizer.json"]);
  for (const [name, bytes] of contents) {
    expect(readFileSync(join(folder(), name)).equals(bytes)).toBe(true);
  }
};

describe("a download", () => {
  it("gives a model that embeds", async () => {
    expect(await isDownloaded(manifest, cacheDirectory)).toBe(false);

    expect(await download([hub])).toBe(folder());

    expectWhole();
    expect(await isDownloaded(manifest, cacheDirectory)).toBe(true);
    const embedder = await openEmbedder({ kind: "pinned", model: manifest, cacheDirectory });
    expect(embedder).toMatchObject({ dimension: 8, limits: { maxTokens: 64 } });
    expect(embedder.modelId).toMatch(/^tiny#[0-9a-f]{12}$/);
    expect(await embedder.embed(["lock"], { kind: "query" })).toHaveLength(1);
    await embedder.close();
  });

  it("asks for the pinned revision under the mirror's own path", async () => {
    server = await LoopbackServer.with(hub);
    const env = { HF_ENDPOINT: `${server.address}/mirror/hub/` };

    await downloadModel(manifest, { cacheDirectory, env });

    const base = `/mirror/hub/pond/tiny/resolve/${manifest.revision}`;
    expect(server.seen.map(({ url }) => url)).toEqual([
      `${base}/onnx/model.onnx`,
      `${base}/tokenizer.json`,
    ]);
  });

  it("reports its progress over all files together", async () => {
    const seen: DownloadProgress[] = [];
    await download([hub], { onProgress: (progress) => seen.push(progress) });

    const bytesTotal = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(seen[0]).toEqual({ file: "model.onnx", bytesDone: 0, bytesTotal });
    expect(seen.at(-1)).toEqual({ file: "tokenizer.json", bytesDone: bytesTotal, bytesTotal });
    const done = seen.map(({ bytesDone }) => bytesDone);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  });

  it("fetches nothing that is already there", async () => {
    await download([hub]);
    await server.close();

    await download([respondWith(500)]);

    expect(server.seen).toEqual([]);
  });

  it("fetches a file again if it has another size", async () => {
    leave("model.onnx", model().subarray(0, 10));

    await download([hub]);

    expectWhole();
  });

  it("goes on where the connection was cut, as often as it is", async () => {
    const { answer, onProgress } = cutAfter(100);
    const cuts = Array.from({ length: 12 }, () => answer);
    await download([...cuts, hub], { onProgress });

    expectWhole();
    const from = cuts.map((_, at) => `bytes=${(at + 1) * 100}-`);
    expect(ranges()).toEqual([undefined, ...from, undefined]);
  });

  it.each<[string, Answer, (string | undefined)[]]>([
    ["resumes", hub, ["bytes=500-", undefined]],
    ["gets the whole file from a server without ranges", plainHub, ["bytes=500-", undefined]],
  ])("%s after an earlier call stopped", async (_, answer, expected) => {
    leave("model.onnx.part", model().subarray(0, 500));

    await download([answer]);

    expectWhole();
    expect(ranges()).toEqual(expected);
  });

  it.each<[string, Answer]>([
    ["416", respondWith(416)],
    ["another part than it asked for", respondWith(206, "x", { "content-range": "bytes 7-8/9" })],
  ])("starts over after %s", async (_, answer) => {
    leave("model.onnx.part", model().subarray(0, 500));

    await download([answer, hub]);

    expectWhole();
    expect(ranges()).toEqual(["bytes=500-", undefined, undefined]);
  });

  it.each<[string, () => Uint8Array]>([
    ["with other bytes", () => Buffer.alloc(500)],
    ["with other bytes and the full length", () => Buffer.alloc(model().length)],
    ["that is too long", () => Buffer.alloc(model().length + 1)],
  ])("starts over after a partial file %s", async (_, rest) => {
    leave("model.onnx.part", rest());

    await download([hub]);

    expectWhole();
  });

  it("is done if another download of the same model was done first", async () => {
    let goOn = (): void => {};
    const waits: Answer = (seen, response) => {
      const bytes = contents.get(basename(seen.url)) ?? Buffer.of();
      response.write(bytes.subarray(0, 700));
      goOn = () => void response.end(bytes.subarray(700));
    };
    const first = Promise.withResolvers<void>();
    const onProgress = ({ bytesDone }: DownloadProgress): void => {
      if (bytesDone === 700) first.resolve();
    };
    const running = download([waits, hub], { onProgress });
    await first.promise;
    await downloadWithClock(clock, manifest, { cacheDirectory, endpoint: server.address, env: {} });
    goOn();

    await running;

    expectWhole();
    expect(server.seen.map(({ url }) => basename(url))).toEqual([
      "model.onnx",
      "model.onnx",
      "tokenizer.json",
    ]);
  });

  it("accepts a partial file that is in fact whole", async () => {
    leave("model.onnx.part", model());

    await download([hub]);

    expectWhole();
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ["answers 429", respondWith(429, "", { "retry-after": "3" }), 3000],
    ["answers 503", respondWith(503), 500],
    ["hangs up at once", ((_, response) => response.destroy()) satisfies Answer, 500],
  ])("tries again when the server %s", async (_, failure, pause) => {
    await download([failure, hub]);

    expectWhole();
    expect(clock.slept).toEqual([pause]);
  });
});

describe("the hub's token", () => {
  it("goes to the hub, but not to where the hub redirects", async () => {
    const store = await LoopbackServer.with(hub);
    const toStore: Answer = ({ url }, response) =>
      response.writeHead(302, { location: `${store.address}/store${url}?signature=1` }).end();

    await download([toStore], { env: { HF_TOKEN: " hf_secret\n" } });

    expectWhole();
    expect(server.seen[0]?.headers).toMatchObject({ authorization: "Bearer hf_secret" });
    expect(store.seen[0]?.url).toMatch(/^\/store\/pond\/tiny\/.*\?signature=1$/);
    for (const { headers } of store.seen) expect(headers).not.toHaveProperty("authorization");
    await store.close();
  });

  it("is kept on a redirect within the hub itself", async () => {
    const moved: Answer = (_, response) =>
      response.writeHead(307, { location: "/other/model.onnx" }).end();

    await download([moved, hub], { env: { HF_TOKEN: "hf_secret" } });

    expect(server.seen[1]).toMatchObject({
      url: "/other/model.onnx",
      headers: { authorization: "Bearer hf_secret" },
    });
  });
});

describe("the proxy", () => {
  it("is asked for http addresses", async () => {
    server = await LoopbackServer.with(hub);
    const env = { HTTP_PROXY: server.address.replace("http://", "") };

    await downloadWithClock(clock, manifest, { cacheDirectory, endpoint: "http://hub.test", env });

    expectWhole();
    expect(server.seen[0]?.url).toMatch(/^http:\/\/hub\.test\/pond\/tiny\/resolve\//);
  });

  it("is asked for a tunnel to https addresses", async () => {
    server = await LoopbackServer.with(hub);
    const env = { https_proxy: server.address, HF_TOKEN: "hf_secret" };

    const running = downloadWithClock(clock, manifest, { cacheDirectory, env });

    await expect(running).rejects.toMatchObject({ code: "download_failed" });
    expect(new Set(server.connects)).toEqual(new Set(["huggingface.co:443"]));
    expect(server.seen).toEqual([]);
  });
});

describe("a download that fails", () => {
  it.each<[string, Answer, RegExp, number, number | undefined]>([
    ["a missing file", respondWith(404), /no such file/, 1, 404],
    ["a missing login", respondWith(401), /HF_TOKEN/, 1, 401],
    ["a forbidden file", respondWith(403), /HF_TOKEN/, 1, 403],
    ["a server that stays broken", respondWith(502), /answered 502/, 5, 502],
    ["ended early", respondWith(200, "only this"), /stopped at 9 of \d+ bytes/, 6, undefined],
    [
      "an answer that ends early",
      respondWith(200, "only this"),
      /stopped at 9 of \d+ bytes/,
      6,
      undefined,
    ],
    [
      "an answer with other bytes",
      (_, response) => response.end(Buffer.alloc(model().length)),
      /SHA-256/,
      1,
      undefined,
    ],
    [
      "an answer that is too long",
      (_, response) => response.end(Buffer.alloc(model().length + 1)),
      /more than/,
      1,
      undefined,
    ],
    [
      "redirects in a circle",
      respondWith(302, "", { location: "/again" }),
      /in a circle/,
      6,
      undefined,
    ],
    [
      "a redirect to an invalid address",
      respondWith(302, "", { location: "http://[" }),
      /not safe/,
      1,
      undefined,
    ],
    [
      "a redirect to another protocol",
      respondWith(302, "", { location: "file:///etc/passwd" }),
      /not safe/,
      1,
      undefined,
    ],
    [
      "a range that was not asked for",
      respondWith(206, "x", { "content-range": "bytes 7-8/9" }),
      /another part/,
      1,
      206,
    ],
  ])("says why and leaves no file in place: %s", async (_, answer, message, requests, status) => {
    const running = download([answer]);

    await expect(running).rejects.toMatchObject({
      code: "download_failed",
      message: expect.stringMatching(message),
      details: { model: "tiny", file: "model.onnx", ...(status && { status }) },
      [Symbol.for("pond.error")]: true,
    });
    expect(await isDownloaded(manifest, cacheDirectory)).toBe(false);
    expect(existsSync(join(folder(), "model.onnx"))).toBe(false);
    expect(server.seen.length).toBe(requests);
  });

  it("leaves nothing of a file with the wrong checksum", async () => {
    const wrong: Answer = (_, response) => response.end(Buffer.alloc(model().length));

    const failed = await download([wrong]).catch((error) => error);

    const came = createHash("sha256").update(Buffer.alloc(model().length)).digest("hex");
    const { sha256 } = manifest.files[0] ?? {};
    const reason = `the server sent another file than the model's: its SHA-256 is ${came} instead of ${sha256}, so it was removed`;
    expect(failed).toMatchObject({
      code: "download_failed",
      message: expect.stringContaining(`tiny: model.onnx: ${reason} (http://`),
      details: { file: "model.onnx", reason, problem: "other_content" },
    });
    expect(readdirSync(folder())).toEqual([]);
  });

  it("keeps what it has when aborted, and goes on from there", async () => {
    const abort = new AbortController();
    const slow: Answer = (_, response) => void response.write(model().subarray(0, 700));
    const onProgress = ({ bytesDone }: DownloadProgress): void => {
      if (bytesDone === 700) abort.abort(new Error("enough"));
    };

    const running = download([slow], { signal: abort.signal, onProgress });
    await expect(running).rejects.toThrow("enough");
    await server.close();

    await expect(
      openEmbedder({ kind: "pinned", model: manifest, cacheDirectory }),
    ).rejects.toMatchObject({ code: "model_incomplete" });
    await download([hub]);
    expectWhole();
    expect(ranges()[0]).toBe("bytes=700-");
  });

  it.each<[string, () => void]>([
    ["a file where the folder should be", () => writeFileSync(folder(), "")],
    [
      "a folder where a file should be",
      () => mkdirSync(join(folder(), "model.onnx.part/x"), { recursive: true }),
    ],
  ])("names the path that the disk refuses: %s", async (_, prepare) => {
    prepare();

    await expect(download([hub])).rejects.toMatchObject({
      code: "download_failed",
      message: expect.stringContaining(folder()),
      cause: { code: expect.stringMatching(/^E[A-Z]+$/) },
    });
  });

  it.runIf(process.platform === "linux")(
    "ends with an error where no folder can be made",
    async () => {
      // By another process: where it fails, its thread never ends.
      const code = `
      const { downloadModel } = await import(${JSON.stringify(new URL("download-model.ts", import.meta.url).href)});
      const options = { cacheDirectory: "/proc/pond/models", env: {} };
      await downloadModel("multilingual-e5-small", options).catch((error) => console.log(error.message));
    `;
      const args = ["--conditions=@pond/source", "--input-type=module", "--eval", code];
      const ended = spawnSync(process.execPath, args, { timeout: 60_000, killSignal: "SIGKILL" });

      expect(ended.stdout.toString()).toContain("/proc/pond: cannot be written: ENOENT");
    },
  );

  it.each([
    ["HF_ENDPOINT", { HF_ENDPOINT: "not an address" }],
    ["HF_ENDPOINT", { HF_ENDPOINT: "file:///tmp" }],
    ["HTTP_PROXY", { HF_ENDPOINT: "http://hub.test", HTTP_PROXY: "http://[" }],
  ])("names %s if it is not an address", async (name, env) => {
    server = await LoopbackServer.with(hub);

    await expect(downloadWithClock(clock, manifest, { cacheDirectory, env })).rejects.toMatchObject(
      {
        code: "download_failed",
        message: expect.stringContaining(name),
      },
    );
  });
});

describe("manifests", () => {
  it.each<[string, (of: PinnedModel) => PinnedModel]>([
    ["a path as their name", (of) => ({ ...of, name: "../tiny" })],
    ["a path as their revision", (of) => ({ ...of, revision: "a/b" })],
    [
      "a path as a file name",
      (of) => ({ ...of, files: of.files.map((file) => ({ ...file, name: "../model.onnx" })) }),
    ],
    [
      "a file without a checksum",
      (of) => ({ ...of, files: of.files.map((file) => ({ ...file, sha256: "" })) }),
    ],
    [
      "a file without a size",
      (of) => ({ ...of, files: of.files.map((file) => ({ ...file, bytes: 0 })) }),
    ],
    ["no tokenizer", (of) => ({ ...of, files: of.files.slice(0, 1) })],
  ])("are refused with %s", async (_, change) => {
    server = await LoopbackServer.with(hub);
    const changed = change(manifest);

    await expect(downloadWithClock(clock, changed, { cacheDirectory })).rejects.toMatchObject({
      code: "model_invalid",
    });
    expect(readdirSync(cacheDirectory)).toEqual([]);
  });

  it.each(pinnedModels)("pin a commit and every byte of $name", async (pinned) => {
    server = await LoopbackServer.with(hub);

    expect(pinned.revision).toMatch(/^[0-9a-f]{40}$/);
    expect(pinned.files.map(({ name }) => name).sort()).toEqual(["model.onnx", "tokenizer.json"]);
    for (const { bytes, sha256 } of pinned.files) {
      expect(bytes).toBeGreaterThan(0);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(await isDownloaded(pinned, cacheDirectory)).toBe(false);
    await expect(
      openEmbedder({ kind: "pinned", model: pinned.name, cacheDirectory }),
    ).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("not downloaded"),
    });
  });

  it("are named in the error for an unknown one", async () => {
    server = await LoopbackServer.with(hub);

    await expect(isDownloaded("unheard-of", cacheDirectory)).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("multilingual-e5-small"),
    });
  });
});

describe("a cached model", () => {
  it("is removed, even if only its folder is left", async () => {
    await download([hub]);
    const first = pinnedModels[0] as PinnedModel;
    const name = `${first.name}@${first.revision.slice(0, 12)}`;
    mkdirSync(join(cacheDirectory, name));
    expect(await isDownloaded(first.name, cacheDirectory)).toBe(false);

    expect(await removeModel(first.name, cacheDirectory)).toBe(true);
    expect(await removeModel(first.name, cacheDirectory)).toBe(false);
    expect(readdirSync(cacheDirectory)).toEqual([basename(folder())]);
    expect(await removeModel(manifest, cacheDirectory)).toBe(true);
    expect(readdirSync(cacheDirectory)).toEqual([]);
  });

  it("is neither found nor removed if there is no cache folder", async () => {
    server = await LoopbackServer.with(hub);
    const none = join(cacheDirectory, "none");

    expect(await isDownloaded("multilingual-e5-small", none)).toBe(false);
    expect(await removeModel("multilingual-e5-small", none)).toBe(false);
  });
});
