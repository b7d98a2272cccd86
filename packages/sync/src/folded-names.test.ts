import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { discoverSources } from "./discover.ts";
import { claudeCode } from "./sync.test-kit.ts";

// A disk of a Mac finds a name in any case, and its realpath(3) says how it is written there.
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  const native = (path: string): string => {
    const fold = (name: string): string => name.normalize("NFD").toLowerCase();
    const found = fs.readdirSync(dirname(path)).find((each) => fold(each) === fold(basename(path)));
    return fs.realpathSync.native(join(dirname(path), found ?? basename(path)));
  };
  return { ...fs, realpathSync: Object.assign(fs.realpathSync.bind(fs), { native }) };
});

let home: string;
beforeEach(() => {
  home = realpathSync.native(mkdtempSync(join(tmpdir(), "pond-home-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("gives a place one name, however it was typed", () => {
  mkdirSync(join(home, "Caf\u00e9"));

  const typed = ["Caf\u00e9", "caf\u00e9", "CAFE\u0301"].map((name) => join(home, name));
  const sources = discoverSources([claudeCode], {
    environment: { home, env: {} },
    paths: { "claude-code": typed },
  });

  expect(readdirSync(home)).toEqual(["Caf\u00e9"]);
  expect(sources.map(({ path }) => path)).toEqual([join(home, "Caf\u00e9")]);
});
