#!/usr/bin/env node
// Default exports, because a missing named one would end an old Node before it can be told.
import fs from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { cacheDirectory, homeDirectory, makeFolder } from "./directories.ts";
import { exitCodes } from "./exit-codes.ts";
import { exitSoon, exitWithReader } from "./exit-soon.ts";

const [, major, minor] = /^v(\d+)\.(\d+)/.exec(process.version) ?? [];
if (Number(major) * 1000 + Number(minor) < 22_018) {
  process.stderr.write(`error: pond needs Node 22.18 or later; this is ${process.version}\n`);
  process.exit(1);
}
if (process.platform === "win32") {
  process.stderr.write("error: pond runs on Linux and macOS; on Windows, run it in WSL\n");
  process.exit(1);
}

// Several times what it takes.
const leastRoomBytes = 16 * 1024 * 1024;

// Compiled once, the engine's bindings load in half the time. Not in a shared /tmp, the default:
// anyone who can write there could have their code run. What is imported above is not kept.
try {
  const folder = join(cacheDirectory(process.env, homeDirectory()), "compiled");
  makeFolder(folder);
  // On a full disk, Node would leave an empty draft of each module there, at every start.
  const { bavail, bsize } = fs.statfsSync(folder);
  if (bavail * bsize >= leastRoomBytes) module.enableCompileCache(folder);
} catch {
  // If there is no home, or it is not writable: whatever needs a home says so.
}

exitWithReader();

const { run } = await import("./run.ts");
const exitCode = await run(process.argv.slice(2));
process.exitCode = exitCode;
// What the engine was doing when somebody stopped it may go on for a minute.
if (exitCode === exitCodes.interrupted) exitSoon();
