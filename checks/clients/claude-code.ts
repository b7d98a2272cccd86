import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SentMessage, startModelStub } from "./model-stub.ts";

const version = "2.1.329";

/** Path of the real client, installed from its npm package into a cache; undefined where it has none. */
export function installClaudeCode(): string | undefined {
  const cache = process.env["POND_CLIENT_CACHE"] ?? join("node_modules", ".cache", "pond-clients");
  const folder = resolve(cache, `claude-code-${version}`);
  const binary = join(folder, "node_modules", ".bin", "claude");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const wanted = `@anthropic-ai/claude-code@${version}`;
  const flags = ["install", "--no-audit", "--no-fund", "--no-package-lock", wanted];
  try {
    execFileSync("npm", flags, { cwd: folder, stdio: "pipe" });
  } catch (error) {
    // Half an install must not look like one.
    rmSync(folder, { recursive: true, force: true });
    const text = String(error instanceof Error && "stderr" in error ? error.stderr : error);
    if (/EBADPLATFORM|notsup|Unsupported platform/.test(text)) return undefined;
    throw error;
  }
  return existsSync(binary) ? binary : undefined;
}

export type Resumed = {
  /** What the client sent to the model: the history it replayed, and the new prompt last. */
  readonly messages: readonly SentMessage[];
  readonly result: string;
};

/**
 * Resumes a session in the real client, offline, in a throw-away home.
 *
 * @param projects - Folder in the client's own layout; copied, never changed.
 * @param directory - Folder name of the session below `projects`.
 */
export async function resume(
  binary: string,
  projects: string,
  directory: string,
  sessionId: string,
): Promise<Resumed> {
  const home = mkdtempSync(join(tmpdir(), "pond-claude-"));
  const stub = await startModelStub();
  try {
    cpSync(projects, join(home, ".claude", "projects"), { recursive: true });
    const work = join(home, "work");
    mkdirSync(work);
    const running = promisify(execFile)(
      binary,
      ["-p", "continue", "--resume", sessionId, "--output-format", "json"],
      {
        cwd: work,
        timeout: 90_000,
        maxBuffer: 64 * 1024 * 1024,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: home,
          ANTHROPIC_BASE_URL: stub.url,
          ANTHROPIC_API_KEY: "fake",
          DISABLE_TELEMETRY: "1",
          DISABLE_AUTOUPDATER: "1",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CODE_PROJECT_DIR_NAME: directory,
        },
      },
    );
    // It waits three seconds for a prompt otherwise.
    running.child.stdin?.end();
    const { stdout } = await running;
    const longest = stub.requests.toSorted((left, right) => right.length - left.length)[0] ?? [];
    // The client tells the model where it runs.
    const messages = JSON.parse(JSON.stringify(longest).replaceAll(home, "HOME"));
    return { messages, result: String(JSON.parse(stdout).result) };
  } finally {
    await stub.close();
    rmSync(home, { recursive: true, force: true });
  }
}
