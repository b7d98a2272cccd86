import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hasAllLines } from "./append-lines.ts";
import { LeftoverDrafts } from "./leftover-drafts.ts";
import { writeFiles } from "./write-files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string, ...content: (string | Uint8Array)[]): RestoredFile => ({
  session: "s" as RestoredFile["session"],
  path,
  content,
});
const everything = (): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

it("writes files below a folder, accessible to the user alone", async () => {
  const target = join(folder, "new");

  const paths = await writeFiles(
    [file("a/b.txt", "one ", new Uint8Array([0xff])), file("c", "")],
    target,
  );

  expect(paths).toEqual([join(target, "a/b.txt"), join(target, "c")]);
  expect(readFileSync(join(target, "a/b.txt"))).toEqual(
    Buffer.from([...Buffer.from("one "), 0xff]),
  );
  expect(everything()).toEqual(["new", "new/a", "new/a/b.txt", "new/c"]);
  expect(statSync(join(target, "a")).mode & 0o777).toBe(0o700);
  expect(statSync(join(target, "a/b.txt")).mode & 0o777).toBe(0o600);
});

it("leaves an existing file with the same bytes untouched", async () => {
  await writeFiles([file("shared", "a", "b")], folder);
  const { mtimeNs } = statSync(join(folder, "shared"), { bigint: true });

  await writeFiles([file("shared", "ab"), file("other", "")], folder);

  expect(statSync(join(folder, "shared"), { bigint: true }).mtimeNs).toBe(mtimeNs);
  for (const content of ["abc", "a", ""]) {
    await expect(writeFiles([file("shared", content)], folder)).rejects.toMatchObject({
      code: "target_exists",
    });
  }
});

it("writes none of the files if one exists already, unless forced", async () => {
  writeFileSync(join(folder, "b"), "kept");

  await expect(writeFiles([file("a", "new"), file("b", "new")], folder)).rejects.toMatchObject({
    code: "target_exists",
    details: { path: join(folder, "b") },
  });
  expect(everything()).toEqual(["b"]);
  expect(readFileSync(join(folder, "b"), "utf8")).toBe("kept");

  await writeFiles([file("a", "new"), file("b", "new")], folder, { isForced: true });
  expect(readFileSync(join(folder, "b"), "utf8")).toBe("new");
});

it("leaves no partial file when a content fails, and keeps the existing file", async () => {
  writeFileSync(join(folder, "a"), "kept");
  const broken = {
    ...file("a"),
    *content(): Generator<string> {
      yield "half";
      throw new Error("no more");
    },
  };

  const writing = writeFiles([{ ...broken, content: broken.content() }], folder, {
    isForced: true,
  });

  await expect(writing).rejects.toThrow("no more");
  expect(everything()).toEqual(["a"]);
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("kept");
});

it("follows no link out of the folder, even when forced", async () => {
  const outside = join(folder, "outside");
  const target = join(folder, "target");
  mkdirSync(outside);
  mkdirSync(target);
  symlinkSync(outside, join(target, "way"));
  writeFileSync(join(outside, "own"), "kept");
  symlinkSync(join(outside, "own"), join(target, "file"));
  symlinkSync(join(outside, "not there"), join(target, "dangling"));

  for (const path of ["way/x", "way/deeper/x", "file", "dangling"]) {
    const writing = writeFiles([file(path, "x")], target, { isForced: true });
    await expect(writing).rejects.toMatchObject({ code: "unsafe_path" });
  }
  expect(readdirSync(outside)).toEqual(["own"]);
  expect(readFileSync(join(outside, "own"), "utf8")).toBe("kept");
});

it.each(["../x", "a/../../x", "/x", "C:x", "a\\b", ""])("refuses the path %j", async (path) => {
  const writing = writeFiles([file(path, "x")], join(folder, "target"));

  await expect(writing).rejects.toMatchObject({ code: "unsafe_path" });
  expect(everything()).toEqual([]);
});

