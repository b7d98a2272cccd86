import { expect, it } from "vitest";
import { knownSessions } from "./known-sessions.ts";
import { loadRoots } from "./roots.ts";
import { countSubAgents } from "./sub-agents.ts";
import { addChats, storeOf } from "./testing.ts";

const chats = [
  { id: "root", texts: ["one"] },
  { id: "below", parent: "root", texts: ["two"] },
  { id: "deep", parent: "below", texts: ["three"] },
  { id: "other", texts: ["four"], project: "/else", agent: "pi" },
];

it("reads few sessions at once, and more of them where it is asked again", async () => {
  const { sessions, remove } = await storeOf(chats);
  const limits = { first: 3, again: 4 };

  const first = await knownSessions(sessions, limits);
  expect(first).toMatchObject({ isWhole: false, rows: 4 });
  expect(first.labels.size).toBe(0);
  const again = await knownSessions(sessions, limits);
  expect(again).toMatchObject({ isWhole: true, rows: 4, below: new Map([["root", 2]]) });
  expect(again.labels.get("other")).toMatchObject({ sourceAgent: "pi", project: "/else" });
  expect(await knownSessions(sessions, limits)).toBe(again);

  await addChats(sessions, [{ id: "deeper", parent: "deep", texts: ["five"] }]);
  const grown = await knownSessions(sessions, limits);
  expect(grown).toMatchObject({ isWhole: false, rows: 5, below: new Map() });
  expect(grown.labels).toBe(again.labels);
  expect(await knownSessions(sessions, limits)).toBe(grown);
  remove();
});

it.each([
  ["read at once", 100],
  ["asked for", 0],
])("knows the same of sessions, %s", async (_, first) => {
  const { sessions, remove } = await storeOf(chats);
  const known = await knownSessions(sessions, { first, again: first });

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
