import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openSessions, rootIds, sessionTables } from "@pond/sessions";
import fc from "fast-check";
import { extract } from "tar-stream";
import { describe, expect, it, vi } from "vitest";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import { compareText } from "./key-order.ts";
import {
  allRows,
  damagedCopy,
  demoSessions,
  embedAll,
  filesBelow,
  ingest,
  openStore,
  storeOf,
  temporaryFolder,
} from "./testing.ts";
import { verifyArchive } from "./verify-archive.ts";

/** Exports a store and gives the file. */
async function exported(sessions: Parameters<typeof exportArchive>[0]): Promise<string> {
  const file = join(temporaryFolder(), "a.pond");
  await exportArchive(sessions, file);
  return file;
}

/** The members of an archive, as another implementation of tar reads them. */
async function membersOf(file: string): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const entries = extract();
  createReadStream(file).pipe(entries);
  for await (const entry of entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(Buffer.from(chunk as Uint8Array));
    members.set(entry.header.name, Buffer.concat(chunks));
  }
  return members;
}

describe("an archive", () => {
  it("restores a wiped store row by row with its vectors, and adds nothing the second time", async () => {
    const location = join(temporaryFolder(), "store");
    const sessions = await openStore(location);
    await ingest(sessions, demoSessions(3));
    await embedAll(sessions, 384);
    const before = await allRows(sessions);
    const file = await exported(sessions);
    sessions.close();
    rmSync(location, { recursive: true });

    const again = await openStore(location);
    const first = await importArchive(file, again);
    const second = await importArchive(file, again);

    expect(await allRows(again)).toEqual(before);
    expect(first.tables["messages"]).toEqual({ inserted: 9, present: 0 });
    expect(before["messages"]?.every((row) => row.includes("model-of-384"))).toBe(true);
    expect(Object.values(second.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
  });

  it("keeps its vectors when the importing store learns their length from it", async () => {
    const sessions = await storeOf(...demoSessions(2));
    await embedAll(sessions, 8);
    const file = await exported(sessions);

    const other = await openStore();
    await importArchive(file, other);

    expect(await allRows(other)).toEqual(await allRows(sessions));
  });

  it("leaves its vectors out, and counts them, if the importing store has another vector length", async () => {
    const sessions = await storeOf(...demoSessions(2));
    await embedAll(sessions, 8);
    const file = await exported(sessions);

    const other = await storeOf({ id: "own", texts: ["mine"] });
    const report = await importArchive(file, other);

    expect([report.vectorsLeftOut, report.tables["messages"]?.inserted]).toEqual([6, 6]);
  });

  it("is a tar with the manifest first, and with one version and no index per dataset", async () => {
    const sessions = await storeOf(...demoSessions(2));
    for (const { name } of sessionTables) {
      await sessions.store.table(name).fold({ isForced: true });
    }
    const file = await exported(sessions);

    const members = await membersOf(file);

    const [first, ...paths] = members.keys();
    const { files, tables } = JSON.parse(String(members.get("manifest.json")));
    expect(first).toBe("manifest.json");
    expect(files).toEqual(
      paths.map((path) => {
        const bytes = members.get(path) ?? Buffer.alloc(0);
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        return { path, size: bytes.length, sha256 };
      }),
    );
    expect(tables.map(({ name, rows }: { name: string; rows: number }) => [name, rows])).toEqual([
      ["sessions", 2],
      ["messages", 6],
      ["parts", 6],
      ["windows", 2],
    ]);
    for (const { name } of sessionTables) {
      const own = paths.filter((path) => path.startsWith(`${name}.lance/`));
      expect(own.filter((path) => path.endsWith(".manifest"))).toHaveLength(1);
      expect(own.filter((path) => path.includes("/data/"))).toHaveLength(1);
      expect(own.filter((path) => path.includes("_indices"))).toEqual([]);
    }
  });

  it("has the same digests and data sizes as another archive of the same store", async () => {
    const sessions = await storeOf(...demoSessions(3));
    await embedAll(sessions, 384);

    const [one, other] = [await exported(sessions), await exported(sessions)];

    const contents = async (file: string) => ({
      summary: await verifyArchive(file),
      data: [...(await membersOf(file))]
        .filter(([path]) => path.includes("/data/"))
        .map(([path, bytes]) => [path.split("/")[0], bytes.length]),
    });
    expect(await contents(one)).toEqual(await contents(other));
  });

  it("has the same digests when it is exported from another store with the same rows", async () => {
    const sessions = await storeOf(...demoSessions(3));
    const file = await exported(sessions);
    const other = await openStore();
    await importArchive(file, other);

    const { digests } = await exportArchive(other, join(temporaryFolder(), "b.pond"));

    expect(digests).toEqual((await verifyArchive(file)).digests);
  });

  it("is readable by its owner alone, and leaves no other file beside it", async () => {
    const folder = temporaryFolder();

    await exportArchive(await storeOf(...demoSessions(1)), join(folder, "a.pond"));
    await verifyArchive(join(folder, "a.pond"), { temporaryFolder: folder });

    expect(filesBelow(folder)).toEqual(["a.pond"]);
    expect(statSync(join(folder, "a.pond")).mode & 0o777).toBe(0o600);
  });

  it("replaces an existing file only when forced", async () => {
    const file = await exported(await storeOf(...demoSessions(1)));
    const before = readFileSync(file);
    const sessions = await storeOf(...demoSessions(2));

    await expect(exportArchive(sessions, file)).rejects.toMatchObject({ code: "target_exists" });
    expect(readFileSync(file).equals(before)).toBe(true);

    await exportArchive(sessions, file, { isForced: true });
    expect((await verifyArchive(file)).rows["sessions"]).toBe(2);
  });

  it("replaces the file that a link leads to, and keeps the link", async () => {
    const sessions = await storeOf(...demoSessions(1));
    const folder = temporaryFolder();
    const [file, link] = [join(folder, "a.pond"), join(folder, "latest.pond")];
    writeFileSync(file, "old");
    symlinkSync("a.pond", link);

    await expect(exportArchive(sessions, link)).rejects.toMatchObject({ code: "target_exists" });
    await exportArchive(sessions, link, { isForced: true });

    expect(readlinkSync(link)).toBe("a.pond");
    expect((await verifyArchive(file)).rows["sessions"]).toBe(1);
    expect(filesBelow(folder)).toEqual(["a.pond", "latest.pond"]);
  });

  it("is written where a dangling link leads, and keeps the link", async () => {
    const sessions = await storeOf(...demoSessions(1));
    const folder = temporaryFolder();
    mkdirSync(join(folder, "disk", "inner"), { recursive: true });
    symlinkSync(join("disk", "inner"), join(folder, "short"));
    const link = join(folder, "latest.pond");
    // Behind `short` the folder above is `disk`.
    symlinkSync("short/../next.pond", link);

    await exportArchive(sessions, link, { isForced: true });

    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect((await verifyArchive(join(folder, "disk", "next.pond"))).rows["sessions"]).toBe(1);
  });

  it.each<[string, string, (folder: string) => unknown]>([
    ["a folder", "x", (folder) => mkdirSync(join(folder, "x"))],
    ["a pipe", "x", (folder) => execFileSync("mkfifo", [join(folder, "x")])],
    [
      "a link to a pipe",
      "x",
      (folder) => {
        execFileSync("mkfifo", [join(folder, "pipe")]);
        symlinkSync("pipe", join(folder, "x"));
      },
    ],
    ["a link to itself", "x", (folder) => symlinkSync("x", join(folder, "x"))],
    ["below a file", "file/x", (folder) => writeFileSync(join(folder, "file"), "")],
    ["a link into a missing folder", "x", (folder) => symlinkSync("none/x", join(folder, "x"))],
    ["a path with too long a name", "x".repeat(300), () => undefined],
  ])("is not written when the target is %s, forced or not", async (_, name, make) => {
    const sessions = await storeOf(...demoSessions(1));
    const folder = temporaryFolder();
    make(folder);
    const before = readdirSync(folder);
    const target = join(folder, name);

    const forced = exportArchive(sessions, target, { isForced: true });

    await expect(forced).rejects.toMatchObject({ code: "target_unwritable" });
    await expect(exportArchive(sessions, target)).rejects.toMatchObject({
      code: expect.stringMatching(/^target_/),
    });
    expect(readdirSync(folder)).toEqual(before);
    expect(readdirSync(folder).filter((each) => lstatSync(join(folder, each)).isFile())).toEqual(
      before.filter((each) => each === "file"),
    );
  });

  it("is reported as unwritable, and leaves no file, when the disk is full", async () => {
    const sessions = await storeOf(...demoSessions(1));
    const folder = temporaryFolder();
    const handle = await open(folder);
    const full = { code: "ENOSPC", syscall: "write" };
    const writing = vi.spyOn(Object.getPrototypeOf(handle), "writeFile");
    writing.mockRejectedValueOnce(Object.assign(new Error("no space left, write"), full));
    const file = join(folder, "a.pond");

    const exporting = exportArchive(sessions, file);

    await expect(exporting).rejects.toMatchObject({
      code: "target_unwritable",
      details: { path: file, reason: "the disk is full" },
    });
    expect(readdirSync(folder)).toEqual([]);
    writing.mockRestore();
    await handle.close();
  });

  it.each(["export", "import"])("leaves no files when a signal stops its %s", async (what) => {
    const folder = temporaryFolder();
    const sessions = await storeOf(...demoSessions(3));
    const file = await exported(sessions);
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };

    const stopped =
      what === "export"
        ? exportArchive(sessions, join(folder, "b.pond"), options)
        : importArchive(file, await openStore(), { ...options, temporaryFolder: folder });

    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(filesBelow(folder)).toEqual([]);
  });

  it("round-trips sessions with arbitrary ids and texts, in the order of the keys", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
    const unsorted = { id: "s", ids: ["b", "c", "a"], texts: ["one", "two", "three"] };
    const sessionsOf = fc.uniqueArray(
      fc
        .uniqueArray(text, { maxLength: 4 })
        .chain((ids) => fc.record({ id: text, ids: fc.constant(ids), texts: fc.constant(ids) })),
      {
        selector: ({ id }) => id,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(sessionsOf, async (demos) => {
        const sessions = await storeOf(...demos);
        const file = await exported(sessions);
        const other = await openStore();
        await importArchive(file, other);
        expect(await allRows(other)).toEqual(await allRows(sessions));
      }),
      // To make a failure smaller would take minutes.
      { numRuns: 5, examples: [[[unsorted]]], endOnFailure: true },
    );
  });

  it("round-trips sessions that are too large to be sorted at once, in the order of the keys", async () => {
    const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `x ${at}`);
    const sizes = [1, 300, 2, 700, 1];
    const demos = sizes.map((size, at) => ({ id: `s${at}`, texts: texts(size) }));
    // Of the largest first, so that its rows lie elsewhere than their keys.
    const sessions = await storeOf(...demos.toReversed());
    await ingest(sessions, [{ id: "s1", texts: texts(310) }]);

    const other = await openStore();
    const { tables } = await importArchive(await exported(sessions), other);

    expect(tables["messages"]).toEqual({ inserted: 1014, present: 0 });
    expect(await allRows(other)).toEqual(await allRows(sessions));
  });
});

