// The app as a process of its own, for the tests of this package.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type IngestEvent } from "@pond/client";
import { isBuilt } from "../../../checks/built.ts";

const running = new Set<ChildProcess>();

/** Ends what a test that failed has left running: for `afterAll` of each file. */
export function endLeft(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** What makes Node run this app: as it was built, where that is of the sources there are now. */
export const serverStart: readonly string[] = isBuilt()
  ? [new URL("../dist/main.js", import.meta.url).pathname]
  : ["--conditions=@pond/source", new URL("main.ts", import.meta.url).pathname];

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type TestServer = {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it logged so far. */
  log(): string;
  /** One that names a namespace, or none. */
  client(namespace?: string, headers?: Readonly<Record<string, string>>): Client;
  /** Resolves when it has ended. */
  ended(): Promise<Ended>;
  /** Tells it to stop, and waits for that. */
  stop(): Promise<Ended>;
};

type Env = Readonly<Record<string, string>>;

/** An empty folder for one test. */
export function testFolder(): string {
  return mkdtempSync(join(tmpdir(), "pond-server-app-"));
}

/** Runs it until it ends. */
export async function runServer(args: readonly string[], env: Env): Promise<Ended> {
  return start(args, env).ended();
}

/** Starts it on a free port and waits until it listens. @throws with its log where it ends instead. */
export async function startServer(env: Env): Promise<TestServer> {
  const { child, output, ended } = start([], { POND_PORT: "0", ...env });
  const log = (): string => output.stderr;
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", () => {
      const listening = /"url":"([^"]+)".*"msg":"listening"/.exec(log())?.[1];
      if (listening !== undefined) resolve(listening);
    });
    void ended().then(() => reject(new Error(`it did not start: ${log()}`)));
  });
  return {
    ...{ url, process: child, log, ended },
    client: (namespace, headers = {}) =>
      createClient({ url, headers, retries: 0, ...(namespace !== undefined && { namespace }) }),
    async stop() {
      child.kill("SIGTERM");
      return ended();
    },
  };
}

function start(args: readonly string[], env: Env) {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [...serverStart, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  running.add(child);
  const closed = once(child, "close").finally(() => running.delete(child));
  const ended = async (): Promise<Ended> => {
    const [code] = await closed;
    return { code, ...output };
  };
  return { child, output, ended };
}

/** A session of one message. */
export function session(id: string, text: string): IngestEvent[] {
  const options = {};
  const created_at = "2026-01-01T00:00:00.000Z";
  const place = { session_id: id, message_id: "m" };
  return [
    {
      kind: "session",
      session: { id, source_agent: "claude-code", created_at, project: "/work", options },
    },
    {
      kind: "message",
      message: { id: "m", session_id: id, timestamp: created_at, role: "user", options },
    },
    {
      kind: "part",
      part: { ...place, id: "p", type: "text", provenance: "conversational", text, options },
    },
  ];
}