it("refuses two files with one path, a file in place of a folder, and a file below a file", async () => {
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "f"), "kept");
  const forced = { isForced: true };

  await expect(writeFiles([file("x", "1"), file("x", "2")], folder, forced)).rejects.toMatchObject({
    code: "target_exists",
  });
  await expect(writeFiles([file("a", "1")], folder, forced)).rejects.toMatchObject({
    code: "target_exists",
  });
  await expect(writeFiles([file("f/x", "1")], folder, forced)).rejects.toMatchObject({
    code: "target_exists",
  });
  expect(everything()).toEqual(["a", "f"]);
});

it("names the path at which the system refuses to write", async () => {
  // Longer than a name may be.
  const name = "x".repeat(256);

  const written = writeFiles([file(name, "text")], folder);

  await expect(written).rejects.toMatchObject({
    code: "target_unwritable",
    details: { path: join(folder, name) },
  });
});

it("removes the draft that a killed restore left of the same file", async () => {
  // No process has this number: it is larger than any may be.
  writeFileSync(join(folder, "a.4999999-0123abcd.tmp"), "te");
  writeFileSync(join(folder, `a.${process.pid}-0123abcd.tmp`), "of one that runs");

  await writeFiles([file("a", "text")], folder);

  expect(everything()).toEqual(["a", `a.${process.pid}-0123abcd.tmp`]);
});

it("looks for left drafts only once in a folder that many calls write to", async () => {
  const draft = "b.4999999-0123abcd.tmp";
  writeFileSync(join(folder, draft), "te");
  const options = { leftoverDrafts: new LeftoverDrafts() };

  await writeFiles([file("a", "text")], folder, options);
  const later = "c.4999999-0123abcd.tmp";
  writeFileSync(join(folder, later), "te");
  await writeFiles([file("b", "text")], folder, options);
  await writeFiles([file("c", "text")], folder, options);

  expect(everything()).toEqual(["a", "b", "c", later]);
});

it.each([
  ["x".repeat(255), "x".repeat(231)],
  ["é".repeat(127), "é".repeat(115)],
])(
  "writes a file with a name as long as file systems take, and removes left drafts of it: %s",
  async (name, inDrafts) => {
    writeFileSync(join(folder, `${inDrafts}.4999999-0123abcd.tmp`), "te");

    await writeFiles([file(name, "text")], folder);
    await writeFiles([file(name, "other text")], folder, { isForced: true });

    expect(everything()).toEqual([name]);
    expect(readFileSync(join(folder, name), "utf8")).toBe("other text");
  },
);

const shared = { key: "id", time: "at" };

/** A name that a session was given at a second; `id@1 name`. */
const lineOf = (text: string): string => {
  const [, id, second, name] = /^(\w+)@(\d) (\w+)$/.exec(text) ?? [];
  return `{"id":"${id}","at":"2026-05-04T09:00:0${second}Z","name":"${name}"}\n`;
};
const named = (...texts: string[]): RestoredFile => ({
  ...file("names", ...texts.map(lineOf)),
  shared,
});

