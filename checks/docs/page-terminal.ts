// Loaded before the `pond` of a page: the real command line, on a fixed day, at a terminal of 80
// columns if it prints to the page itself, and otherwise in a pipe.
import { fstatSync } from "node:fs";

// The shell keeps its output open as descriptor 9.
const isShown = fstatSync(1).ino === fstatSync(9).ino;
if (isShown) {
  Object.defineProperties(process.stdout, { isTTY: { value: true }, columns: { value: 80 } });
}

const noon = Date.parse("2026-11-20T12:00:00Z");
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...time: [] | [number]) {
    super(...(time.length === 0 ? ([noon + performance.now()] as const) : time));
  }
} as DateConstructor;

// The usual port may be taken.
const argv = process.argv.slice(2);
if (argv[0] === "serve" && !argv.includes("--port")) {
  process.argv.push("--port", process.env["PAGE_PORT"] ?? "0");
}
