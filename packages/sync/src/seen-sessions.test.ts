import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AddedRow, type Stored, seenFile } from "./seen-file.ts";
import { SeenSessions } from "./seen-sessions.ts";

const fault = { adapter: "demo", location: "a.jsonl:3", code: "source_fault", message: "no JSON" };
const whole = { fingerprint: "9.1", hasFailed: true, pendingSinceMs: 7, faults: [fault] };

const storing = (messages: number, ...rows: readonly AddedRow[]): Stored => ({
  messages,
  holds: async (row) => rows.some(({ atMicros }) => atMicros === row.atMicros),
});

const source = { adapter: "demo", path: "/home/ada/.demo" };
let folder: string;
let file: string;
const load = (stored: Stored, isAsked = false): Promise<SeenSessions> =>
  SeenSessions.load(join(folder, "state"), { ...source, isAsked }, { stored });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-seen-"));
  file = seenFile(join(folder, "state"), source);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("SeenSessions", () => {
  it("gives back what was saved", async () => {
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

  it("writes nothing when nothing changed", async () => {
    const seen = await load(storing(10));
    await seen.save(storing(10));

    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["is empty", () => ""],
    ["was cut", (text: string) => text.slice(0, text.length / 2)],
    ["is no JSON", () => "\0\0\0\0"],
    ["is of another version", (text: string) => text.replace('"version":1', '"version":2')],
    ["holds no sessions", () => '{"version":1,"storedMessages":0}'],
    ["holds no extent", (text: string) => text.replace('"1"', '"1",{"extent":7}')],
    ["names no row", (text: string) => text.replace('"sessions"', '"lastAdded":[],"sessions"')],
    ["holds other things", () => '{"version":1,"storedMessages":0,"sessions":[["a"],7]}'],
  ])("starts afresh when the file %s", async (_, damage) => {
    const seen = await load(storing(10));
    seen.set("a", { fingerprint: "1" });
    await seen.save(storing(10));
    writeFileSync(file, damage(readFileSync(file, "utf8")));

    const loaded = await load(storing(10));

    expect(loaded.get("a")).toBeUndefined();
  });

  it("says nothing of a store that was set back to fewer messages", async () => {
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" });
    await seen.save(storing(10));

    expect((await load(storing(9))).get("a")).toBeUndefined();
    expect((await load(storing(10))).get("a")).toEqual({ fingerprint: "1" });
  });

  it("says nothing of a store that lacks the last row that was added", async () => {
    const [first, last] = [1, 2].map((atMicros) => ({ sessionId: "a", atMicros }));
    const whole = storing(10, ...[first, last].flatMap((row) => row ?? []));
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" }, first);
    seen.set("b", { fingerprint: "2" }, last);
    seen.set("c", { fingerprint: "3" });
    await seen.save(whole);

    expect((await load(storing(20))).get("a")).toBeUndefined();
    expect((await load(whole)).get("a")).toEqual({ fingerprint: "1" });
  });

  it("goes by what was added before where another process was faster", async () => {
    const [own, others] = [1, 2].map((atMicros) => ({ sessionId: "a", atMicros }));
    const held = storing(10, ...(own ? [own] : []));
    const seen = await load(storing(0));
    seen.set("a", { fingerprint: "1" }, own);
    await seen.save(held);
    seen.set("a", { fingerprint: "2" }, others);
    await seen.save(held);

    expect((await load(held)).get("a")).toEqual({ fingerprint: "2" });
  });

  it("remembers what is gone, until it is back", async () => {
    const seen = await load(storing(0));
    for (const key of ["a", "b", "c"]) seen.set(key, { fingerprint: key });
    const gone = (): unknown[] => ["a", "b", "c"].map((key) => seen.get(key)?.isGone);
    seen.markGone(new Set(["b", "d"]), true);
    expect(gone()).toEqual([true, undefined, true]);

    seen.markGone(new Set(["a"]), false);

    expect(gone()).toEqual([undefined, undefined, true]);
    expect([seen.get("a"), seen.get("d")]).toEqual([{ fingerprint: "a" }, undefined]);
  });

  it("knows whether its source was ever read without being asked for", async () => {
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

  it("says in a file of an older version what it is about", async () => {
    const old = { version: 1, storedMessages: 0, sessions: [["a", "1"]] };
    mkdirSync(join(folder, "state"));
    writeFileSync(file, JSON.stringify(old));
    const seen = await load(storing(0));

    await seen.save(storing(0));

    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ ...old, path: source.path });
  });

  it("keeps a file for each place", () => {
    const other = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/eve/.demo" });

    expect(other).not.toBe(file);
  });
});
