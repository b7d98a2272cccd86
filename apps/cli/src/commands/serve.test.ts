import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";
import { startOf } from "../testing-start.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.write("model.toml", '[embeddings]\nfolder = "~/model"');
  await buildTestModel(join(home.folder, "model"));
  home.writeSession(
    "s1",
    line("s1", "m1", "the heron stood in the reeds \x1b[2J"),
    line("s1", "m2", "a text without its name", { parentUuid: "m1" }),
  );
  expect((await home.pondWith({ env: modelEnv }, "sync", "-q")).code).toBe(0);
});
afterAll(() => home.remove());

const modelEnv = {
  get POND_CONFIG() {
    return join(home.folder, "model.toml");
  },
};

/** A command that runs until it is told to end. */
class Running {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = "";
  stderr = "";
  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const options = { cwd: home.folder, env: { ...home.env, ...env } };
    this.child = spawn(process.execPath, [...startOf("main"), ...argv], options);
    this.child.stdout.on("data", (chunk) => {
      this.stdout += String(chunk);
    });
    this.child.stderr.on("data", (chunk) => {
      this.stderr += String(chunk);
    });
    running.push(this);
  }

  /** Waits until it has said something of the kind. */
  async said(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match) return match;
      await once(this.child[stream], "data");
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, "exit");
    return this.child.exitCode;
  }
}

let running: Running[] = [];
afterEach(() => {
  for (const { child } of running) child.kill("SIGKILL");
  running = [];
});

