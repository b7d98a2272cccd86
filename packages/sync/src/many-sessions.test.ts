// Alone: measures memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryUsed } from "../../../checks/memory-used.ts";
import { ListedSessions } from "./listed-sessions.ts";
import { type SeenSession, type StoredRows, watchedTables } from "./seen-file.ts";
import { SeenSessions } from "./seen-sessions.ts";
import { SessionPlaces } from "./session-places.ts";

const stored: StoredRows = {
  rows: Object.fromEntries(watchedTables.map((table) => [table, 0])) as StoredRows["rows"],
  holds: async () => true,
};
const source = { adapter: "demo", path: "/home/ada/.demo" };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-many-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const load = (): Promise<SeenSessions> => SeenSessions.load(folder, source, { stored });

it("seen sessions take less than 400 bytes of memory each when loaded", async () => {
  const count = 60_000;
  const seen = await load();
  for (let at = 0; at < count; at++) seen.set(keyOf(at), sessionOf(at));
  await seen.save(stored);
  const before = await memoryUsed();

  const loaded = await load();
  const bytes = (await memoryUsed()) - before;

  expect(loaded.get(keyOf(count - 1))).toEqual(sessionOf(count - 1));
  expect(bytes / count).toBeLessThan(400);
});

it("listed sessions free the memory of their keys as they are taken", async () => {
  const count = 60_000;
  const listed = new ListedSessions(await load());
  const session = { number: undefined, bytes: 1, isDue: true, isQuiet: false };
  for (let at = 0; at < count; at++) listed.add(keyOf(at), session);

  const used: number[] = [];
  let taken = 0;
  for (const { key } of listed.taken()) {
    expect(key).toBe(keyOf(taken));
    if (taken % (count - 1) === 0) used.push(await memoryUsed());
    taken += 1;
  }

  const [first = 0, last = 0] = used;
  expect(taken).toBe(count);
  expect((first - last) / count).toBeGreaterThan(30);
});

it("the places of all sessions take less than 40 bytes more each", async () => {
  const count = 60_000;
  const seen = await load();
  for (let at = 0; at < count; at++) seen.set(keyOf(at), sessionOf(at));
  const before = await memoryUsed();

  const work = { seen };
  const places = new SessionPlaces([work], [], false);
  for (let at = 0; at < count; at++) {
    const { sessionId = "", extent: [newestMs, messages, size] = [0, 0] } = sessionOf(count + at);
    const notes = { sessionId, newestMs, messages, size };
    const reading = { key: keyOf(count + at), before: undefined, notes };
    places.read(work, reading as never, sessionId);
    seen.set(reading.key, sessionOf(count + at));
    places.markSeen(sessionId);
  }
  const bytes = (await memoryUsed()) - before;

  expect(bytes / count).toBeLessThan(400 + 40);
  const copied = { key: "copy.jsonl", before: undefined, notes: { newestMs: 0, messages: 0 } };
  const isNewest = (at: number): boolean =>
    places.placeOf(work, copied as never, idOf(at)).isNewest();
  expect([isNewest(1), isNewest(count + 1), isNewest(2 * count)]).toEqual([false, false, true]);
});

it("thousands of places of one session take less than a kilobyte of memory each", async () => {
  const count = 4_000;
  const seen = await load();
  for (let at = 0; at < count; at++) seen.set(keyOf(at), { ...sessionOf(at), sessionId: idOf(0) });
  const before = await memoryUsed();

  const places = new SessionPlaces([{ seen }], [], false);
  const bytes = (await memoryUsed()) - before;

  expect(bytes / count).toBeLessThan(1_000);
  const reading = {
    ...{ key: keyOf(1), before: seen.get(keyOf(1)) },
    notes: { sessionId: idOf(0), newestMs: 0, messages: 0 },
  };
  expect(places.placeOf({ seen }, reading as never, idOf(0)).isNewest()).toBe(false);
});

function idOf(at: number): string {
  return `00000000-0000-4000-8000-${`${at}`.padStart(12, "0")}`;
}

function keyOf(at: number): string {
  return `-work/${idOf(at)}.jsonl`;
}

function sessionOf(at: number): SeenSession {
  const atMicros = 1_795_974_995_884_980 + at;
  const digest = `${at}`.padStart(32, "f");
  return {
    fingerprint: `936.179595362943${at}.${at}`,
    sessionId: idOf(at),
    extent: [1_767_225_600_002 + at, 3, 46],
    held: { digest, addedAt: atMicros },
    agreedAt: atMicros,
  };
}
