import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SeenSessions, seenFile } from "./seen-sessions.ts";

const fault = { adapter: "demo", location: "a.jsonl:3", code: "source_fault", message: "no JSON" };
const whole = { fingerprint: "9.1", hasFailed: true, pendingSinceMs: 7, faults: [fault] };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-seen-"));
  file = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/ada/.demo" });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("SeenSessions", () => {
  it("gives back what was saved", async () => {
    const seen = await SeenSessions.load(file, 10);
    seen.set("a", { fingerprint: "1.2.3" });
    seen.set("b", whole);
    await seen.save(10);

    const loaded = await SeenSessions.load(file, 10);

    expect([loaded.get("a"), loaded.get("b"), loaded.get("c")]).toEqual([
      { fingerprint: "1.2.3" },
      whole,
      undefined,
    ]);
    expect(readdirSync(join(folder, "state"))).toHaveLength(1);
  });

  it("writes nothing when nothing changed", async () => {
    const seen = await SeenSessions.load(file, 10);
    await seen.save(10);

    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["is empty", () => ""],
    ["was cut", (text: string) => text.slice(0, text.length / 2)],
    ["is no JSON", () => "\0\0\0\0"],
    ["is of another version", (text: string) => text.replace('"version":1', '"version":2')],
    ["holds no sessions", () => '{"version":1,"storedMessages":0}'],
    ["holds other things", () => '{"version":1,"storedMessages":0,"sessions":[["a"],7]}'],
  ])("starts afresh when the file %s", async (_, damage) => {
    const seen = await SeenSessions.load(file, 10);
    seen.set("a", { fingerprint: "1" });
    await seen.save(10);
    writeFileSync(file, damage(readFileSync(file, "utf8")));

    const loaded = await SeenSessions.load(file, 10);

    expect(loaded.get("a")).toBeUndefined();
  });

  it("says nothing of a store that was set back to fewer messages", async () => {
    const seen = await SeenSessions.load(file, 0);
    seen.set("a", { fingerprint: "1" });
    await seen.save(10);

    expect((await SeenSessions.load(file, 9)).get("a")).toBeUndefined();
    expect((await SeenSessions.load(file, 10)).get("a")).toEqual({ fingerprint: "1" });
  });

  it("keeps only what it is told to keep", async () => {
    const seen = await SeenSessions.load(file, 0);
    for (const key of ["a", "b", "c"]) seen.set(key, { fingerprint: key });
    seen.keepOnly(new Set(["b", "d"]));

    expect(["a", "b", "c", "d"].map((key) => seen.get(key)?.fingerprint)).toEqual([
      undefined,
      "b",
      undefined,
      undefined,
    ]);
  });

  it("keeps a file for each place", () => {
    const other = seenFile(join(folder, "state"), { adapter: "demo", path: "/home/eve/.demo" });

    expect(other).not.toBe(file);
  });
});