describe("an import into a store that has sessions", () => {
  it("makes the windows of a session that grew as a sync would", async () => {
    const [session = { id: "", texts: [] }] = demoSessions(1, 9);
    const half = { ...session, texts: session.texts.slice(0, 4) };
    const file = await exported(await storeOf(session));

    const sessions = await storeOf(half);
    const { tables } = await importArchive(file, sessions);

    const synced = await storeOf(half);
    await ingest(synced, [session]);
    const windows = async (each: typeof sessions) => (await allRows(each))["windows"];
    expect(tables["messages"]).toEqual({ inserted: 5, present: 4 });
    expect(await windows(sessions)).toEqual(await windows(synced));
  });

  it("completes windows that a killed copy left unfinished", async () => {
    const [session = { id: "", texts: [] }] = demoSessions(1, 9);
    const file = await exported(await storeOf(session));
    const sessions = await storeOf({ ...session, texts: session.texts.slice(0, 4) });
    const whole = await storeOf(session);
    // What such a copy had done: every message, and no window yet.
    for (const name of ["parts", "messages"]) {
      const columns = Object.keys(whole.store.table(name).declaration.columns);
      const rows = await whole.store.table(name).rows({ columns });
      await sessions.store
        .table(name)
        .insert(
          Object.fromEntries(columns.map((each) => [each, rows.map((row) => row[each] ?? null)])),
        );
    }

    await importArchive(file, sessions);

    const windows = async (each: typeof sessions) => (await allRows(each))["windows"];
    const synced = await storeOf({ ...session, texts: session.texts.slice(0, 4) });
    await ingest(synced, [session]);
    expect(await windows(sessions)).toEqual(await windows(synced));
  });

  it("completes the windows of a long message when one of them is missing", async () => {
    const whole = await storeOf({ id: "s", texts: ["herons nest ".repeat(20_000)] });
    const sessions = await damagedCopy(whole, (_, row) =>
      String(row["id"]).startsWith("pond-window:2:") ? undefined : row,
    );

    await importArchive(await exported(whole), sessions);

    const windows = async (each: typeof sessions) => (await allRows(each))["windows"];
    expect((await windows(sessions))?.length).toBe(4);
    expect(isDeepStrictEqual(await windows(sessions), await windows(whole))).toBe(true);
  });

  it("keeps and counts the stored messages, and keeps the session's project", async () => {
    const archived = { id: "s", texts: ["one", "two", "three"], project: "/theirs" };
    const file = await exported(await storeOf(archived));
    const sessions = await storeOf({ id: "s", texts: ["one", "other"], project: "/ours" });

    const report = await importArchive(file, sessions);

    const rows = await sessions.store
      .table("messages")
      .rows({ columns: ["id", "project", "search_text"] });
    const rowTexts = rows.map((row) => Object.values(row).join(" ")).sort();
    expect(report).toMatchObject({
      differing: 1,
      tables: { messages: { inserted: 1, present: 2 } },
    });
    expect(rowTexts).toEqual(["m0 /ours one", "m1 /ours other", "m2 /ours three"]);
    expect(await rootIds(sessions)).toEqual(["s"]);
  });

  it("opens the store only after the whole archive is proven valid", async () => {
    const location = join(temporaryFolder(), "store");
    const file = await exported(await storeOf(...demoSessions(1)));
    const bytes = readFileSync(file);
    const damaged = join(temporaryFolder(), "b.pond");
    writeFileSync(damaged, bytes.subarray(0, bytes.length - 700));
    const open = () => openSessions(location, { mode: "write" });

    await expect(importArchive(damaged, open)).rejects.toMatchObject({ code: "archive_damaged" });
    expect(filesBelow(location)).toEqual([]);

    await importArchive(file, open);
    expect(await rootIds(await openStore(location))).toEqual(["session-000"]);
  });
});

describe("compareText", () => {
  it("orders texts by code point, like their UTF-8 bytes", () => {
    const texts = ["\u{1f600}", "\uff5e", "\ud7ff", "b", "a", "ab", ""];

    const bytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    expect(texts.toSorted(compareText)).toEqual(bytes);
  });
});
