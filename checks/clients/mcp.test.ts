import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue } from "@pond/canonical";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOf } from "../../apps/cli/src/testing-start.ts";
import { claudeCodeEnvironment, installClaudeCode } from "./claude-code.ts";
import { createCodexHome, installCodex } from "./codex.ts";
import { type HistoryItem, historyFromItems, historyFromMessages } from "./model-history.ts";
import { type ModelStub, startModelStub } from "./model-stub.ts";
import { followScript } from "./script.ts";
import { createThrowAwayHome } from "./throw-away-home.ts";

const prompt = "What did we find out about the heron?";
const found = "The heron nests in the third reed bed.";

const [claudeCode = "", codex = ""] = [await installClaudeCode(), await installCodex()];
const folder = mkdtempSync(join(tmpdir(), "pond-mcp-clients-"));
const pond = [process.execPath, ...startOf("main")];
const env = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
  HOME: folder,
  POND_STORAGE: join(folder, "store"),
};

let server: ChildProcess;
let url: string;
beforeAll(async () => {
  writeTranscript();
  const sync = spawnPond("sync", "-q", "claude-code");
  expect((await once(sync, "exit"))[0]).toBe(0);
  server = spawnPond("serve", "--port", "0", "--json");
  if (server.stdout === null) throw new TypeError("no stdout");
  const [line] = await once(server.stdout, "data");
  url = JSON.parse(String(line)).mcp;
});
afterAll(async () => {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
});

/** Whether the client starts pond, or is given the address of a running one. */
const transports = ["stdio", "http"] as const;

describe.skipIf(claudeCode === "")("Claude Code", { timeout: 120_000 }, () => {
  test.each(transports)("searches a pond over %s", async (transport) => {
    const stub = await startStub("mcp__pond__pond_search");
    const home = createThrowAwayHome(() => claudeCodeEnvironment(stub.url));
    const place = {
      stdio: ["pond", ...variables("-e"), "--", ...pond, "mcp"],
      http: ["--transport", "http", "pond", url],
    };
    try {
      await home.run(claudeCode, ["mcp", "add", "--scope", "user", ...place[transport]]);
      await home.run(claudeCode, [
        ...["-p", prompt, "--output-format", "json"],
        ...["--allowedTools", "mcp__pond__pond_search"],
      ]);

      expect(answerIn(stub, historyFromMessages)).toContain(found);
    } finally {
      await stub.close();
      home.remove();
    }
  });
});

describe.skipIf(codex === "")("Codex", { timeout: 120_000 }, () => {
  test.each(transports)("searches a pond over %s", async (transport) => {
    const stub = await startStub("mcp__pond.pond_search");
    const home = createCodexHome(stub.url, "stub");
    const place = {
      stdio: ["pond", ...variables("--env"), "--", ...pond, "mcp"],
      http: ["pond", "--url", url],
    };
    try {
      await home.run(codex, ["mcp", "add", ...place[transport]]);
      await home.run(codex, [
        ...["exec", "--skip-git-repo-check", "--json"],
        // Otherwise, on a busy machine, the model is asked before the server has started.
        ...["-c", "mcp_servers.pond.required=true"],
        ...["--dangerously-bypass-approvals-and-sandbox", prompt],
      ]);

      expect(answerIn(stub, historyFromItems)).toContain(found);
    } finally {
      await stub.close();
      home.remove();
    }
  });
});

function spawnPond(...argv: readonly string[]): ChildProcess {
  const [program = "", ...args] = pond;
  return spawn(program, [...args, ...argv], { env });
}

function variables(flag: string): string[] {
  return Object.entries(env).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

/** A model that searches when it is asked, and accepts the answer. */
function startStub(tool: string): Promise<ModelStub> {
  return startModelStub(followScript(() => ({ [prompt]: [[tool, { query: "heron nests" }]] })));
}

/** The answer of the tool, as the model got it. */
function answerIn(
  { requests }: ModelStub,
  historyFrom: (messages: readonly JsonValue[]) => readonly HistoryItem[],
): string {
  const history = requests.flatMap(historyFrom);
  return history.flatMap((each) => (each.type === "result" ? [each.text] : [])).join("\n");
}

function writeTranscript(): void {
  const base = { sessionId: "s1", cwd: "/work", parentUuid: null };
  const line = {
    ...{ ...base, type: "user", uuid: "m1", timestamp: "2026-01-01T00:00:00.000Z" },
    message: { role: "user", content: found },
  };
  const projects = join(folder, ".claude", "projects", "-work");
  mkdirSync(projects, { recursive: true });
  writeFileSync(join(projects, "s1.jsonl"), `${JSON.stringify(line)}\n`);
}
