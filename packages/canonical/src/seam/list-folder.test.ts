import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FolderEntry, listFolder, withoutFaults } from "./list-folder.ts";

let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pond-list-"));
  for (const name of ["b", "a"]) mkdirSync(join(home, "in", name), { recursive: true });
  writeFileSync(join(home, "in/c"), "");
  writeFileSync(join(home, "out"), "");
  symlinkSync(join(home, "in/c"), join(home, "in/d"));
  symlinkSync(join(home, "out"), join(home, "in/e"));
  symlinkSync(join(home, "nowhere"), join(home, "in/f"));
});
afterEach(() => rmSync(home, { recursive: true }));

/** What is listed, and why the rest is not. */
function listed(within: string, isOurs?: (entry: FolderEntry) => boolean) {
  const list = () => listFolder("loom", join(home, "in"), join(home, within), isOurs);
  const reasons = Array.from(list(), ({ fault: { details } }) => {
    return `${basename(details.uri)}: ${details.reason}`;
  });
  return { names: withoutFaults(list()).map(({ name }) => name), reasons };
}

it("lists files and folders by name, and reports links that lead out of the folder", () => {
  const reasons = ["e", "f"].map(
    (name) => `${name}: a symbolic link out of the folder, not followed`,
  );

  expect(listed("in")).toEqual({ names: ["a", "b", "c"], reasons });
});

it("leaves out a link to something read elsewhere, and entries not asked for", () => {
  expect(listed(".", ({ name }) => name !== "f")).toEqual({ names: ["a", "b", "c"], reasons: [] });
});

it("finds nothing in a folder that does not exist", () => {
  rmSync(join(home, "in"), { recursive: true });

  expect(listed(".")).toEqual({ names: [], reasons: [] });
});
