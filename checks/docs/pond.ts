// The `pond` of a page: the real command line, on a day that stays, at a terminal of 80 columns
// where it prints to the page itself, and in a pipe where it does not. Colours are left out.
import { fstatSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { processSurface } from "../../apps/cli/src/context.ts";
import { cacheDirectory } from "../../apps/cli/src/directories.ts";

const surface = processSurface();
module.enableCompileCache(join(cacheDirectory(surface.env, surface.home), "compiled"));
process.stdout.on("error", () => process.exit(0));

// The shell keeps what it prints to open as descriptor 9.
const isShown = fstatSync(1).ino === fstatSync(9).ino;
const stdout = isShown
  ? { isTTY: true, columns: 80, write: (text: string) => process.stdout.write(text) }
  : process.stdout;

const noon = Date.parse("2026-11-20T12:00:00Z");
const { run } = await import("../../apps/cli/src/run.ts");
const argv = process.argv.slice(2);
// The usual port may be taken.
if (argv[0] === "serve" && !argv.includes("--port")) {
  argv.push("--port", process.env["PAGE_PORT"] ?? "0");
}
process.exitCode = await run(argv, {
  ...surface,
  stdout,
  now: () => new Date(noon + performance.now()),
});
