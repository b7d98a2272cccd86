#!/usr/bin/env node
import { tuneMemory } from "@pond/server/process";
import { exitOnStopSignal } from "./stop-signal.ts";

const [, major, minor] = /^v(\d+)\.(\d+)/.exec(process.version) ?? [];
if (Number(major) * 1000 + Number(minor) < 22_018) {
  process.stderr.write(`pond-server: needs Node 22.18 or later; this is ${process.version}\n`);
  process.exit(2);
}
if (process.platform === "win32") {
  process.stderr.write("pond-server: runs on Linux and macOS; on Windows, run it in WSL\n");
  process.exit(2);
}

const args = process.argv.slice(2);
// Before the engine is loaded, which takes most of the start. A process with arguments does not
// stay.
if (args.length === 0) tuneMemory("serving");
exitOnStopSignal();
// Nobody may be there to take the log: its collector has gone, or its disk is full.
process.stderr.on("error", () => undefined);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader has gone: `pond-server --help | head`.
  if (error.code === "EPIPE") return;
  process.stderr.write(`pond-server: what it prints cannot be written: ${error.message}\n`);
  process.exit(1);
});

const { run } = await import("./run.ts");
process.exitCode = await run(args);
// Requests to a storage that does not answer would keep the process alive. An end that comes by
// itself removes what the engine keeps in the folder for temporary files; this one does not.
setTimeout(() => process.exit(), 1_000).unref();
