import type { SessionStore } from "@pond/sessions";
import { expect, it } from "vitest";
import { loadRoots } from "./roots.ts";
import { loadSessionCache } from "./session-cache.ts";
import { countSubAgents } from "./sub-agents.ts";
import { addChats, storeOf } from "./testing.ts";

const chats = [
  { id: "root", texts: ["one"] },
  { id: "below", parent: "root", texts: ["two"] },
  { id: "deep", parent: "below", texts: ["three"] },
  { id: "other", texts: ["four"], project: "/else", agent: "pi" },
];

it("reads all sessions at first only if they are few, and more when asked again", async () => {
  const { sessions, remove } = await storeOf(chats);
  const limits = { first: 3, again: 4 };

  const first = await loadSessionCache(sessions, limits);
  expect(first).toMatchObject({ isComplete: false, rows: 4 });
  expect(first.labels.size).toBe(0);
  const again = await loadSessionCache(sessions, limits);
  expect(again).toMatchObject({
    isComplete: true,
    rows: 4,
    descendantCounts: new Map([["root", 2]]),
  });
  expect(again.labels.get("other")).toMatchObject({ sourceAgent: "pi", project: "/else" });
  expect(await loadSessionCache(sessions, limits)).toBe(again);

  await addChats(sessions, [{ id: "deeper", parent: "deep", texts: ["five"] }]);
  const grown = await loadSessionCache(sessions, limits);
  expect(grown).toMatchObject({ isComplete: false, rows: 5, descendantCounts: new Map() });
  expect(grown.labels).toBe(again.labels);
  expect(await loadSessionCache(sessions, limits)).toBe(grown);
  remove();
});

it("adds new sessions to the known ones, and reads all again if that misses any", async () => {
  const { sessions, remove } = await storeOf(chats);
  const before = await loadSessionCache(sessions);

  await addChats(sessions, [
    { id: "above", texts: ["zero"] },
    { id: "last", parent: "above", texts: ["five"] },
  ]);
  const grown = await loadSessionCache(sessions);
  expect(grown).toMatchObject({
    isComplete: true,
    rows: 6,
    descendantCounts: new Map([
      ["root", 2],
      ["above", 1],
    ]),
  });
  expect(grown.labels).toBe(before.labels);

  // As a copy from a store of long ago.
  const [row] = await sessions.store.table("sessions").rows({
    columns: Object.keys(sessions.store.table("sessions").declaration.columns),
    limit: 1,
  });
  await sessions.store
    .table("sessions")
    .insert(
      Object.fromEntries(
        Object.entries({ ...row, id: "copied", ingested_at: 1n }).map(([name, cell]) => [
          name,
          [cell],
        ]),
      ),
    );
  const read = await loadSessionCache(sessions);
  expect(read).toMatchObject({ isComplete: true, rows: 7 });
  expect(read.labels.has("copied")).toBe(true);
  remove();
});

it("reads once for concurrent searches, and again after a failed read", async () => {
  const { sessions, remove } = await storeOf(chats);
  const failing = failingOnce(sessions);

  await expect(loadSessionCache(failing)).rejects.toThrow("no disk");
  const all = await Promise.all(Array.from({ length: 8 }, () => loadSessionCache(failing)));

  expect(new Set(all).size).toBe(1);
  expect(all[0]).toMatchObject({ isComplete: true, rows: 4 });
  remove();
});

/** The store, whose first count fails. */
function failingOnce({ store, close }: SessionStore): SessionStore {
  let isFirst = true;
  const sessions = store.table("sessions");
  const counted = {
    scan: sessions.scan.bind(sessions),
    count: async () => {
      if (!isFirst) return sessions.count();
      isFirst = false;
      throw new Error("no disk");
    },
  };
  const table = (name: string) => (name === "sessions" ? counted : store.table(name));
  return { store: { table } as unknown as SessionStore["store"], close };
}

it.each([
  ["read all at once", 100],
  ["looked up as needed", 0],
])("notices a parent that a known session gets later, with sessions %s", async (_, first) => {
  const { sessions, remove } = await storeOf(chats);
  const limits = { first, again: first };
  await loadRoots(sessions, await loadSessionCache(sessions, limits), ["deep", "other"]);

  await addChats(sessions, [
    { id: "other", parent: "deep", texts: ["four"], project: "/else", agent: "pi" },
  ]);

  const known = await loadSessionCache(sessions, limits);
  const roots = await loadRoots(sessions, known, ["other"]);
  expect(roots.rootOf("other")).toBe("root");
  expect(roots.labels("other")).toMatchObject({ parentId: "deep", project: "/else" });
  expect(await countSubAgents(sessions, known, ["root"])).toEqual(new Map([["root", 3]]));
  expect(await loadSessionCache(sessions, limits)).toBe(known);
  remove();
});

it.each([
  ["read all at once", 100],
  ["looked up as needed", 0],
])("gives the same roots, labels and counts with sessions %s", async (_, first) => {
  const { sessions, remove } = await storeOf(chats);
  const known = await loadSessionCache(sessions, { first, again: first });

  const roots = await loadRoots(sessions, known, ["deep", "other", "nowhere"]);
  expect(["deep", "other", "nowhere"].map((id) => roots.rootOf(id))).toEqual([
    "root",
    "other",
    undefined,
  ]);
  expect(roots.labels("deep")).toMatchObject({ parentId: "below" });
  expect(await countSubAgents(sessions, known, ["root", "other"])).toEqual(
    new Map([
      ["root", 2],
      ["other", 0],
    ]),
  );
  remove();
});
