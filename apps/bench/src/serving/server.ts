import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own, as an operator starts it. */
export type ServerProcess = {
  readonly url: string;
  /** Memory the process holds now. */
  rssMb(): number;
  /** Processor time it has used, of all its threads. */
  cpuSeconds(): number;
  /** Ends it as the system does when memory runs out: nothing is finished. */
  kill(): Promise<void>;
  /** @throws {Error} if it does not end as it should. */
  stop(): Promise<void>;
};

/** What the environment says about the system's allocator applies to the server, too. */
const allocator = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith("MALLOC_")),
);

const main = resolve(import.meta.dirname, "../../../cli/src/main.ts");

/**
 * Starts `pond serve` over the store `namespace` in `storage`, from the sources, in a throw-away
 * home.
 */
export async function startServer(
  storage: string,
  namespace: string,
  port = 0,
): Promise<ServerProcess> {
  const home = mkdtempSync(join(tmpdir(), "pond-serving-"));
  const child = spawn(
    process.execPath,
    [
      ...["--conditions=@pond/source", main, "--storage", storage, "--namespace", namespace],
      ...["--json", "--quiet", "serve", "--port", String(port)],
    ],
    {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, ...allocator },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  // Whatever goes wrong here, the server does not stay.
  const end = (): unknown => child.kill("SIGKILL");
  process.once("exit", end);
  const ended = once(child, "exit").finally(() => process.off("exit", end));
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    ended.then(() => {
      throw new Error("the server ended before it listened");
    }),
  ]);
  return {
    url: JSON.parse(line).url,
    rssMb() {
      const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(child.pid)]);
      return Math.round(Number(stdout) / 1024);
    },
    cpuSeconds() {
      const { stdout } = spawnSync("ps", ["-o", "cputimes=", "-p", String(child.pid)]);
      return Number(stdout);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      rmSync(home, { recursive: true, force: true });
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}
