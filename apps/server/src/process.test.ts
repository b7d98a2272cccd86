import { once } from "node:events";
import { rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { startS3 } from "@pond/storage-testkit";
import { afterAll, describe, expect, test } from "vitest";
import { runServer, session, startServer, testFolder } from "./process.test-kit.ts";

const folder = testFolder();
afterAll(() => rmSync(folder, { recursive: true }));

test("answers what was asked before it was told to stop, and ends well", async () => {
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

test("a second signal ends it at once", async () => {
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

test("an object store that is gone makes it not ready, and back makes it ready", async () => {
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

describe("before it serves", () => {
  test("a wrong environment ends it, with all that is wrong", async () => {
    const ended = await runServer([], { POND_PORT: "x", POND_TYPO: "hunter2" });

    expect(ended.code).toBe(2);
    expect(ended.stdout).toBe("");
    expect(ended.stderr.match(/POND_(PORT|TYPO|STORAGE) is/g)).toHaveLength(3);
    expect(ended.stderr).not.toContain("hunter2");
  });

  test.each([["--nonsense"], ["--provision", "../red"]])("%s is refused", async (...args) => {
    const ended = await runServer(args, { POND_STORAGE: join(folder, "usage") });

    expect(ended).toMatchObject({ code: 2, stdout: "" });
  });

  test.each([["--help"], ["--version"]])("%s needs no environment", async (flag) => {
    const ended = await runServer([flag], { POND_TYPO: "1" });

    expect(ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("a check says what it found and leaves nothing behind", async () => {
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

  test.each([["--check"], []])("storage that refuses ends it: %s", async (...args) => {
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
  });

  test("nowhere for temporary files ends it, before the engine ends the process", async () => {
    const env = { POND_STORAGE: join(folder, "temporary"), TMPDIR: join(folder, "none") };

    const ended = await runServer([], env);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("set TMPDIR");
  });

  test("a port that is taken ends it", async () => {
    const env = { POND_STORAGE: join(folder, "port") };
    const server = await startServer(env);

    const ended = await runServer([], { ...env, POND_PORT: new URL(server.url).port });

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("EADDRINUSE");
    await server.stop();
  });
});
