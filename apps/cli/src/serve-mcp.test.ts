import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line } from "./testing.ts";
import { startOf } from "./testing-start.ts";

let home: Home;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  home = new Home();
  const config = home.write("model.toml", '[embeddings]\nfolder = "~/model"');
  await buildTestModel(join(home.folder, "model"));
  env = { POND_CONFIG: config };
  home.writeSession("s1", line("s1", "m1", "the heron stood in the reeds"));
  expect((await home.pondWith({ env }, "sync", "-q")).code).toBe(0);
});
afterAll(() => home.remove());

/** Prints in every way JavaScript has, again and again, once the protocol is spoken. */
const noise = `
  const before = globalThis.console;
  const timer = setInterval(() => {
    if (globalThis.console === before) return;
    console.log("noise of a log");
    console.info("noise of an info");
    process.stdout.write("noise of a write\\n");
    process.emitWarning("noise of a warning");
  }, 1);
  timer.unref();
`;

const hello = { protocolVersion: "2025-06-18", capabilities: {} };
const asked = [
  { id: 1, method: "initialize", params: { ...hello, clientInfo: { name: "t", version: "1" } } },
  { id: 2, method: "tools/call", params: { name: "pond_search", arguments: { query: "heron" } } },
  { id: 3, method: "tools/call", params: { name: "pond_get", arguments: { session_id: "s1" } } },
  { id: 4, method: "resources/read", params: { uri: "stats://pond" } },
  { id: 5, method: "tools/call", params: { name: "pond_none", arguments: {} } },
];

it.each([
  ["libraries print", ["--import", `data:text/javascript,${encodeURIComponent(noise)}`], {}],
  [
    "native code logs all it can",
    [],
    { RUST_LOG: "trace", LANCE_LOG: "trace", RUST_BACKTRACE: "1", ORT_LOG_LEVEL: "VERBOSE" },
  ],
])("stdout of pond mcp carries nothing but the protocol when %s", async (_, options, more) => {
  const child = spawn(process.execPath, [...options, ...startOf("main"), "mcp"], {
    cwd: home.folder,
    env: { ...home.env, ...env, ...more },
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk) => {
      said[name] += String(chunk);
    });
  }
  child.stdin.end(asked.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
  await once(child, "close");

  const answers = said.stdout.trimEnd().split("\n");
  const messages = answers.map((each) => JSON.parse(each));
  expect(messages.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(messages.find(({ id }) => id === 2)).toMatchObject({
    result: { structuredContent: { mode: "hybrid", sessions: [{ session_id: "s1" }] } },
  });
  if (options.length > 0) {
    for (const kind of ["a log", "an info", "a write", "a warning"]) {
      expect(said.stderr).toContain(`noise of ${kind}`);
    }
  }
});

it("pond mcp exits with 0 when nobody reads its stdout any more", async () => {
  const child = spawn(process.execPath, [...startOf("main"), "mcp"], {
    cwd: home.folder,
    env: { ...home.env, ...env },
  });
  child.stdout.destroy();
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...asked[0] })}\n`);
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...asked[1] })}\n`);

  const [code, signal] = await once(child, "exit");

  expect([code, signal]).toEqual([0, null]);
});
