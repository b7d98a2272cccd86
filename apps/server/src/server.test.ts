import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { openSessions } from "@pond/sessions";
import { startS3 } from "@pond/storage-testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  endLeft,
  runServer,
  session,
  startServer,
  type TestServer,
  testFolder,
} from "./process.test-kit.ts";

const folder = testFolder();
const s3 = await startS3();
afterAll(async () => {
  endLeft();
  await s3.close();
  rmSync(folder, { recursive: true });
});

const places = [
  ["a folder", () => ({ POND_STORAGE: join(folder, "tenants") })],
  [
    "an object store",
    () => ({
      POND_STORAGE: s3.url("tenants"),
      POND_STORAGE_OPTIONS: JSON.stringify(s3.storageOptions),
    }),
  ],
] as const;

describe.each(places)("two tenants in %s", (_, place) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ ...place(), POND_NAMESPACES: "fixed:red,blue" });
    for (const name of ["red", "blue"]) {
      await server.client(name).ingest({ events: session(`of-${name}`, `apple in ${name}`) });
    }
  });
  afterAll(async () => {
    await server.stop();
  });

  test.each([
    ["red", "blue"],
    ["blue", "red"],
  ])("tenant %s sees nothing of tenant %s over HTTP", async (own, other) => {
    const client = server.client(own);

    const { sessions } = await client.search({ query: "apple" });
    const listed = await client.list();
    const foreign = client.get({ session_id: `of-${other}` });

    expect(sessions.map((found) => found.session_id)).toEqual([`of-${own}`]);
    expect(listed.sessions.map((each) => each.session_id)).toEqual([`of-${own}`]);
    await expect(foreign).rejects.toMatchObject({ code: "not_found" });
    expect(await client.status()).toMatchObject({ namespace: own, sessions: 1, messages: 1 });
  });

  test.each([
    ["red", "blue"],
    ["blue", "red"],
  ])("tenant %s sees nothing of tenant %s over MCP", async (own, other) => {
    const found = await call(server, `/mcp/${own}`, "pond_search", { query: "apple" });
    const listed = await call(server, `/mcp/${own}`, "pond_list", {});
    const foreign = await call(server, `/mcp/${own}`, "pond_get", { session_id: `of-${other}` });
    const spoken = await call(server, `/mcp/${own}`, "pond_search", {
      query: "apple",
      namespace: other,
    });

    expect(JSON.stringify(found.structuredContent)).toContain(`of-${own}`);
    expect(JSON.stringify(listed.structuredContent)).toContain(`of-${own}`);
    expect(JSON.stringify([found, listed])).not.toContain(`of-${other}`);
    expect(foreign.isError).toBe(true);
    expect(JSON.stringify(spoken)).not.toContain(`of-${other}`);
  });

  test.each(["", "green", "default", "Red", "../red", "red/../blue", "__proto__", "r".repeat(65)])(
    "the server refuses the unknown tenant %j",
    async (name) => {
      const client = server.client(name);
      const unknown = { code: "namespace_unknown", status: 403 };

      const asked = await client.status().catch((error) => error);
      const ingested = await client.ingest({ events: session("s", "t") }).catch((error) => error);

      expect([asked, ingested]).toEqual([
        expect.objectContaining(unknown),
        expect.objectContaining(unknown),
      ]);
    },
  );

  test.each(["/mcp", "/mcp/green", "/mcp/red%2f", "/mcp/%72ed"])(
    "the server refuses MCP at %s, which names no known tenant",
    async (path) => {
      const { isError, structuredContent, content } = await call(server, path, "pond_search", {
        query: "apple",
      });

      expect(isError).toBe(true);
      expect(JSON.stringify([structuredContent, content])).toContain("namespace_unknown");
    },
  );

  test("the server reports that it is alive and ready", async () => {
    const answers = ["/healthz", "/readyz"].map(
      async (path) => (await fetch(server.url + path)).status,
    );

    expect(await Promise.all(answers)).toEqual([200, 200]);
  });

  test("the server logs no text of a session and no credentials", () => {
    const log = server.log();

    const lines = log.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg)).toContain("answered");
    expect(log).not.toMatch(/apple|of-red|of-blue|pond-secret-key|pond-access-key/);
  });
});

type ToolResult = {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content?: unknown;
};

async function call(
  { url }: TestServer,
  path: string,
  name: string,
  args: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ToolResult> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const { result } = (await response.json()) as { result: ToolResult };
  return result;
}

describe("with a required tenant header, a request", () => {
  const header = "x-pond-namespace";
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      POND_STORAGE: join(folder, "gateway"),
      POND_NAMESPACES: "on-first-ingest",
      POND_NAMESPACE_HEADER: header,
    });
    for (const name of ["red", "blue"]) {
      const client = server.client(undefined, { [header]: name });
      await client.ingest({ events: session(`of-${name}`, "apple") });
    }
  });
  afterAll(async () => {
    await server.stop();
  });

  test.each([
    ["no namespace and the header names one", undefined, "red", "red"],
    ["the same namespace as the header", "red", "red", "red"],
    ["another namespace than the header", "blue", "red", "namespace_unknown"],
    ["a namespace and has no header", "red", undefined, "namespace_unknown"],
    ["no namespace and has no header", undefined, undefined, "namespace_unknown"],
    ["no namespace and has an empty header", undefined, "", "namespace_unknown"],
    ["no namespace and the header names two", undefined, "red, blue", "namespace_unknown"],
  ])("is answered or refused when it names %s", async (_, named, said, outcome) => {
    const client = server.client(named, said === undefined ? {} : { [header]: said });

    const seen = await client.status().then(
      ({ namespace }) => namespace,
      ({ code }) => code,
    );

    expect(seen).toBe(outcome);
  });

  test.each([{}, { [header]: "" }])(
    "is refused with the name of the header when the header is missing: %o",
    async (headers) => {
      await expect(server.client("red", headers).status()).rejects.toMatchObject({
        code: "namespace_unknown",
        message: `the request has no header ${header}, which names the namespace and is required here`,
        details: { header },
      });
    },
  );

  test.each([
    ["/mcp", "red", "of-red"],
    ["/mcp/", "red", "of-red"],
    ["/mcp/red", "red", "of-red"],
    ["/mcp/blue", "red", "namespace_unknown"],
    ["/mcp/red", undefined, "namespace_unknown"],
    ["/mcp", undefined, "namespace_unknown"],
    ["/mcp", undefined, "has no header x-pond-namespace"],
  ])("is answered or refused over MCP at %s with the header %s", async (path, said, outcome) => {
    const headers = said === undefined ? {} : { [header]: said };

    const result = await call(server, path, "pond_search", { query: "apple" }, headers);

    expect(JSON.stringify(result)).toContain(outcome);
  });
});

