#!/usr/bin/env node
import { processSurface } from "./context.ts";
import { run } from "./run.ts";

// `pond list | head` closes the pipe early, and that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), processSurface());
