import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Consumer } from "./consumer.ts";
import type { Runtime } from "./runtimes.ts";

/** For a consumer's programs, which start with `#!/usr/bin/env node`. */
function environment(consumer: Consumer, [node]: Runtime): Readonly<Record<string, string>> {
  const HOME = mkdtempSync(join(consumer.folder, "home-"));
  const PATH = `${dirname(node)}${delimiter}${process.env["PATH"]}`;
  return { HOME, PATH, NO_COLOR: "1", NODE_OPTIONS: "--disable-warning=ExperimentalWarning" };
}

/** Where the programs of a consumer are in the packages that npm and pnpm link to. */
const mains = { pond: "@pond/cli", "pond-server": "@pond/server-app" } as const;

/** What starts a program: Node is named in its first line; any other runtime has to be told. */
function startOf(runtime: Runtime, program: keyof typeof mains): Runtime {
  const isNode = runtime.length === 1;
  if (isNode) return [`node_modules/.bin/${program}`];
  return [...runtime, `node_modules/${mains[program]}/dist/main.js`];
}

/** Runs a program on a runtime and returns what it prints. */
export function runOn(
  consumer: Consumer,
  runtime: Runtime,
  { folder = ".", file }: { readonly folder?: string; readonly file: string },
): Promise<string> {
  const [program, ...args] = runtime;
  return consumer.run(program, [...args, file], {
    cwd: folder,
    env: environment(consumer, runtime),
  });
}

/** At a terminal: imports sessions, finds one, shows it. Returns what each command printed. */
export async function useCommand(consumer: Consumer, runtime: Runtime): Promise<readonly string[]> {
  const pond = pondOf(consumer, runtime);
  return [
    await pond("sync", "claude-code", "--path", "fixtures/samples/claude-code"),
    await pond("search", "flaky coupon test", "--limit", "1"),
    await pond("get", "1"),
  ];
}

/** Imports sessions twice. Returns what the second sync printed. */
export async function syncTwice(consumer: Consumer, runtime: Runtime): Promise<string> {
  // The list of what was read takes several writes.
  for (let number = 0; number < 100; number++) {
    const record = {
      ...{ type: "user", uuid: "u1", parentUuid: null, sessionId: `s${number}`, cwd: "/work" },
      ...{ timestamp: "2026-11-20T09:00:00.000Z", message: { role: "user", content: "hello" } },
    };
    consumer.write(`many/projects/-work/s${number}.jsonl`, `${JSON.stringify(record)}\n`);
  }
  const pond = pondOf(consumer, runtime);
  await pond("sync", "claude-code", "--path", "many");
  return pond("sync", "claude-code", "--path", "many", "--verbose");
}

function pondOf(consumer: Consumer, runtime: Runtime): (...args: string[]) => Promise<string> {
  const env = environment(consumer, runtime);
  const [program, ...start] = startOf(runtime, "pond");
  return (...args) => consumer.run(program, [...start, ...args], { env });
}

const ask = `import { createClient } from "@pond/client";
import { createRecorder, pondSink } from "@pond/recorder";

const client = createClient({ url: process.argv[2] ?? "", namespace: "red" });
const sink = pondSink((events) => client.ingestAll(events));
const recorder = createRecorder({ agent: "demo", project: "/demo", sink });
await recorder.run({}, (loop) => loop.say({ role: "user", content: "Which thread broke?" }));
await recorder.flush();
const { sessions } = await client.search({ query: "thread" });
console.log(sessions.map(({ matches }) => matches[0]?.text).join());
`;

/** The hosted server: starts it, queries it with a program of the consumer, and stops it. */
export async function useServer(
  consumer: Consumer,
  runtime: Runtime,
): Promise<{ readonly answered: string; readonly code: number | null }> {
  const env = environment(consumer, runtime);
  const [program, ...args] = startOf(runtime, "pond-server");
  const server = spawn(resolve(consumer.folder, program), args, {
    cwd: consumer.folder,
    env: { ...env, POND_STORAGE: env["HOME"], POND_PORT: "0", POND_NAMESPACES: "fixed:red" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(server, "exit");
  for await (const line of createInterface(server.stderr)) {
    const { msg, url } = JSON.parse(line);
    if (msg !== "listening") continue;
    consumer.write("ask.ts", ask);
    const [asking, ...before] = runtime;
    const answered = await consumer.run(asking, [...before, "ask.ts", url], { env });
    server.kill();
    const [code] = await exited;
    return { answered, code };
  }
  const [code] = await exited;
  return { answered: "", code };
}
