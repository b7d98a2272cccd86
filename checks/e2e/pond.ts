import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { run } from "../../apps/cli/src/run.ts";
import { startOf } from "../../apps/cli/src/testing-start.ts";

const compiled = resolve("node_modules/.cache/compiled");
const nobody = 65_534;

export type Finished = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** What `pond sync --json` says of one adapter. */
export type Synced = {
  readonly code: number | null;
  readonly sessions: Readonly<Record<string, number>>;
  readonly messages_added: number;
  readonly parts_added: number;
  readonly revisions: number;
  readonly tombstones: number;
  readonly faults: readonly { readonly location: string; readonly code: string }[];
};

/** A running `pond serve`. */
export type Served = {
  readonly url: string;
  /** Where it speaks MCP. */
  readonly mcp: string;
  stop(): Promise<void>;
};

/** A throw-away home with the real command in it. */
export type Home = {
  readonly folder: string;
  /** Where the store is. */
  readonly storage: string;
  /** What starts the command, but for its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** The environment it runs in. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command to its end. */
  pond(...args: readonly string[]): Promise<Finished>;
  /** Runs it in this process: the same code, without the start of a process. */
  pondHere(...args: readonly string[]): Promise<Finished>;
  /** Starts it and lets go of it. */
  start(...args: readonly string[]): ChildProcess;
  /** Starts a server at any free port. */
  serve(): Promise<Served>;
  /** Syncs one client's home: in this process, where the command runs as its user. */
  sync(path: string, client?: string): Promise<Synced>;
  /** Restores everything in a process that has synced nothing; resolves to the client's folder. */
  restoreAll(client?: string): Promise<string>;
  /** Forgets the store and what this machine saw. */
  reset(): void;
  remove(): void;
};

type HomeOptions = {
  /** Runs the command as nobody where the tests run as root. */
  readonly isOrdinaryUser?: boolean;
};

export function createHome({ isOrdinaryUser = false }: HomeOptions = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), "pond-e2e-"));
  const asNobody = isOrdinaryUser && process.getuid?.() === 0;
  if (asNobody) chownSync(folder, nobody, nobody);
  const [program, ...before] = [process.execPath, ...startOf("main")] as const;
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: join(folder, "cache"),
    // One for all homes, or each would compile the engine's bindings again.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? compiled,
  };
  const start = (...args: readonly string[]): ChildProcess =>
    spawn(program, [...before, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      ...(asNobody && { uid: nobody, gid: nobody }),
      env,
    });
  const pond = (...args: readonly string[]): Promise<Finished> => finished(start(...args));
  const pondHere = async (...args: readonly string[]): Promise<Finished> => {
    const [stdout, stderr] = [new Printed(), new Printed()];
    const surface = { stdout, stderr, env, home: folder, now: () => new Date() };
    return { code: await run(args, surface), stdout: stdout.text, stderr: stderr.text };
  };
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return {
    folder,
    storage: join(folder, "data", "pond", "default"),
    command: [program, ...before],
    env,
    start,
    pond,
    pondHere,
    serve: async () => {
      const server = start("serve", "--port", "0", "--json");
      const ended = once(server, "close");
      const stop = async (): Promise<void> => {
        server.kill("SIGTERM");
        await ended;
      };
      return { ...(await announced(server)), stop };
    },
    sync: async (path, client = "claude-code") => {
      const argv = ["sync", client, "--path", path, "--json"];
      // Only a process can be another user's.
      const run = await (asNobody ? pond(...argv) : pondHere(...argv));
      const [report] = run.code === 1 ? [] : JSON.parse(run.stdout).adapters;
      if (report === undefined) throw new Error(run.stdout + run.stderr);
      return { ...report, code: run.code };
    },
    restoreAll: async (client = "claude-code") => {
      const out = join(folder, "restored");
      const { code, stderr } = await pond("restore", "--all", "--out", out, "--json");
      if (code !== 0) throw new Error(stderr);
      return join(out, client);
    },
    reset: () => {
      remove();
      mkdirSync(folder);
    },
    remove,
  };
}

/** What would be on a pipe. */
class Printed {
  readonly isTTY: boolean = false;
  text = "";

  write(text: string): void {
    this.text += text;
  }
}

/** The one line a server prints. */
async function announced(server: ChildProcess): Promise<Pick<Served, "url" | "mcp">> {
  if (server.stdout === null) throw new TypeError("no stdout");
  for await (const line of createInterface(server.stdout)) return JSON.parse(line);
  throw new Error("pond serve ended");
}

export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}
