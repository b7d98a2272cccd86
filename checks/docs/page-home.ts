import { cpSync, globSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildTestModel } from "@pond/embed-testkit";
import { fake, fakePath } from "../../apps/cli/src/schedule/testing.ts";
import { fixtures, Home } from "../../apps/cli/src/testing.ts";
import { startOf } from "../../apps/cli/src/testing-start.ts";

const samples = { "claude-code": ".claude", codex: ".codex", pi: ".pi/agent" };
const terminal = new URL("./page-terminal.ts", import.meta.url).href;
const client = fileURLToPath(new URL("./fake-client.ts", import.meta.url));

/**
 * The home of a user who works with three clients and has never used pond: the sample sessions,
 * last written 26 days ago, a folder with a model, and stand-ins for every program that starts
 * others.
 */
export async function createPageHome(): Promise<Home> {
  const home = new Home();
  for (const [name, folder] of Object.entries(samples)) {
    cpSync(join(fixtures, "samples", name), join(home.folder, folder), { recursive: true });
  }
  const written = new Date("2026-10-25T12:00:00Z");
  for (const file of globSync("{.claude,.codex,.pi}/**/*.jsonl", { cwd: home.folder })) {
    utimesSync(join(home.folder, file), written, written);
  }
  await buildTestModel(join(home.folder, "models/my-model"), { dimension: 32 });
  fakePath(home, "systemctl", "crontab", "launchctl");
  for (const name of ["claude", "codex", "opencode", "pi", "omp"]) {
    fake(home, name, `exec "${process.execPath}" "${client}" ${name} "$@"`);
  }
  const start = [process.execPath, `--import=${terminal}`, ...startOf("main")];
  fake(home, "pond", `exec ${start.map((word) => `"${word}"`).join(" ")} "$@"`);
  // fish creates its own folder when it first starts.
  for (const folder of [".cache/pond", ".config/fish/completions"]) {
    mkdirSync(join(home.folder, folder), { recursive: true });
  }
  return home;
}

/** Everything that the shell of a page sees of this machine. */
export function environmentOf(home: Home, port: string): Record<string, string> {
  return {
    HOME: home.folder,
    PAGE_PORT: port,
    PATH: `${join(home.folder, "bin")}:/usr/bin:/bin`,
    USER: "ada",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    PAGER: "cat",
    // Otherwise each page would compile pond and the engine's bindings again.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
  };
}