async function serving(
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<[Running, string]> {
  const server = new Running(["serve", "--port", "0", ...argv], env);
  const [, url = ""] = await server.said("stdout", /(http:[^ ",]+).*\n/);
  return [server, url];
}

function ask(url: string, fields: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body: JSON.stringify({ protocol_version: 1, ...fields }),
    headers: { "content-type": "application/json" },
  });
}

describe("pond serve", () => {
  it("prints in one line where it listens", async () => {
    const [server] = await serving();

    expect(server.stdout).toMatch(/^Listening on (http:\/\/127\.0\.0\.1:\d+), MCP at \1\/mcp\n$/);
    server.child.kill("SIGTERM");
    expect(await server.ended()).toBe(0);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("answers until %s, and exits with 0", async (signal) => {
    const [server, url] = await serving(["--json"]);
    expect(JSON.parse(server.stdout)).toEqual({ url, mcp: `${url}/mcp`, pid: server.child.pid });

    const found = await ask(`${url}/v1/search`, { query: "heron" });
    const session = { id: "s2", source_agent: "demo", created_at: "2026-01-01T00:00:00Z" };
    const event = { kind: "session", session: { ...session, project: "/x", options: {} } };
    const stored = await ask(`${url}/v1/ingest`, { events: [event] });
    const page = await ask(`${url}/v1/get`, { session_id: "s2" });
    const restored = await ask(`${url}/v1/restore`, { session_id: "s1" });
    const foreign = await ask(`${url}/v1/restore`, { session_id: "s1", to: "codex" });
    const elsewhere = await ask(`${url}/v1/search`, { query: "x", namespace: "other" });

    expect(await found.json()).toMatchObject({ sessions: [{ session_id: "s1" }] });
    expect(await stored.json()).toMatchObject({ accepted: 1 });
    expect(await page.json()).toMatchObject({ session: { project: "/x" } });
    expect(await restored.json()).toMatchObject({ native: true });
    expect(await foreign.json()).toMatchObject({ native: false });
    expect(elsewhere.status).toBe(403);
    server.child.kill(signal);
    expect(await server.ended()).toBe(0);
    expect(server.stdout.trim().split("\n")).toHaveLength(1);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("finishes a running request at %s", async (signal) => {
    const [server, url] = await serving();
    const body = JSON.stringify({ protocol_version: 1, query: "heron" });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    const head = `POST /v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`;
    socket.write(head);
    await once(socket, "data");

    server.child.kill(signal);
    await server.said("stderr", /Stopping/);
    // The shell of a terminal that is closed passes it on, and the system sends it, too.
    if (signal === "SIGHUP") server.child.kill(signal);
    socket.write(body);
    await once(socket, "close");

    expect(answer).toMatch(/HTTP\/1\.1 200 /);
    expect(answer).toContain('"session_id":"s1"');
    expect(await server.ended()).toBe(0);
  });

  it("stops at once on a second signal", async () => {
    const [server, url] = await serving();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      "POST /v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n",
    );
    await once(socket, "data");

    server.child.kill("SIGINT");
    await server.said("stderr", /Stopping/);
    server.child.kill("SIGINT");

    expect(await server.ended()).toBe(130);
    socket.destroy();
  });

  it("refuses unknown host names, and accepts the one of --allowed-host", async () => {
    const [server, url] = await serving(["--allowed-host", "pond.example"]);
    const statusFor = async (host: string): Promise<string> => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.write(`GET /v1/schema HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      const [chunk] = await once(socket, "data");
      socket.destroy();
      return String(chunk).slice(9, 12);
    };

    expect(await statusFor("pond.example")).toBe("200");
    expect(await statusFor("evil.example")).toBe("403");
    server.child.kill("SIGTERM");
    await server.ended();
  });

  it("logs no text of a session", async () => {
    const [server, url] = await serving(["-v"]);

    await (await ask(`${url}/v1/search`, { query: "heron" })).text();
    await server.said("stderr", /"operation":"search"/);
    server.child.kill("SIGTERM");
    await server.ended();

    expect(server.stderr).not.toContain("heron");
  });

  it.each([
    ["an address that other machines can reach", ["--host", "0.0.0.0"], "--allow-remote"],
    ["a port out of range", ["--port", "65536"], "0 to 65535"],
    ["an unknown transport", ["--transport", "carrier-pigeon"], "http, stdio"],
    [
      "a port for the stdio transport",
      ["--transport", "stdio", "--port", "1"],
      "listens on no address",
    ],
  ])("refuses %s", async (_, argv, words) => {
    const { code, stdout, stderr } = await home.pond("serve", ...argv);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
  });

  it("names the port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = String(typeof address === "object" ? address?.port : "");

    const { code, stderr } = await home.pond("serve", "--port", port);

    expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port} is taken`)]);
    other.close();
  });
});

describe("pond mcp", () => {
  const client = { protocolVersion: "2025-06-18", capabilities: {} };
  const hello = {
    id: 1,
    method: "initialize",
    params: { ...client, clientInfo: { name: "t", version: "1" } },
  };
  const search = (id: number, query: string) => ({
    ...{ id, method: "tools/call" },
    params: { name: "pond_search", arguments: { query } },
  });

  /** Sends messages, closes stdin, and gives what was answered by then. */
  async function talk(
    messages: readonly object[],
    {
      argv = ["mcp"],
      env = {},
    }: { argv?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
  ) {
    const pond = new Running(argv, env);
    const lines = messages.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each }));
    pond.child.stdin.end(lines.map((each) => `${each}\n`).join(""));
    const code = await pond.ended();
    const answers = pond.stdout.split("\n").filter((each) => each !== "");
    return { code, stderr: pond.stderr, answers: answers.map((each) => JSON.parse(each)) };
  }

  it("writes nothing but the protocol to stdout, and exits when stdin ends", async () => {
    const { code, stderr, answers } = await talk([hello, search(2, "heron")], {
      argv: ["mcp", "-v"],
    });

    expect([code, stderr]).toEqual([0, ""]);
    expect(answers).toMatchObject([
      { jsonrpc: "2.0", id: 1, result: { serverInfo: { name: "pond" } } },
      { jsonrpc: "2.0", id: 2, result: { structuredContent: { mode: "full_text" } } },
    ]);
    expect(answers[1].result.content[0].text).toContain("> the heron stood in the reeds ␛[2J");
  });

  it("does the same as serve --transport stdio", async () => {
    const { code, answers } = await talk([hello], { argv: ["serve", "--transport", "stdio"] });

    expect([code, answers]).toMatchObject([0, [{ id: 1 }]]);
  });

  it("searches by meaning when a model is configured", async () => {
    const { answers } = await talk([hello, search(2, "heron")], { env: { ...modelEnv } });

    expect(answers[1].result.structuredContent.mode).toBe("hybrid");
  });

  it("searches by words when the model cannot be used, and warns of it", async () => {
    const env = { POND_CONFIG: home.write("no-model.toml", '[embeddings]\nfolder = "~/nowhere"') };

    const { answers } = await talk([hello, search(2, "heron")], { env });

    expect(answers[1].result.structuredContent).toMatchObject({
      mode: "full_text",
      sessions: [{ session_id: "s1" }],
      warnings: [{ code: "embedding_failed" }],
    });
  });

  it("says that nothing is stored yet, and names pond sync", async () => {
    const { code, answers } = await talk([hello, search(2, "heron")], {
      argv: ["mcp", "--storage", "nothing-there"],
    });

    expect(code).toBe(0);
    expect(answers[1].result).toMatchObject({ isError: true });
    expect(JSON.stringify(answers[1])).toContain("pond sync");
  });

  it("finds sessions stored since it started", async () => {
    const pond = new Running(["mcp", "--storage", "later"]);
    const write = (message: object) =>
      pond.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    write(hello);
    write(search(2, "heron"));
    await pond.said("stdout", /"id":2/);

    expect((await home.spawn(["sync", "-q", "--storage", "later"])).code).toBe(0);
    write(search(3, "heron"));
    await pond.said("stdout", /"id":3/);
    pond.child.stdin.end();

    expect(await pond.ended()).toBe(0);
    expect(pond.stdout.trim().split("\n").at(-1)).toContain('"session_id":"s1"');
  });

  it("exits with 0 on SIGTERM", async () => {
    const pond = new Running(["mcp"]);
    pond.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...hello })}\n`);
    await pond.said("stdout", /"id":1/);

    pond.child.kill("SIGTERM");

    expect(await pond.ended()).toBe(0);
  });
});

describe("pond mcp beside pond serve", () => {
  const hello = {
    id: 1,
    method: "initialize",
    params: {
      ...{ protocolVersion: "2025-06-18", capabilities: {} },
      clientInfo: { name: "t", version: "1" },
    },
  };
  const call = (id: number, name: string, given: object) => ({
    ...{ id, method: "tools/call" },
    params: { name, arguments: given },
  });

  class Agent {
    readonly pond: Running;
    #id = 1;
    constructor(argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
      this.pond = new Running(["mcp", ...argv], env);
      this.#write(hello);
    }

    #write(message: object): void {
      this.pond.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    }

    async call(name: string, given: object) {
      this.#id += 1;
      this.#write(call(this.#id, name, given));
      const [line] = await this.pond.said("stdout", new RegExp(`^.*"id":${this.#id}}$`, "m"));
      return JSON.parse(line).result;
    }

    /** True where this process has loaded the library itself. */
    holds(library: "lancedb" | "onnxruntime"): boolean {
      return readFileSync(`/proc/${this.pond.child.pid}/maps`, "utf8").includes(library);
    }

    async close(): Promise<number | null> {
      this.pond.child.stdin.end();
      return this.pond.ended();
    }
  }

  const isLinux = process.platform === "linux";
  if (!isLinux) console.warn("skipped: what a process has open is read from /proc");

  it.skipIf(!isLinux)(
    "lets the server load the model, so that no agent's process has to",
    async () => {
      const [server] = await serving([], { ...modelEnv });
      const agents = [new Agent([], { ...modelEnv }), new Agent([], { ...modelEnv })];

      const found = await Promise.all(
        agents.map((agent) => agent.call("pond_search", { query: "heron" })),
      );

      const modes = found.map(({ structuredContent }) => structuredContent.mode);
      expect(modes).toEqual(["hybrid", "hybrid"]);
      expect(agents.map((agent) => agent.holds("onnxruntime"))).toEqual([false, false]);
      await Promise.all(agents.map((agent) => agent.close()));
      server.child.kill("SIGTERM");
      await server.ended();
    },
  );

  it.skipIf(!isLinux)("continues alone, without a message, when the server goes away", async () => {
    const [server] = await serving();
    const agent = new Agent();
    await agent.call("pond_search", { query: "heron" });
    expect(agent.holds("lancedb")).toBe(false);

    // It leaves what it wrote down behind.
    server.child.kill("SIGKILL");
    await server.ended();
    const found = await agent.call("pond_search", { query: "heron" });

    expect(found.structuredContent.sessions).toMatchObject([{ session_id: "s1" }]);
    expect(agent.holds("lancedb")).toBe(true);
    expect(await agent.close()).toBe(0);
    expect(agent.pond.stderr).toBe("");
  });

  describe.skipIf(!isLinux)("with the server running", () => {
    let server: Running;
    let file: string;
    /** What it wrote down there. */
    let announced: string;
    beforeAll(async () => {
      [server] = await serving();
      // It is there for several tests.
      running = running.filter((each) => each !== server);
      const folder = join(home.folder, ".local/state/pond/serve");
      const [name = ""] = readdirSync(folder);
      file = join(folder, name);
      announced = readFileSync(file, "utf8");
    });
    afterEach(() => writeFileSync(file, announced));
    afterAll(async () => {
      server.child.kill("SIGTERM");
      await server.ended();
    });

    it("asks the server instead of opening the store", async () => {
      const agent = new Agent();

      const found = await agent.call("pond_search", { query: "heron" });
      const page = await agent.call("pond_get", { session_id: "s1" });
      const missing = await agent.call("pond_get", { session_id: "none" });

      expect(found.structuredContent.sessions).toMatchObject([{ session_id: "s1" }]);
      expect(page.structuredContent.messages).toHaveLength(2);
      expect(JSON.parse(missing.content[0].text).error.code).toBe("not_found");
      expect(agent.holds("lancedb")).toBe(false);
      expect(await agent.close()).toBe(0);
    });

    it.each([
      ["that serves another store", ["--storage", "later"], {}],
      ["when another model is configured", [], modelEnv],
    ])("asks no server %s", async (_, argv, env) => {
      const agent = new Agent(argv, { ...env });

      const found = await agent.call("pond_search", { query: "heron" });

      expect(found.structuredContent.sessions).toHaveLength(1);
      expect(agent.holds("lancedb")).toBe(true);
      await agent.close();
    });

    it.each([
      ["invalid JSON", () => "{"],
      [
        "the id of a process that does not run",
        (file: string) => file.replace(/"pid":\d+/, '"pid":4194304'),
      ],
      ["another instance", (file: string) => file.replace(/"instance":"[^"]+"/, '"instance":"x"')],
      ["another version", (file: string) => file.replace(/"version":"[^"]+"/, '"version":"9"')],
      ["a closed port", (file: string) => file.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1")],
    ])("ignores a server's note with %s", async (_, change) => {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      writeFileSync(file, change(announced));
      const agent = new Agent();

      const found = await agent.call("pond_search", { query: "heron" });

      expect(found.structuredContent.sessions).toHaveLength(1);
      expect(agent.holds("lancedb")).toBe(true);
      await agent.close();
    });
  });

  it("leaves no note of a server that was stopped", async () => {
    const [server] = await serving();
    server.child.kill("SIGTERM");
    await server.ended();

    expect(readdirSync(join(home.folder, ".local/state/pond/serve"))).toEqual([]);
  });
});
