import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startS3 } from "@pond/storage-testkit";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import {
  endLeft,
  runServer,
  serverStart,
  session,
  startServer,
  testFolder,
} from "./process.test-kit.ts";

const folder = testFolder();
afterAll(() => {
  endLeft();
  rmSync(folder, { recursive: true });
});

test("answers a request that was running when it was told to stop, and exits with 0", async () => {
  const env = { POND_STORAGE: join(folder, "stop"), POND_NAMESPACES: "fixed:red" };
  const server = await startServer(env);
  const events = Array.from({ length: 200 }, (_, at) => session(`s${at}`, `text ${at}`)).flat();
  const ingesting = server.client("red").ingest({ events });
  await expect.poll(() => server.client("red").status(), { timeout: 30_000 }).toMatchObject({});

  const ended = await server.stop();

  expect(await ingesting).toMatchObject({ accepted: 600 });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/"is_answered":true,"is_closed":true,"msg":"stopped"/);
  const again = await startServer(env);
  expect(await again.client("red").status()).toMatchObject({ sessions: 200 });
  await again.stop();
});

test("a second signal ends the server at once", async () => {
  const server = await startServer({
    POND_STORAGE: join(folder, "twice"),
    POND_STOP_SECONDS: "3600",
  });
  // A body that never comes keeps the first one waiting.
  const headers = { "content-type": "application/json", expect: "100-continue" };
  const asking = request(`${server.url}/v1/ingest`, { method: "POST", headers });
  asking.on("error", () => undefined).flushHeaders();
  await once(asking, "continue");
  server.process.kill("SIGTERM");
  await expect.poll(() => server.log()).toContain('"stopping"');

  server.process.kill("SIGTERM");

  expect((await server.ended()).code).toBe(130);
});

// What nobody waits for ends before it is done where the machine is too busy for it.
test("leaves nothing in the folder for temporary files", { retry: 3 }, async ({ task }) => {
  const temporary = join(folder, `temporary-${task.result?.retryCount ?? 0}`);
  mkdirSync(temporary);
  const env = {
    ...{ POND_STORAGE: join(folder, "tidy"), POND_NAMESPACES: "fixed:red" },
    ...{ TMPDIR: temporary, TMP: temporary, TEMP: temporary },
  };
  const server = await startServer(env);
  await server.client("red").ingest({ events: session("s", "text") });

  const codes = [await server.stop(), await runServer(["--check"], env)].map(({ code }) => code);

  expect({ codes, left: readdirSync(temporary) }).toEqual({ codes: [0, 0], left: [] });
});

test("is not ready while the object store is gone, and ready again once it is back", async () => {
  const store = await startS3();
  const server = await startServer({
    POND_STORAGE: store.url("tenants"),
    POND_STORAGE_OPTIONS: JSON.stringify(store.storageOptions),
    POND_READY_SECONDS: "2",
  });
  const { port } = new URL(store.endpoint);
  const statusOf = async (path: string) => (await fetch(server.url + path)).status;

  await store.close();
  expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503]);
  expect(server.log()).toContain("storage does not answer");
  const back = await startS3({ port: Number(port) });

  await expect.poll(() => statusOf("/readyz"), { timeout: 20_000 }).toBe(200);
  expect(server.log()).not.toContain("pond-secret-key");
  await server.stop();
  await back.close();
});

test("says in its log why it is not ready while its folder is gone", async () => {
  const storage = join(folder, "unmounted");
  const server = await startServer({ POND_STORAGE: storage, POND_NAMESPACES: "on-first-ingest" });
  const readiness = async () => (await fetch(`${server.url}/readyz`)).status;

  renameSync(storage, `${storage}-elsewhere`);

  expect(await readiness()).toBe(503);
  expect(server.log()).toMatch(/"location":"[^"]*unmounted","reason":"ENOENT: .*does not answer"/);
  await expect(server.client("red").ingest({ events: session("s", "text") })).rejects.toMatchObject(
    { code: "storage_unavailable" },
  );
  renameSync(`${storage}-elsewhere`, storage);
  expect(await readiness()).toBe(200);
  await server.client("red").ingest({ events: session("s", "text") });
  await server.stop();
});

test("keeps serving when nobody reads its log any more", async () => {
  const server = await startServer({ POND_STORAGE: join(folder, "unread") });
  server.process.stderr?.destroy();

  for (const _ of ["its log breaks", "and stays so"]) {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  }

  expect((await server.stop()).code).toBe(0);
});

