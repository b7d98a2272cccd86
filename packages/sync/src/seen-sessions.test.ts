import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pathsReadBefore } from "./other-sources.ts";
import { type AddedRow, type StoredRows, seenFile, watchedTables } from "./seen-file.ts";
import { SeenSessions } from "./seen-sessions.ts";

const fault = { adapter: "demo", location: "a.jsonl:3", code: "source_fault", message: "no JSON" };
const whole = { fingerprint: "9.1", hasFailed: true, pendingSinceMs: 7, faults: [fault] };

const storing = (messages: number, ...rows: readonly AddedRow[]): StoredRows => ({
  rows: { sessions: 5, messages, parts: 20 },
  holds: async (row) => rows.some((each) => isDeepStrictEqual(each, row)),
});
const added = (atMicros: number, table: AddedRow["table"] = "messages"): AddedRow => ({
  ...{ table, sessionId: "a", atMicros },
});

const source = { adapter: "demo", path: "/home/ada/.demo" };
let folder: string;
let file: string;
const others = { usual: [], at: () => expect.unreachable() };
const load = (stored: StoredRows, isAsked = false): Promise<SeenSessions> =>
  SeenSessions.load(join(folder, "state"), { ...source, ...(isAsked && { others }) }, { stored });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-seen-"));
  file = seenFile(join(folder, "state"), source);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("SeenSessions", () => {
  it("loads the sessions that it saved", async () => {
    const seen = await load(storing(10));
    seen.set("a", { fingerprint: "1.2.3" });
    seen.set("b", whole);
    await seen.save(storing(10));

    const loaded = await load(storing(10));

    expect([loaded.get("a"), loaded.get("b"), loaded.get("c")]).toEqual([
      { fingerprint: "1.2.3" },
      whole,
      undefined,
    ]);
    expect(readdirSync(join(folder, "state"))).toHaveLength(1);
  });

  it.each(["@acme/loom", "../../loom", "..", "loom \ud800", "C:\\a\0%", "織機".repeat(30)])(
    "writes into its own folder, where the places of adapter %j are found again",
    async (adapter) => {
      const directory = join(folder, "a", "b", "state");
      const seen = await SeenSessions.load(
        directory,
        { ...source, adapter },
        { stored: storing(10) },
      );
      seen.set("a", { fingerprint: "1.2.3" });
      await seen.save(storing(10));

      expect(await pathsReadBefore(directory, adapter)).toEqual([source.path]);
      expect(
        readdirSync(folder, { recursive: true }).filter((each) => /json/.test(`${each}`)),
      ).toEqual(readdirSync(directory).map((name) => join("a", "b", "state", name)));
    },
  );

  it.each(["loom of acme", "ткач"])(
    "names its file as earlier versions did for adapter %s",
    (adapter) => {
      const name = seenFile("", { ...source, adapter });

      expect(name).toMatch(new RegExp(`^${adapter}-[\\da-f]{16}\\.json$`));
    },
  );

  it.each([0, 1, 999, 1_000, 1_001, 2_500])(
    "loads %i saved sessions in their order",
    async (count) => {
      const keys = Array.from({ length: count }, (_, at) => `${at}`.padStart(4, "0"));
      const seen = await load(storing(10));
      for (const key of keys) seen.set(key, { fingerprint: `${key}.1` });
      seen.set("last", whole);
      await seen.save(storing(10));

      const loaded = await load(storing(10));

      expect([...loaded.entries()]).toEqual([
        ...keys.map((key) => [key, { fingerprint: `${key}.1` }]),
        ["last", whole],
      ]);
    },
  );

  it("leaves changes made during a save to the next save", async () => {
    const seen = await load(storing(10));
    for (let at = 0; at < 3_000; at++) seen.set(`${at}`, { fingerprint: "1" });
    const saving = seen.save(storing(10));
    seen.set("2999", { fingerprint: "2" });
    seen.set("late", whole);
    await saving;
    const first = await load(storing(10));
    await seen.save(storing(10));
    const second = await load(storing(10));

    expect([first.get("2999")?.fingerprint, first.get("late")]).toEqual(["1", undefined]);
    expect([second.get("2999")?.fingerprint, second.get("late")]).toEqual(["2", whole]);
  });

  it("writes nothing when nothing changed", async () => {
    const seen = await load(storing(10));
    await seen.save(storing(10));

    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["is empty", () => ""],
    ["is cut in the middle", (text: string) => text.slice(0, text.length / 2)],
    ["is cut before its last line", (text: string) => text.slice(0, text.lastIndexOf("\n"))],
    ["is cut after its first line", (text: string) => text.slice(0, text.indexOf("\n") + 1)],
    ["is not JSON", () => "\0\0\0\0"],
    ["has another version", (text: string) => text.replace('"version":1', '"version":2')],
    ["lacks the sessions", () => '{"version":1,"storedMessages":0}'],
    ["holds an invalid extent", (text: string) => text.replace('"1"', '"1",{"extent":7}')],
    [
      "holds a number in place of a last row",
      (text: string) => text.replace('"sessions":[', '"lastRows":[7],"sessions":['),
    ],
    [
      "holds a last row without a table",
      (text: string) => text.replace('"sessions":[', '"lastRows":[{}],"sessions":['),
    ],
    ["lacks the count of parts", (text: string) => text.replace('"parts"', '"pieces"')],
    ["holds malformed sessions", () => '{"version":1,"storedMessages":0,"sessions":[["a"],7]}'],
  ])("starts empty when its file %s", async (_, damage) => {
    const seen = await load(storing(10));
    seen.set("a", { fingerprint: "1" });
    await seen.save(storing(10));
    writeFileSync(file, damage(readFileSync(file, "utf8")));

    const loaded = await load(storing(10));

    expect(loaded.get("a")).toBeUndefined();
  });

  it.each(watchedTables)(
    "ignores its file when the store was set back to fewer %s",
    async (table) => {
      const whole = storing(10);
      const seen = await load(storing(0));
      seen.set("a", { fingerprint: "1" });
      await seen.save(whole);

      const rows = { ...whole.rows, [table]: whole.rows[table] - 1 };
      expect((await load({ ...whole, rows })).get("a")).toBeUndefined();
      expect((await load(whole)).get("a")).toEqual({ fingerprint: "1" });
    },
  );

  it.each(watchedTables)(
    "ignores its file when the store lacks the last row of %s",
    async (table) => {
      const last = watchedTables.map((each, at) => added(at, each));
      const seen = await load(storing(0));
      seen.set("a", { fingerprint: "1" }, last);
      seen.set("b", { fingerprint: "2" });
      await seen.save(storing(10, ...last));

      const others = last.filter((row) => row.table !== table);
      expect((await load(storing(20, ...others))).get("a")).toBeUndefined();
      expect((await load(storing(20, ...last))).get("a")).toEqual({ fingerprint: "1" });
    },
  );

  it("ignores its file when the store lacks the row that was added last", async () => {
    const whole = storing(10, added(1), added(2));
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" }, [added(1)]);
    seen.set("b", { fingerprint: "2" }, [added(2)]);
    seen.set("c", { fingerprint: "3" });
    await seen.save(whole);

    expect((await load(storing(20))).get("a")).toBeUndefined();
    expect((await load(whole)).get("a")).toEqual({ fingerprint: "1" });
  });

  it("goes by the row added before when another process stored the last one first", async () => {
    const held = storing(10, added(1));
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" }, [added(1)]);
    await seen.save(held);
    seen.set("a", { fingerprint: "2" }, [added(2)]);
    await seen.save(held);

    expect((await load(held)).get("a")).toEqual({ fingerprint: "2" });
  });

  it("remembers which sessions are gone until they are back", async () => {
    const seen = await load(storing(0));
    for (const key of ["a", "b", "c"]) seen.set(key, { fingerprint: key });
    const gone = (): unknown[] => ["a", "b", "c"].map((key) => seen.get(key)?.isGone);
    for (const key of ["b", "d"]) seen.found(key);
    seen.markGone(true);
    expect(gone()).toEqual([true, undefined, true]);

    seen.found("a");
    seen.markGone(false);

    expect(gone()).toEqual([undefined, undefined, true]);
    expect([seen.get("a"), seen.get("d")]).toEqual([{ fingerprint: "a" }, undefined]);
  });

  it("knows whether its source was ever read without being requested", async () => {
    const asked = await load(storing(0), true);
    asked.set("a", { fingerprint: "1" });
    await asked.save(storing(1));
    const written = (): unknown => JSON.parse(readFileSync(file, "utf8"));
    expect(written()).toMatchObject({ path: source.path, isUsual: false });

    const usual = await load(storing(1));
    await usual.save(storing(1));

    expect(written()).toMatchObject({ isUsual: true, sessions: [["a", "1"]] });
    expect((await load(storing(1), true)).isUsual).toBe(true);
  });

  it("writes on the next save what could not be written before", async () => {
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" });
    writeFileSync(join(folder, "state"), "in the way");
    await expect(seen.save(storing(1))).rejects.toThrow("EEXIST");
    rmSync(join(folder, "state"));

    await seen.save(storing(1));

    expect((await load(storing(1))).get("a")).toEqual({ fingerprint: "1" });
  });

  it("adds the path of the source to a file of an older version", async () => {
    const old = { version: 1, storedMessages: 0, sessions: [["a", "1"]] };
    mkdirSync(join(folder, "state"));
    writeFileSync(file, JSON.stringify(old));
    const seen = await load(storing(0));

    await seen.save(storing(0));

    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ ...old, path: source.path });
  });

  it("reads a single-line file of an older version, however long the line is", async () => {
    const keys = Array.from({ length: 200_000 }, (_, at) => `${at}`.padStart(350, "x"));
    const sessions = keys.map((key) => [key, "1"]);
    mkdirSync(join(folder, "state"));
    writeFileSync(file, JSON.stringify({ version: 1, storedMessages: 0, sessions }));

    const seen = await load(storing(0));

    expect(seen.get(keys.at(-1) ?? "")).toEqual({ fingerprint: "1" });
  });

  it("reads the entry of a session, however long the entry is", async () => {
    // What others said in a session of half a million messages.
    const others = Array.from({ length: 450_000 }, (_, at) => `${at}`.padStart(36, "x"));
    const session = { fingerprint: "1", held: { digest: "d", addedAt: 1, others } };
    const seen = await load(storing(0));
    seen.set("a", session);
    seen.set("b", { fingerprint: "2" });
    await seen.save(storing(0));

    const again = await load(storing(0));

    expect(again.get("a")?.held?.others?.at(-1)).toBe(others.at(-1));
    expect(again.get("b")).toEqual({ fingerprint: "2" });
  });

  it("keeps a separate file for each place", () => {
    const other = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/eve/.demo" });

    expect(other).not.toBe(file);
  });
});
