import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AddedRow, SeenSessions, type Stored, seenFile } from "./seen-sessions.ts";

const fault = { adapter: "demo", location: "a.jsonl:3", code: "source_fault", message: "no JSON" };
const whole = { fingerprint: "9.1", hasFailed: true, pendingSinceMs: 7, faults: [fault] };

const storing = (messages: number, ...rows: readonly AddedRow[]): Stored => ({
  messages,
  holds: async (row) => rows.some(({ atMicros }) => atMicros === row.atMicros),
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-seen-"));
  file = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/ada/.demo" });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("SeenSessions", () => {
  it("gives back what was saved", async () => {
    const seen = await SeenSessions.load(file, storing(10));
    seen.set("a", { fingerprint: "1.2.3" });
    seen.set("b", whole);
    await seen.save(storing(10));

    const loaded = await SeenSessions.load(file, storing(10));

    expect([loaded.get("a"), loaded.get("b"), loaded.get("c")]).toEqual([
      { fingerprint: "1.2.3" },
      whole,
      undefined,
    ]);
    expect(readdirSync(join(folder, "state"))).toHaveLength(1);
  });

  it("writes nothing when nothing changed", async () => {
    const seen = await SeenSessions.load(file, storing(10));
    await seen.save(storing(10));

    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["is empty", () => ""],
    ["was cut", (text: string) => text.slice(0, text.length / 2)],
    ["is no JSON", () => "\0\0\0\0"],
    ["is of another version", (text: string) => text.replace('"version":1', '"version":2')],
    ["holds no sessions", () => '{"version":1,"storedMessages":0}'],
    ["names no row", (text: string) => text.replace('"sessions"', '"lastAdded":[],"sessions"')],
    ["holds other things", () => '{"version":1,"storedMessages":0,"sessions":[["a"],7]}'],
  ])("starts afresh when the file %s", async (_, damage) => {
    const seen = await SeenSessions.load(file, storing(10));
    seen.set("a", { fingerprint: "1" });
    await seen.save(storing(10));
    writeFileSync(file, damage(readFileSync(file, "utf8")));

    const loaded = await SeenSessions.load(file, storing(10));

    expect(loaded.get("a")).toBeUndefined();
  });

  it("says nothing of a store that was set back to fewer messages", async () => {
    const seen = await SeenSessions.load(file, storing(0));
    seen.set("a", { fingerprint: "1" });
    await seen.save(storing(10));

    expect((await SeenSessions.load(file, storing(9))).get("a")).toBeUndefined();
    expect((await SeenSessions.load(file, storing(10))).get("a")).toEqual({ fingerprint: "1" });
  });

  it("says nothing of a store that lacks the last row that was added", async () => {
    const [first, last] = [1, 2].map((atMicros) => ({ sessionId: "a", atMicros }));
    const whole = storing(10, ...[first, last].flatMap((row) => row ?? []));
    const seen = await SeenSessions.load(file, storing(0));
    seen.set("a", { fingerprint: "1" }, first);
    seen.set("b", { fingerprint: "2" }, last);
    seen.set("c", { fingerprint: "3" });
    await seen.save(whole);

    expect((await SeenSessions.load(file, storing(20))).get("a")).toBeUndefined();
    expect((await SeenSessions.load(file, whole)).get("a")).toEqual({ fingerprint: "1" });
  });

  it("goes by what was added before where another process was faster", async () => {
    const [own, others] = [1, 2].map((atMicros) => ({ sessionId: "a", atMicros }));
    const held = storing(10, ...(own ? [own] : []));
    const seen = await SeenSessions.load(file, storing(0));
    seen.set("a", { fingerprint: "1" }, own);
    await seen.save(held);
    seen.set("a", { fingerprint: "2" }, others);
    await seen.save(held);

    expect((await SeenSessions.load(file, held)).get("a")).toEqual({ fingerprint: "2" });
  });

  it("remembers what is gone, until it is back", async () => {
    const seen = await SeenSessions.load(file, storing(0));
    for (const key of ["a", "b", "c"]) seen.set(key, { fingerprint: key });
    const gone = (): unknown[] => ["a", "b", "c"].map((key) => seen.get(key)?.isGone);
    seen.markGone(new Set(["b", "d"]), true);
    expect(gone()).toEqual([true, undefined, true]);

    seen.markGone(new Set(["a"]), false);

    expect(gone()).toEqual([undefined, undefined, true]);
    expect([seen.get("a"), seen.get("d")]).toEqual([{ fingerprint: "a" }, undefined]);
  });

  it("keeps a file for each place", () => {
    const other = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/eve/.demo" });

    expect(other).not.toBe(file);
  });
});