// Linux has a file on a disk that is always full.
describe.runIf(process.platform === "linux")("on a full disk", () => {
  test("keeps serving when its log cannot be written", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    const child = spawn(process.execPath, serverStart, {
      env: { POND_STORAGE: join(folder, "full"), POND_PORT: `${port}` },
      stdio: ["ignore", "ignore", openSync("/dev/full", "w")],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    const statusOf = async () =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status;

    await expect.poll(statusOf, { timeout: 30_000 }).toBe(200);
    expect(await statusOf()).toBe(200);

    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("reports that its output cannot be written", () => {
    const stdio = ["ignore", openSync("/dev/full", "w"), "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [...serverStart, "--help"], {
      stdio: [...stdio],
      encoding: "utf8",
    });

    expect([status, stderr]).toEqual([
      1,
      "pond-server: what it prints cannot be written: ENOSPC: no space left on device, write\n",
    ]);
  });
});

async function refusingEndpoint() {
  const endpoint = createServer((_, response) => response.writeHead(401).end());
  endpoint.listen(0, "127.0.0.1").unref();
  await once(endpoint, "listening");
  const { port } = endpoint.address() as AddressInfo;
  return {
    POND_EMBEDDINGS_URL: `http://127.0.0.1:${port}/v1`,
    POND_EMBEDDINGS_MODEL: "m",
    POND_EMBEDDINGS_DIMENSION: "3",
    POND_EMBEDDINGS_API_KEY: "embeddings-key",
  };
}

describe("at its start, the server", () => {
  test("exits with 2 and names every problem of a wrong environment", async () => {
    const ended = await runServer([], { POND_PORT: "x", POND_TYPO: "hunter2" });

    expect(ended.code).toBe(2);
    expect(ended.stdout).toBe("");
    expect(ended.stderr.match(/POND_(PORT|TYPO|STORAGE) is/g)).toHaveLength(3);
    expect(ended.stderr).not.toContain("hunter2");
  });

  test.each([
    ["--nonsense"],
    ["--provision", "../red"],
    ["--provision", "red", "--check"],
    ["--provision", "unlisted"],
  ])("refuses the arguments %s %s %s", async (...args) => {
    const env = { POND_STORAGE: join(folder, "usage"), POND_NAMESPACES: "fixed:red" };

    const ended = await runServer(args, env);

    expect(ended).toMatchObject({ code: 2, stdout: "" });
  });

  test.each(["v22.17.1", "v20.20.2"])(
    "exits with 2 on Node %s and names the version that it needs",
    async (old) => {
      const version = `Object.defineProperty(process,"version",{value:"${old}"})`;

      const ended = await runServer([], {
        POND_STORAGE: join(folder, "old"),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(version)}`,
      });

      expect(ended.code).toBe(2);
      expect(ended.stderr).toBe(`pond-server: needs Node 22.18 or later; this is ${old}\n`);
    },
  );

  test("exits with 2 on Windows and says where it runs", async () => {
    const platform = `Object.defineProperty(process,"platform",{value:"win32"})`;

    const ended = await runServer([], {
      POND_STORAGE: join(folder, "windows"),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(platform)}`,
    });

    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe("pond-server: runs on Linux and macOS; on Windows, run it in WSL\n");
  });

  test.each([["--check"], []])(
    "exits with 1 on storage that would lose commits: %s",
    async (...args) => {
      const store = await startS3({ isConditional: false });
      const env = {
        POND_STORAGE: store.url("tenants"),
        POND_STORAGE_OPTIONS: JSON.stringify(store.storageOptions),
      };

      const ended = await runServer(args, env);

      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("If-None-Match") });
      await store.close();
    },
  );

  test.each([["--help"], ["--version"]])(
    "answers %s even when the environment is wrong",
    async (flag) => {
      const ended = await runServer([flag], { POND_TYPO: "1" });

      expect(ended).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("reports with --check what it found, and leaves no tables behind", async () => {
    const store = await startS3();
    const env = {
      POND_STORAGE: store.url("tenants"),
      POND_STORAGE_OPTIONS: JSON.stringify(store.storageOptions),
      POND_NAMESPACES: "fixed:red",
    };

    const ended = await runServer(["--check"], env);

    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("red: nothing stored yet");
    expect(ended.stdout).not.toMatch(/key/);
    expect([...store.objects.keys()].filter((key) => key.endsWith(".lance"))).toEqual([]);
    await store.close();
  });

  test.each([["--check"], []])(
    "exits with 1 when the storage refuses its credentials: %s",
    async (...args) => {
      const store = await startS3();
      const env = {
        POND_STORAGE: store.url("tenants"),
        POND_STORAGE_OPTIONS: JSON.stringify({
          ...store.storageOptions,
          aws_access_key_id: "another-access-key",
        }),
      };

      const ended = await runServer(args, env);

      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain("s3://pond/tenants");
      expect(ended.stderr).not.toMatch(/another-access-key|pond-secret-key/);
      await store.close();
    },
  );

  test.each([
    ["a folder that does not exist", () => ({ POND_EMBEDDINGS_FOLDER: join(folder, "none") })],
    ["an endpoint that refuses the request", refusingEndpoint],
  ])("fails --check when embeddings come from %s", async (_, embeddings) => {
    const env = { POND_STORAGE: join(folder, "model"), ...(await embeddings()) };

    const ended = await runServer(["--check"], env);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/no such folder|answered 401/);
    expect(ended.stderr).not.toContain("embeddings-key");
  });

  test.runIf(process.platform === "linux").each([["--check"], []])(
    "exits with 1 when the storage folder cannot be created: %s",
    async (...args) => {
      const ended = await runServer(args, { POND_STORAGE: "/proc/pond/tenants" });

      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("'/proc/pond'") });
    },
  );

  test("exits with 1 and names TMPDIR when temporary files cannot be written", async () => {
    const env = { POND_STORAGE: join(folder, "temporary"), TMPDIR: join(folder, "none") };

    const ended = await runServer([], env);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("set TMPDIR");
  });

  test("exits with 1 when its port is taken", async () => {
    const env = { POND_STORAGE: join(folder, "port") };
    const server = await startServer(env);

    const ended = await runServer([], { ...env, POND_PORT: new URL(server.url).port });

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("EADDRINUSE");
    await server.stop();
  });
});
