// Part of the build: writes the manual page beside the program.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { manPage } from "./man-page.ts";
import { createProgram } from "./program.ts";
import { version } from "./version.ts";

const file = fileURLToPath(new URL("../dist/pond.1", import.meta.url));
const epoch = Number(process.env["SOURCE_DATE_EPOCH"]);
// https://reproducible-builds.org/specs/source-date-epoch/
const date = epoch > 0 ? new Date(epoch * 1000) : new Date();
const sink = { write: () => true };
const runtime = { stdout: sink, stderr: sink, env: {}, home: "/", now: () => date };
const program = createProgram(async () => undefined, runtime);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, manPage(program, { version: version(), date }));
