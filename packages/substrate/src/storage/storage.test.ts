import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StorageUnavailableError } from "../errors.ts";
import { DurableFolder, isMissing, parseLocation, withDraftFolder } from "./storage.ts";

const flushed = vi.hoisted((): string[] => []);
/** What the system says of a path that is to be flushed. */
const refused = vi.hoisted((): Map<string, string> => new Map());

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const opened = new Map<number, string>();
  const openSync: typeof real.openSync = (path, ...rest) => {
    const file = real.openSync(path, ...rest);
    opened.set(file, String(path));
    return file;
  };
  const fsync = (file: number, done: (error: Error | null) => void): void => {
    const path = opened.get(file) ?? "";
    flushed.push(path);
    const code = refused.get(path);
    if (code === undefined) real.fsync(file, done);
    else done(Object.assign(new Error(code), { code }));
  };
  return { ...real, openSync, fsync };
});

const dayMs = 86_400_000;
let root: string;
let store: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "substrate-flush-"));
  store = join(root, "made", "store");
  mkdirSync(join(store, "data"), { recursive: true });
});
afterEach(() => {
  vi.useRealTimers();
  refused.clear();
  rmSync(root, { recursive: true });
});

async function flushedBy(run: () => Promise<void>): Promise<string[]> {
  flushed.length = 0;
  await run();
  return flushed.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length));
}

it.each([
  ["file:///made/a%20store", "/made/a store"],
  ["FILE:///made/store", "/made/store"],
  ["file:/made/store", "/made/store"],
  ["file:store", join(process.cwd(), "file:store")],
  ["/made/store", "/made/store"],
])("takes %s for a folder", (location, folder) => {
  expect(parseLocation(location)).toEqual({ uri: folder, folder });
});

it("takes other addresses for object stores", () => {
  expect(parseLocation("s3://bucket/store")).toEqual({ uri: "s3://bucket/store" });
});

it("flushes a file before its folder, and the folders above a new store", async () => {
  writeFileSync(join(store, "data", "a"), "a");

  const paths = await flushedBy(() => new DurableFolder(store).flush());

  expect(paths).toEqual(["/made/store/data/a", "/made/store/data", "/made/store", "/made", ""]);
});

it("goes on when a file system cannot flush folders, but not when it cannot flush files", async () => {
  for (const path of [root, store]) refused.set(path, "EINVAL");
  writeFileSync(join(store, "data", "a"), "a");

  await new DurableFolder(store).flush();

  refused.set(join(store, "data", "a"), "EINVAL");
  await expect(new DurableFolder(store).flush()).rejects.toThrow("EINVAL");
});

it.each([
  ["ENOSPC", { problem: "disk_full" }],
  ["EDQUOT", { problem: "disk_full" }],
  ["EMFILE", { problem: "open_files" }],
  ["EIO", {}],
])("says which store could not be flushed, and why: %s", async (code, problem) => {
  refused.set(join(store, "data"), code);

  const error = await new DurableFolder(store).flush().catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(StorageUnavailableError);
  expect(error).toMatchObject({
    details: { location: store, reason: code, isTransient: false, ...problem },
    cause: { code },
  });
});

it.each([
  ["backwards", -30],
  ["forwards", 30],
])("flushes a file that is written after the clock was set %s", async (_, days) => {
  const folder = new DurableFolder(store);
  await folder.flush();
  vi.useFakeTimers({ now: Date.now() + days * dayMs, toFake: ["Date"] });
  writeFileSync(join(store, "data", "a"), "a");
  utimesSync(join(store, "data", "a"), new Date(), new Date());

  expect(await flushedBy(() => folder.flush())).toContain("/made/store/data/a");
});

it("flushes the rest when another process removes files and folders during a flush", async () => {
  mkdirSync(join(store, "later"));
  const [kept, removed] = [join(store, "data", "a"), join(store, "manifest")];
  for (const file of [kept, removed, join(store, "later", "b")]) writeFileSync(file, "x");

  const paths = await flushedBy(async () => {
    // All are listed by now, and only the first is open.
    const flushing = new DurableFolder(store).flush();
    for (const path of [removed, join(store, "later")]) rmSync(path, { recursive: true });
    await flushing;
  });

  expect(paths).toEqual(["/made/store/data/a", "/made/store/data", "/made/store", "/made", ""]);
});

it("does not flush unchanged files again", async () => {
  writeFileSync(join(store, "data", "a"), "a");
  const longAgo = new Date(Date.now() - dayMs);
  for (const path of [
    join(store, "data", "a"),
    join(store, "data"),
    store,
    join(root, "made"),
    root,
  ]) {
    utimesSync(path, longAgo, longAgo);
  }
  const folder = new DurableFolder(store);
  await folder.flush();

  expect(await flushedBy(() => folder.flush())).toEqual([]);
});

it("flushes a draft before it moves the draft into the store, and the store's folder after", async () => {
  let before: string[] = [];

  await withDraftFolder(store, async (draft, adopt) => {
    const table = join(draft, "parts.lance");
    mkdirSync(table);
    writeFileSync(join(table, "manifest"), "m");
    before = (await flushedBy(() => adopt(table))).map((path) => path.replace(/.*draft-[^/]*/, ""));
  });

  expect(before).toEqual(["/parts.lance/manifest", "/parts.lance", "/made/store"]);
});

it.each([
  ["a file", "", /: a file, not a folder$/],
  ["a path below a file", "below/it", /: a folder above it is a file$/],
])("does not take %s for a missing store", (_, below, message) => {
  const file = join(root, "file");
  writeFileSync(file, "x");

  expect(() => isMissing(parseLocation(join(file, below)))).toThrow(message);
  expect([isMissing(parseLocation(join(root, "none"))), isMissing(parseLocation(root))]).toEqual([
    true,
    false,
  ]);
});

it("takes a broken link for a disk that is not there, not for a missing store", () => {
  const link = join(root, "link");
  symlinkSync(join(root, "unplugged", "store"), link);

  expect(() => isMissing(parseLocation(link))).toThrow(StorageUnavailableError);
  for (const place of [link, join(link, "default")]) {
    expect(() => isMissing(parseLocation(place))).toThrow("unplugged/store, which does not exist");
  }
});

it("takes an empty place behind a link to a folder for a missing store", () => {
  const link = join(root, "link");
  symlinkSync(root, link);

  const places = [join(link, "none"), join(link, "none", "default")];

  expect(places.map((place) => isMissing(parseLocation(place)))).toEqual([true, true]);
});

it("does not take a place that the system cannot look at for a missing store", () => {
  const circle = join(root, "circle");
  symlinkSync("circle", circle);

  for (const place of [circle, join(circle, "default")]) {
    expect(() => isMissing(parseLocation(place))).toThrow(StorageUnavailableError);
    expect(() => isMissing(parseLocation(place))).toThrow(/: ELOOP: /);
  }
});

it("refuses a path that no folder can have", () => {
  const long = join(root, "x".repeat(300));

  expect(() => isMissing(parseLocation(long))).toThrow(StorageUnavailableError);
  expect(() => isMissing(parseLocation(long))).toThrow("its path or a name in it is too long");
  expect(() => parseLocation("a\0b")).toThrow(StorageUnavailableError);
  expect(() => parseLocation("s3://bucket/a\0b")).toThrow("it holds a control character");
  expect(() => parseLocation("a\nb")).toThrow(StorageUnavailableError);
});

it.each(["", undefined, 5])("refuses %j as a location", (location) => {
  expect(() => parseLocation(location as string)).toThrow(TypeError);
});
