#!/usr/bin/env node
// By its default export: a missing named one would end an old Node before it can be told.
import module from "node:module";
import { join } from "node:path";
import { cacheDirectory, homeDirectory } from "./directories.ts";
import { leaveSoon } from "./leave.ts";

if (!("enableCompileCache" in module)) {
  process.stderr.write(`error: pond needs Node 22.18 or later; this is ${process.version}\n`);
  process.exit(1);
}

let home: string;
try {
  home = homeDirectory();
} catch {
  // As in a container, of a user that only has a number.
  process.stderr.write("error: nothing says where this user is at home; set HOME to a folder\n");
  process.exit(1);
}

// Compiled once, the engine's bindings load in half the time. Not in a shared /tmp, as is the
// default: whoever can write there could have his code run. What is imported above is not kept.
module.enableCompileCache(join(cacheDirectory(process.env, home), "compiled"));

let isReaderGone = false;
// `pond list | head` closes the pipe early, and that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  isReaderGone ||= error.code === "EPIPE";
  if (isReaderGone) return leaveSoon();
  process.stderr.write(`error: what pond prints cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Nor is it one that nobody reads what is said on the side.
process.stderr.on("error", () => undefined);

const { run } = await import("./run.ts");
process.exitCode = await run(process.argv.slice(2));
