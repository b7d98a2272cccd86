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

/** The report of `pond sync --json` on one adapter. */
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
  /** Its MCP address. */
  readonly mcp: string;
  stop(): Promise<void>;
};

/** A throw-away home with the real command. */
export type Home = {
  readonly folder: string;
  /** The folder of the store. */
  readonly storage: string;
  /** The program that starts the command, without the command's arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command to its end. */
  pond(...args: readonly string[]): Promise<Finished>;
  /** Runs the command in this process: the same code, without starting a process. */
  pondHere(...args: readonly string[]): Promise<Finished>;
  /** Starts the command and does not wait for it. */
  start(...args: readonly string[]): ChildProcess;
  /** Starts a server at any free port. */
  serve(): Promise<Served>;
  /** Syncs one client's home, in this process if the command runs as the same user. */
  sync(path: string, client?: string): Promise<Synced>;
  /** Restores everything, in a process that synced nothing. Resolves to the client's folder. */
  restoreAll(client?: string): Promise<string>;
  /** Removes the store and this machine's state files. */
  reset(): void;
  remove(): void;
};

type HomeOptions = {
  /** Runs the command as the user nobody if the tests run as root. */
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
    // One cache for all homes; otherwise each would compile the engine's bindings again.
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
    const runtime = { stdout, stderr, env, home: folder, now: () => new Date() };
    return { code: await run(args, runtime), stdout: stdout.text, stderr: stderr.text };
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
      // Another user needs a process of its own.
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

/** The output as it would be on a pipe. */
class Printed {
  readonly isTTY: boolean = false;
  text = "";

  write(text: string): void {
    this.text += text;
  }
}

/** The one line that a server prints. */
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
