import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ompMovedTo } from "./moved.ts";

it.each([
  ["a log", "sessions/--home-ada-loom--/t_a.jsonl", "sessions/-loom/t_a.jsonl"],
  [
    "the log of a sub-agent",
    "sessions/--home-ada-loom--/t_a/Ruler.jsonl",
    "sessions/-loom/t_a/Ruler.jsonl",
  ],
  [
    "the log of a project below the temporary folder",
    "sessions/--tmp-loom--/t_d.jsonl",
    "sessions/-tmp-loom/t_d.jsonl",
  ],
  [
    "the log of the home directory itself",
    "sessions/--home-ada--/t_e.jsonl",
    "sessions/-/t_e.jsonl",
  ],
  ["no log of another session", "sessions/--home-ada-loom--/t_b.jsonl", undefined],
  [
    "no file beside a log that has not moved",
    "sessions/--home-ada-quilt--/t_c/Ruler.jsonl",
    undefined,
  ],
  ["no log outside a project folder", "sessions/t_a.jsonl", undefined],
  ["no blob", "blobs/t_a/t_a", undefined],
])("looks for %s in the folder that omp renamed", (_, path, moved) => {
  const home = mkdtempSync(join(tmpdir(), "pond-omp-test-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const log of [
    "-loom/t_a.jsonl",
    "--home-ada-quilt--/t_c.jsonl",
    "-quilt/t_c.jsonl",
    "-tmp-loom/t_d.jsonl",
    "-/t_e.jsonl",
  ]) {
    mkdirSync(dirname(join(home, "sessions", log)), { recursive: true });
    writeFileSync(join(home, "sessions", log), "");
  }

  expect(ompMovedTo(home, path)).toBe(moved);
});