it.each([
  ["nothing", [], ["a@1 X", "a@2 Y"], ["a@1 X", "a@2 Y"]],
  ["only lines of other sessions", ["b@9 X"], ["a@1 X"], ["a@1 X"]],
  ["all the lines", ["a@1 X", "a@2 Y"], ["a@1 X", "a@2 Y"], []],
  ["the first line", ["a@1 X", "b@1 X"], ["a@1 X", "a@2 Y"], ["a@2 Y"]],
  ["only the last line, so that earlier ones stay out", ["a@2 Y"], ["a@1 X", "a@2 Y"], []],
  ["the first line and a later one that is not stored", ["a@1 X", "a@5 Z"], ["a@1 X", "a@2 Y"], []],
  ["only a later line that is not stored", ["a@5 Z"], ["a@1 X"], []],
  ["only an earlier line that is not stored", ["a@1 Z"], ["a@2 X"], ["a@2 X"]],
  ["another line of the same time after the stored one", ["a@1 X", "a@1 Y"], ["a@1 X"], ["a@1 X"]],
  ["only one of two equal lines", ["a@1 X"], ["a@1 X", "a@1 Y", "a@1 X"], ["a@1 Y", "a@1 X"]],
  ["both of two equal lines", ["a@1 X", "a@1 X"], ["a@1 X", "a@1 X"], []],
  ["the line between two equal ones", ["a@1 Y"], ["a@1 X", "a@1 Y", "a@1 X"], ["a@1 X"]],
  [
    "all but the last line, whose time is earlier than the others'",
    ["a@5 X"],
    ["a@5 X", "a@2 Y"],
    ["a@2 Y"],
  ],
  [
    "a later line that is not stored, and the last stored line has an earlier time",
    ["a@5 X", "a@6 Z"],
    ["a@5 X", "a@2 Y"],
    [],
  ],
])(
  "adds only missing lines to a file that sessions share when it has %s",
  async (_, there, own, added) => {
    const place = join(folder, "names");
    const before = there.map(lineOf).join("");
    writeFileSync(place, before);

    expect(await hasAllLines(place, named(...own).content, shared)).toBe(added.length === 0);
    for (const isForced of [false, true]) {
      expect(await writeFiles([named(...own)], folder, { isForced })).toEqual([place]);
      expect(readFileSync(place, "utf8")).toBe(before + added.map(lineOf).join(""));
    }
  },
);

it("appends the lines of each session to a file that they share, after whatever is there", async () => {
  const place = join(folder, "names");
  const one: RestoredFile = { ...file("names", '{"id":"a","n":1}\n'), shared };

  expect(await hasAllLines(place, one.content, shared)).toBe(false);
  await writeFiles([one, named("b@1 X")], folder);
  expect(readFileSync(place, "utf8")).toBe(`{"id":"a","n":1}\n${lineOf("b@1 X")}`);
  // What its client was writing when the power went is no line, and takes none along.
  const before = 'mine\n[1]\n{ "n": 1.0, "id": "\\u0061" }\n{"id":"b","n":2}\n{broken';
  writeFileSync(place, before);
  await writeFiles([{ ...one, content: ['{"n":1,"id":"a"}\n'] }, named("b@1 X")], folder);

  expect(readFileSync(place, "utf8")).toBe(`${before}\n${lineOf("b@1 X")}`);
  expect(statSync(place).mode & 0o777).toBe(0o600);
  expect(everything()).toEqual(["names"]);
});

it("appends a line that a file has only without its end, which a client would continue", async () => {
  const place = join(folder, "names");
  writeFileSync(place, lineOf("a@1 X").trimEnd());

  expect(await hasAllLines(place, named("a@1 X").content, shared)).toBe(false);
  await writeFiles([named("a@1 X")], folder);

  expect(readFileSync(place, "utf8")).toBe(lineOf("a@1 X").repeat(2));
});

it("adds no lines to anything that is not a file, nor to a file of one session alone", async () => {
  const names: RestoredFile = { ...file("a/names", "one\n"), shared };
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "elsewhere"), "");
  symlinkSync(join(folder, "elsewhere"), join(folder, "a/names"));

  expect(await hasAllLines(join(folder, "a/names"), [], shared)).toBe(false);
  await expect(writeFiles([names], folder)).rejects.toMatchObject({ code: "unsafe_path" });
  expect(readFileSync(join(folder, "elsewhere"), "utf8")).toBe("");

  rmSync(join(folder, "a/names"));
  for (const pair of [
    [names, file("a/names", "x")],
    [file("a/names", "x"), names],
  ]) {
    await expect(writeFiles(pair, folder)).rejects.toMatchObject({ code: "target_exists" });
  }
  mkdirSync(join(folder, "a/names"));
  await expect(writeFiles([names], folder)).rejects.toMatchObject({ code: "target_exists" });
});
