import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestStorage } from "@pond/storage-testkit";
import { serverStart } from "../../apps/server/src/process.test-kit.ts";

/** A server process of ponds that other servers serve, too. It can be killed and comes back. */
export type Worker = {
  readonly url: string;
  /** The errors that it logged. */
  readonly failures: readonly string[];
  /** Kills it as a power cut would, and starts it again at the same address. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a server of the ponds on an object store. The first ingest makes a pond. */
export async function startWorker(storage: TestStorage): Promise<Worker> {
  const failures: string[] = [];
  const env = {
    PATH: process.env["PATH"] ?? "",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    POND_STORAGE: storage.url("ponds"),
    POND_STORAGE_OPTIONS: JSON.stringify(storage.storageOptions),
    POND_NAMESPACES: "on-first-ingest",
  };

  const start = async (port: string) => {
    const server = spawn(process.execPath, serverStart, {
      env: { ...env, POND_PORT: port },
      stdio: ["ignore", "ignore", "pipe"],
    });
    return { server, url: await listening(server, failures) };
  };
  let { server, url } = await start("0");
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  return {
    url,
    failures,
    killAndRestart: async () => {
      await end("SIGKILL");
      ({ server } = await start(new URL(url).port));
    },
    stop: () => end("SIGTERM"),
  };
}

/** Reads its log, which is JSON Lines, until it ends. */
function listening(server: ChildProcess, failures: string[]): Promise<string> {
  return new Promise((found, fail) => {
    if (server.stderr === null) throw new TypeError("no stderr");
    const log = createInterface(server.stderr);
    log.on("line", (line) => {
      // Any other output comes from a library, or from Node itself.
      const { level = 50, msg, url } = line.startsWith("{") ? JSON.parse(line) : {};
      if (msg === "listening") found(url);
      if (level >= 50) failures.push(line);
    });
    log.on("close", () => fail(new Error(`the server ended: ${failures.join("\n")}`)));
  });
}
