import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Consumer } from "./consumer.ts";

/** For a consumer's programs, which start with `#!/usr/bin/env node`. */
function environment(consumer: Consumer, node: string): Readonly<Record<string, string>> {
  const HOME = mkdtempSync(join(consumer.folder, "home-"));
  const PATH = `${dirname(node)}${delimiter}${process.env["PATH"]}`;
  return { HOME, PATH, NO_COLOR: "1", NODE_OPTIONS: "--disable-warning=ExperimentalWarning" };
}

/** Runs a program on a Node and returns what it prints. */
export function runOn(
  consumer: Consumer,
  node: string,
  { folder = ".", file }: { readonly folder?: string; readonly file: string },
): Promise<string> {
  return consumer.run(node, [file], { cwd: folder, env: environment(consumer, node) });
}

/** At a terminal: imports sessions, finds one, shows it. Returns what each command printed. */
export async function useCommand(consumer: Consumer, node: string): Promise<readonly string[]> {
  const env = environment(consumer, node);
  const pond = (...args: readonly string[]): Promise<string> =>
    consumer.run("node_modules/.bin/pond", args, { env });
  return [
    await pond("sync", "claude-code", "--path", "fixtures/samples/claude-code"),
    await pond("search", "flaky coupon test", "--limit", "1"),
    await pond("get", "1"),
  ];
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
  node: string,
): Promise<{ readonly answered: string; readonly code: number | null }> {
  const env = environment(consumer, node);
  const server = spawn(join(consumer.folder, "node_modules/.bin/pond-server"), [], {
    cwd: consumer.folder,
    env: { ...env, POND_STORAGE: env["HOME"], POND_PORT: "0", POND_NAMESPACES: "fixed:red" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(server, "exit");
  for await (const line of createInterface(server.stderr)) {
    const { msg, url } = JSON.parse(line);
    if (msg !== "listening") continue;
    consumer.write("ask.ts", ask);
    const answered = await consumer.run(node, ["ask.ts", url], { env });
    server.kill();
    const [code] = await exited;
    return { answered, code };
  }
  const [code] = await exited;
  return { answered: "", code };
}
