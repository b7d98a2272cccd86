import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeFiles } from "./write-files.ts";

/** The file that a disk finds which ignores case and how accents are written, as that of a Mac. */
function foundAt(path: string): string {
  const fold = (name: string): string => name.normalize("NFD").toLowerCase();
  const names = readdirSync(dirname(path));
  const found = names.find((each) => fold(each) === fold(basename(path)));
  return join(dirname(path), found ?? basename(path));
}

vi.mock("node:fs/promises", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...fs,
    lstat: (path: string) => fs.lstat(foundAt(path)),
    open: (path: string, flags: string, mode?: number) => fs.open(foundAt(path), flags, mode),
    realpath: (path: string) => fs.realpath(foundAt(path)),
    link: (from: string, to: string) => fs.link(from, foundAt(to)),
    rename: (from: string, to: string) => fs.rename(from, foundAt(to)),
  };
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string, content: string): RestoredFile => ({
  session: "s" as RestoredFile["session"],
  path,
  content: [content],
});

describe.each([
  { first: "Alpha.json", second: "alpha.json" },
  { first: "caf\u00e9.json", second: "cafe\u0301.json" },
])("on a disk to which $first and $second are one name", ({ first, second }) => {
  it.each([false, true])("a file never replaces another one (forced: %s)", async (isForced) => {
    await writeFiles([file(first, "one")], folder);

    for (const files of [[file("new", ""), file(second, "two")], [file(second, "two")]]) {
      await expect(writeFiles(files, folder, { isForced })).rejects.toMatchObject({
        code: "target_unwritable",
        details: {
          path: join(folder, second),
          reason: `this disk takes its name for that of ${join(folder, first)}`,
        },
      });
    }

    expect(readdirSync(folder)).toEqual([first]);
    expect(readFileSync(join(folder, first), "utf8")).toBe("one");
  });

  it.each([false, true])("nor one of the same call (forced: %s)", async (isForced) => {
    const files = [file(first, "one"), file(second, "two")];

    const written = writeFiles(files, folder, { isForced });

    await expect(written).rejects.toMatchObject({ details: { path: join(folder, second) } });
    await expect(written).rejects.toThrow(join(folder, first));
    expect(readdirSync(folder)).toEqual([first]);
    expect(readFileSync(join(folder, first), "utf8")).toBe("one");
  });

  it("is replaced under its own name if forced", async () => {
    await writeFiles([file(first, "one")], folder);
    await writeFiles([file(first, "two")], folder, { isForced: true });

    expect(readFileSync(join(folder, first), "utf8")).toBe("two");
  });
});
