import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openStore } from "../store.ts";
import { nudgeThreads } from "./nudge-threads.ts";

/** Jobs that lie beside idle threads, and how many came after. */
const threads = vi.hoisted(() => ({ areAsleep: false, lying: [] as (() => void)[], nudges: 0 }));

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const stat = (path: string, done: () => void): void => {
    threads.nudges += 1;
    for (const wake of threads.lying.splice(0)) wake();
    real.stat(path, done);
  };
  const fsync = (file: number, done: (error: Error | null) => void): void => {
    const flush = (): void => real.fsync(file, done);
    if (threads.areAsleep) threads.lying.push(flush);
    else flush();
  };
  return { ...real, stat, fsync };
});

let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  folder = mkdtempSync(join(tmpdir(), "substrate-threads-"));
  threads.nudges = 0;
});
afterEach(() => {
  threads.areAsleep = false;
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const tables = [
  {
    name: "rows",
    schemaVersion: 1,
    primaryKey: ["id"],
    columns: { id: { type: "text" } },
    indexes: [],
  },
] as const;

it("a flush ends although nothing woke a thread for its job", async () => {
  const store = await openStore(join(folder, "store"), { tables, mode: "write" });
  await store.table("rows").insert({ id: ["a"] });
  threads.areAsleep = true;
  const flushed = store.flush();
  await vi.waitUntil(() => threads.lying.length > 0);
  threads.areAsleep = false;

  vi.advanceTimersByTime(1_000);
  await flushed;

  store.close();
  const { nudges } = threads;
  expect(nudges).toBeGreaterThan(0);
  vi.advanceTimersByTime(10_000);
  expect(threads.nudges).toBe(nudges);
}, 30_000);

it("threads are nudged once a second while stores are open, and never while none is", async () => {
  await expect(openStore(join(folder, "none"), { tables })).rejects.toThrow();
  const [first, second] = [nudgeThreads(), nudgeThreads()];
  vi.advanceTimersByTime(3_000);
  expect(threads.nudges).toBe(3);

  first();
  first();
  vi.advanceTimersByTime(1_000);
  expect(threads.nudges).toBe(4);
  second();
  vi.advanceTimersByTime(5_000);
  expect(threads.nudges).toBe(4);
});
