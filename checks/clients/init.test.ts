import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startOf } from "../../apps/cli/src/testing-start.ts";
import { claudeCodeEnvironment, installClaudeCode } from "./claude-code.ts";
import { installCodex } from "./codex.ts";
import { createOpencodeHome, installOpencode } from "./opencode.ts";
import { installOmp } from "./pi.ts";
import { createThrowAwayHome, type ThrowAwayHome } from "./throw-away-home.ts";

const [claudeCode = "", codex = "", opencode = ""] = [
  await installClaudeCode(),
  await installCodex(),
  await installOpencode(),
];
const omp = await installOmp();
const pond = startOf("main");

let home: ThrowAwayHome;
afterEach(() => home.remove());

/** Runs `pond init` with the client's own program on the PATH. */
async function init(client: string, ...argv: readonly string[]) {
  const flags = ["init", "--json", "--no-schedule", "--no-sync", ...argv];
  const child = spawn(process.execPath, [...pond, ...flags], {
    env: {
      HOME: home.folder,
      PATH: `${dirname(client)}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe.skipIf(claudeCode === "")("Claude Code", { timeout: 120_000 }, () => {
  beforeEach(() => {
    home = createThrowAwayHome(() => claudeCodeEnvironment("http://127.0.0.1:1"));
    mkdirSync(join(home.folder, ".claude"));
    writeFileSync(join(home.folder, ".claude.json"), '{ "mcpServers": { "other": {} } }');
  });

  test("connects to the server that pond init registered, and no longer has it after --undo", async () => {
    const first = await init(claudeCode);
    const shown = await home.run(claudeCode, ["mcp", "get", "pond"]);
    const second = await init(claudeCode);
    const undone = await init(claudeCode, "--undo");

    expect(first.mcp).toMatchObject([{ client: "claude-code", state: "registered" }]);
    expect(shown.stdout).toContain("Connected");
    expect(second.mcp).toMatchObject([{ state: "already" }]);
    expect(undone).toEqual({
      undone: [{ what: "mcp of claude-code", state: "removed", message: null }],
    });
    const { mcpServers } = JSON.parse(readFileSync(join(home.folder, ".claude.json"), "utf8"));
    expect(mcpServers).toEqual({ other: {} });
  });
});

describe.skipIf(codex === "")("Codex", { timeout: 120_000 }, () => {
  beforeEach(() => {
    home = createThrowAwayHome();
    mkdirSync(join(home.folder, ".codex"));
  });

  test("lists the server that pond init registered, and no longer has it after --undo", async () => {
    const file = join(home.folder, ".codex", "config.toml");
    const text = '# mine\nmodel = "gpt-5.2" # why\n';
    writeFileSync(file, text);

    const first = await init(codex);
    const shown = await home.run(codex, ["mcp", "get", "pond", "--json"]);
    const second = await init(codex);
    const undone = await init(codex, "--undo");

    expect(first.mcp).toMatchObject([{ client: "codex", state: "registered" }]);
    const [command, ...args] = [process.execPath, ...pond, "mcp"];
    expect(JSON.parse(shown.stdout).transport).toMatchObject({ type: "stdio", command, args });
    expect(second.mcp).toMatchObject([{ state: "already" }]);
    expect(undone.undone).toMatchObject([{ state: "removed" }]);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe.skipIf(opencode === "")("opencode", { timeout: 120_000 }, () => {
  beforeEach(() => {
    home = createOpencodeHome();
    mkdirSync(join(home.folder, ".local", "share", "opencode"), { recursive: true });
    mkdirSync(join(home.folder, ".config", "opencode"), { recursive: true });
  });

  test("connects to the server that pond init wrote into its settings, and --undo removes it", async () => {
    const file = join(home.folder, ".config", "opencode", "opencode.jsonc");
    writeFileSync(file, '{\n  // mine\n  "share": "disabled",\n}\n');

    const { mcp } = await init(opencode);
    const shown = await home.run(opencode, ["mcp", "list"]);
    await init(opencode, "--undo");

    expect(mcp).toMatchObject([{ client: "opencode", state: "registered", file }]);
    expect(shown.stdout + shown.stderr).toMatch(/pond .*connected/);
    expect(readFileSync(file, "utf8")).toContain('// mine\n  "share": "disabled",');
    expect(readFileSync(file, "utf8")).not.toContain("pond");
  });
});

describe.skipIf(omp === undefined)("omp", { timeout: 120_000 }, () => {
  beforeEach(() => {
    home = createThrowAwayHome(() => ({ PI_OFFLINE: "1" }));
    mkdirSync(join(home.folder, ".omp", "agent", "sessions"), { recursive: true });
  });

  test("loads the server that pond init wrote into its settings", async () => {
    const { runtime = "", sessionManager = "" } = omp ?? {};
    const loader = join(dirname(sessionManager), "..", "mcp", "config.ts");
    const script = join(home.folder, "load.mjs");
    writeFileSync(
      script,
      `const { loadAllMCPConfigs } = await import(process.argv[2]);
console.log(JSON.stringify(await loadAllMCPConfigs(process.cwd())));
process.exit(0);
`,
    );

    const { mcp } = await init(runtime);
    const { stdout } = await home.run(runtime, [script, loader]);

    const [command, ...args] = [process.execPath, ...pond, "mcp"];
    expect(mcp).toMatchObject([{ client: "omp", state: "registered" }]);
    expect(JSON.parse(stdout).configs).toMatchObject({ pond: { type: "stdio", command, args } });
  });
});
