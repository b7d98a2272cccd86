// A throw-away home for the tests of this package, and two ways to run the command in it.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Runtime } from "./context.ts";
import { run } from "./run.ts";
import { startOf } from "./testing-start.ts";

export type Finished = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export const fixtures: string = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
/** A command that runs for longer says how far it is, before its test ends without a word. */
const patienceMs = 30_000;
// Shared, or each process would compile the engine's bindings again.
const compiled = join(tmpdir(), `pond-cli-tests-${process.getuid?.() ?? 0}`);

export class Home {
  // Reports name real paths, and on macOS the folder for such files is behind a link.
  readonly folder: string = realpathSync.native(mkdtempSync(join(tmpdir(), "pond-cli-")));
  readonly env: Readonly<Record<string, string>> = {
    PATH: process.env["PATH"] ?? "",
    HOME: this.folder,
    XDG_CACHE_HOME: compiled,
  };
  readonly now: Date = new Date("2026-11-20T12:00:00Z");

  /** Runs a command line in this process: the same code, without the start of a process. */
  async pond(...argv: readonly string[]): Promise<Finished> {
    return this.pondWith({}, ...argv);
  }

  async pondWith(
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly isTerminal?: boolean;
      readonly columns?: number;
      readonly tuneMemory?: Runtime["tuneMemory"];
    },
    ...argv: readonly string[]
  ): Promise<Finished> {
    const texts = { stdout: "", stderr: "" };
    const sink = (name: keyof typeof texts) => ({
      isTTY: options.isTerminal ?? false,
      columns: options.columns ?? 80,
      write: (text: string) => {
        texts[name] += text;
      },
    });
    const watch = setTimeout(() => {
      const waits = process.getActiveResourcesInfo().join(" ");
      console.error(`pond ${argv.join(" ")} still runs: ${JSON.stringify(texts)}, on ${waits}`);
    }, patienceMs);
    try {
      const code = await run(argv, {
        stdout: sink("stdout"),
        stderr: sink("stderr"),
        env: { ...this.env, ...options.env },
        home: this.folder,
        now: () => this.now,
        tuneMemory: options.tuneMemory,
      });
      return { code, ...texts };
    } finally {
      clearTimeout(watch);
    }
  }

  /** Runs the real command. */
  spawn(
    argv: readonly string[],
    {
      start = startOf("main"),
      env = {},
      cwd = this.folder,
      onStart,
    }: {
      /** What Node runs, with its flags. */
      start?: readonly string[];
      cwd?: string;
      env?: Readonly<Record<string, string>>;
      onStart?: (child: ChildProcess) => void;
    } = {},
  ): Promise<Finished> {
    const child = spawn(process.execPath, [...start, ...argv], {
      cwd,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onStart?.(child);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      stderr += String(chunk);
    });
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
  }

  /** Writes a file below the home. */
  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Writes the transcript of one session. */
  writeSession(id: string, ...lines: readonly string[]): string {
    return this.write(
      `.claude/projects/-work/${id}.jsonl`,
      lines.map((line) => `${line}\n`).join(""),
    );
  }

  /** Writes a session with a fork of it and stores both. */
  async syncFork(): Promise<{ id: string; log: string; fork: string; forkLines: string }> {
    const forked = { forkedFrom: { sessionId: "original", messageUuid: "o1" } };
    const forkLines = [line("fork", "f1", "first", forked), line("fork", "f2", "went on")]
      .map((each) => `${each}\n`)
      .join("");
    const log = this.writeSession("original", line("original", "o1", "first"));
    const fork = this.write(".claude/projects/-work/fork.jsonl", forkLines);
    await this.pond("sync", "-q");
    return { id: "original", log, fork, forkLines };
  }

  /** Writes a session of pi with what no translation keeps, and a fork of it in omp. */
  writeForkInOmp(): { id: string; log: string; forkId: string; fork: string } {
    const [id, forkId] = [
      "019c0000-0000-7000-8000-0000000000aa",
      "019c0000-0000-7000-8000-0000000000bb",
    ];
    const at = "2026-11-20T09:00:00.000Z";
    const say = (id: string, parentId: string | null, content: string) => {
      const message = { role: "user", content, timestamp: 1 };
      return { type: "message", id, parentId, timestamp: at, message };
    };
    const head = { type: "session", version: 3, timestamp: at, cwd: "/home/ada/loom" };
    const label = { type: "label", id: "a9", parentId: "a1", timestamp: at };
    const text = (...records: readonly unknown[]) =>
      records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const log = this.write(
      `.pi/agent/sessions/--home-ada-loom--/2026-11-20T09-00-00-000Z_${id}.jsonl`,
      text(
        { ...head, id },
        say("a1", null, "hello"),
        { ...label, targetId: "a1", label: "good" },
        say("a3", "a1", "left for another"),
        say("b3", "a1", "the other branch"),
      ),
    );
    const fork = this.write(
      `.omp/agent/sessions/-loom/2026-11-20T09-00-00-000Z_${forkId}.jsonl`,
      text(
        { ...head, id: forkId, parentSession: log },
        say("a1", null, "hello"),
        say("c3", "a1", "in omp"),
      ),
    );
    return { id, log, forkId, fork };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A line of a transcript. */
export function line(
  sessionId: string,
  uuid: string,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    type: "user",
    uuid,
    parentUuid: null,
    sessionId,
    cwd: "/work",
    timestamp: "2026-11-20T09:00:00.000Z",
    message: { role: "user", content },
    ...more,
  });
}