describe("namespace policies", () => {
  test("deny: a tenant exists once the operator has provisioned it", async () => {
    const env = { POND_STORAGE: join(folder, "deny") };
    const server = await startServer(env);
    const client = server.client("red");
    await expect(client.ingest({ events: session("s", "text") })).rejects.toMatchObject({
      code: "namespace_unknown",
      status: 403,
    });

    expect(await runServer(["--provision", "red"], env)).toMatchObject({ code: 0 });

    expect(await client.ingest({ events: session("s", "text") })).toMatchObject({ accepted: 3 });
    await server.stop();
  });

  test("deny: several tenants are provisioned in one run, all or none", async () => {
    const env = { POND_STORAGE: join(folder, "several") };
    const both = ["--provision", "red", "--provision", "blue"];

    const refused = await runServer([...both, "--provision", "../x"], env);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(env.POND_STORAGE)).toBe(false);

    const made = await runServer(both, env);
    expect(made).toMatchObject({ code: 0, stdout: "red: ready\nblue: ready\n" });
    expect(readdirSync(env.POND_STORAGE).sort()).toEqual(["blue", "red"]);
  });

  test("on-first-ingest: a tenant exists once something was ingested for it", async () => {
    const env = { POND_STORAGE: join(folder, "first"), POND_NAMESPACES: "on-first-ingest" };
    const server = await startServer(env);
    const client = server.client("red");
    await expect(client.status()).rejects.toMatchObject({ code: "namespace_unknown", status: 403 });

    await client.ingest({ events: session("s", "text") });

    expect(await client.status()).toMatchObject({ sessions: 1 });
    await server.stop();
  });

  test("fixed: a tenant on the list exists before anything is stored", async () => {
    const env = { POND_STORAGE: join(folder, "fixed"), POND_NAMESPACES: "fixed:red" };
    const server = await startServer(env);

    await expect(server.client("red").status()).rejects.toMatchObject({ code: "not_found" });
    await server.stop();
  });
});

test("a model in a folder is loaded, and the status does not show the folder", async () => {
  const model = join(folder, "model");
  await buildTestModel(model);
  const server = await startServer({
    POND_STORAGE: join(folder, "embedded"),
    POND_NAMESPACES: "fixed:red",
    POND_EMBEDDINGS_FOLDER: model,
  });
  const client = server.client("red");
  await client.ingest({ events: session("s", "text") });

  const { embedding } = await client.status();

  expect(embedding).toMatchObject({ enabled: true, dimension: 64, embedded: 0, missing: 1 });
  expect(JSON.stringify(embedding)).not.toContain(folder);
  await server.stop();
});

test("the operator is told that all vectors are of another model, and the tenant is not", async () => {
  const server = await startServer({
    POND_STORAGE: join(folder, "other-model"),
    POND_NAMESPACES: "fixed:red",
    // Nobody is asked there: there is nothing to compare with.
    POND_EMBEDDINGS_URL: "http://127.0.0.1:1/v1",
    POND_EMBEDDINGS_MODEL: "configured",
    POND_EMBEDDINGS_DIMENSION: "384",
  });
  const client = server.client("red");
  await client.ingest({ events: session("s", "apple") });
  const { store, close } = await openSessions(join(folder, "other-model", "red"), {
    mode: "write",
  });
  await store.table("messages").update({
    ...{ session_id: ["s"], id: ["m"] },
    ...{ vector: [new Float32Array(384).fill(1)], embedding_model: ["other"] },
  });
  close();

  const { warnings } = await client.search({ query: "apple" });
  await server.stop();

  expect(warnings).toEqual([
    {
      code: "embedding_failed",
      message: "the model cannot be used, so only words were searched",
    },
  ]);
  expect(server.log()).toMatch(
    /"level":50,.*"reason":"no vector is of configured#\w+, .*"msg":"a search did not go by meaning"/,
  );
});

test("six tenants take turns in two open stores", async () => {
  const server = await startServer({
    POND_STORAGE: join(folder, "few"),
    POND_NAMESPACES: "on-first-ingest",
    POND_MAX_OPEN_NAMESPACES: "2",
  });
  const names = ["a", "b", "c", "d", "e", "f"];

  await Promise.all(
    names.map((name) => server.client(name).ingest({ events: session("s", `text of ${name}`) })),
  );
  const answers = await Promise.all(
    [...names, ...names].map(async (name) => {
      const { sessions } = await server.client(name).search({ query: "text" });
      return sessions[0]?.matches[0]?.snippet.text.includes(`of ${name}`);
    }),
  );

  expect(answers).toEqual(Array(12).fill(true));
  await server.stop();
});
