// Alone: measures memory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryUsed } from "../../../checks/memory-used.ts";
import { fromCodex } from "./from-codex.ts";
import { fileName } from "./layout.ts";
import { ThreadNames } from "./thread-names.ts";
import { Threads } from "./threads.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-threads-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const idOf = (at: number): string => `019e0000-0000-7000-8000-${`${at}`.padStart(12, "0")}`;

it("finds a thread by its key, whatever its file name", () => {
  const threads = new Threads();
  const named = `rollout-2026-05-06T09-00-00-${idOf(1)}.jsonl`;
  for (const name of [named, "notes.jsonl", "odd"]) add(threads, "sessions", name);

  const all = [...threads];
  expect(all.map(({ key }) => key)).toEqual([
    `sessions/${named}`,
    "sessions/notes.jsonl",
    "sessions/odd.jsonl",
  ]);
  expect(all.map(({ key }) => threads.get(key))).toEqual(all);
  expect(threads.get("sessions/odd")).toBeUndefined();
  expect(threads.get(`archived_sessions/${named}`)).toBeUndefined();
});

it("keeps to the copy that was longer when it was listed, even if the other one has grown", () => {
  const threads = new Threads();
  const name = `rollout-2026-05-06T09-00-00-${idOf(1)}.jsonl`;
  const [shorter, longer] = [add(threads, "sessions", name), add(threads, "archived", name)];
  writeFileSync(shorter, "one");
  writeFileSync(longer, "longer");
  const [before] = [...threads];
  writeFileSync(shorter, "by far the longest");

  expect(before?.files.map(({ file }) => file)).toEqual([longer]);
  expect(threads.get(before?.key ?? "")).toEqual(before);
  expect([...threads]).toEqual([before]);
});

it("takes less than 300 bytes of memory for each of many threads", async () => {
  const count = 60_000;
  const day = join(folder, "sessions/2026/05/06");
  mkdirSync(day, { recursive: true });
  for (let at = 0; at < count; at++) {
    writeFileSync(join(day, `rollout-2026-05-06T09-00-00-${idOf(at)}.jsonl`), "");
  }
  const reader = fromCodex(folder);
  const before = await memoryUsed();
  let listed = 0;
  for await (const _ of reader.sessions()) listed += 1;
  const bytes = (await memoryUsed()) - before;

  expect(listed).toBe(count);
  expect(bytes / count).toBeLessThan(300);
  const key = `sessions/2026/05/06/rollout-2026-05-06T09-00-00-${idOf(7)}.jsonl`;
  expect(await reader.fingerprint(key)).toBeDefined();
});

it("takes less than 200 bytes of memory for the name of each of many threads", async () => {
  const count = 60_000;
  const file = join(folder, "session_index.jsonl");
  const line = (at: number): string =>
    `{"id":"${idOf(at)}","thread_name":"Loom ${at}","updated_at":"2026-05-06T09:00:00Z"}\n`;
  writeFileSync(file, line(0));
  const names = new ThreadNames(file);
  await names.refresh();
  writeFileSync(file, Array.from({ length: count }, (_, at) => line(at)).join(""));
  const before = await memoryUsed();
  await names.refresh();
  const bytes = (await memoryUsed()) - before;

  expect(names.of(idOf(7)).map((line) => line.peek("thread_name"))).toEqual(["Loom 7"]);
  expect(bytes / count).toBeLessThan(200);
});

it("takes less than 1000 bytes of memory for each of many files of one thread", async () => {
  const threads = new Threads();
  const name = fileName(`rollout-2026-05-06T09-00-00-${idOf(1)}.jsonl`);
  const before = await memoryUsed();
  for (let at = 0; name && at < 2_000; at++) {
    const path = `sessions/${at}/${name.plain}`;
    threads.add({ file: `/home/ada/.codex/${path}`, path, name });
  }

  expect(((await memoryUsed()) - before) / 2_000).toBeLessThan(1_000);
  expect([...threads].map(({ files }) => files.length)).toEqual([1]);
});

function add(threads: Threads, path: string, entry: string): string {
  mkdirSync(join(folder, path), { recursive: true });
  const file = join(folder, path, entry);
  const name = fileName(entry) ?? fileName(`${entry}.jsonl`);
  if (name) threads.add({ file, path: `${path}/${name.plain}`, name });
  return file;
}
