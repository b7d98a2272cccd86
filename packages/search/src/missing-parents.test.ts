import { copyUuid } from "@pond/canonical/foreign";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SearchRequest, SearchResponse, SessionMatches } from "./request.ts";
import { loadRoots } from "./roots.ts";
import { search } from "./search.ts";
import { loadSessionCache } from "./session-cache.ts";
import { countSubAgents } from "./sub-agents.ts";
import { addChats, type Chat, storeOf, type TestStore } from "./testing.ts";

/** Sub-agents of one session, each with a text of its own. */
const subAgents = (count: number, parent = "gone"): Chat[] =>
  Array.from({ length: count }, (_, at): Chat => {
    return { id: `${parent}/sub${at}`, parent, texts: [`mango ${"ripe ".repeat(at + 1)}`] };
  });
const other: Chat = { id: "other", texts: ["a mango among many other things in a long list"] };

async function storeFor(chats: readonly Chat[]): Promise<TestStore["sessions"]> {
  const { sessions, remove } = await storeOf(chats);
  onTestFinished(remove);
  return sessions;
}

const rootsOf = ({ sessions }: SearchResponse): string[] =>
  sessions.map(({ root_session_id }) => root_session_id);

/** Every page behind the first, or from the first on. */
async function restOf(
  sessions: TestStore["sessions"],
  request: SearchRequest,
): Promise<SessionMatches[]> {
  const rest: SessionMatches[] = [];
  for (let { after } = request; ; ) {
    const answer = await search(sessions, { ...request, after });
    rest.push(...answer.sessions);
    after = answer.next;
    if (after === undefined) return rest;
  }
}

describe("sub-agents of a session that is not stored", () => {
  it("form one entry, which names only stored sessions", async () => {
    const sessions = await storeFor([...subAgents(12), other]);

    const answer = await search(sessions, { query: "mango" });

    expect(answer.sessions).toHaveLength(2);
    const [first, second] = answer.sessions;
    expect(first?.root_session_id).toBe(first?.session_id);
    expect(first?.session_id).toBe(first?.matches[0]?.session_id);
    expect(first?.matches).toHaveLength(3);
    expect(first?.sub_agents).toEqual({ sessions: 11, found_in: 11 });
    expect(second).toMatchObject({ session_id: "other", root_session_id: "other" });
    expect(JSON.stringify(answer)).not.toContain('"gone"');
    expect(answer).not.toHaveProperty("next");
  });

  it("form one entry at any depth, shown with the topmost stored session above the match", async () => {
    const sessions = await storeFor([
      { id: "top", parent: "gone", texts: ["begin"] },
      { id: "below", parent: "top", texts: ["go on"] },
      { id: "deep", parent: "below", texts: ["mango mango"] },
      { id: "beside", parent: "gone", texts: ["a mango and an apple"] },
      { id: "apart", parent: "gone too", texts: ["mango, papaya and many more of them"] },
    ]);

    const { sessions: found } = await search(sessions, { query: "mango" });

    expect(found).toMatchObject([
      {
        ...{ session_id: "deep", root_session_id: "top" },
        sub_agents: { sessions: 3, found_in: 2 },
        matches: [{ session_id: "deep", parent_session_id: "below" }, { session_id: "beside" }],
      },
      { session_id: "apart", root_session_id: "apart" },
    ]);
    expect(found[0]?.matches[1]).not.toHaveProperty("parent_session_id");
    expect(found[1]).not.toHaveProperty("sub_agents");
  });

  it("are shown as the one that a filter names, with the others counted", async () => {
    const sessions = await storeFor(subAgents(4));

    const answer = await search(sessions, { query: "mango", session: "gone/sub2" });

    expect(answer.sessions).toMatchObject([
      { root_session_id: "gone/sub2", sub_agents: { sessions: 3, found_in: 0 } },
    ]);
  });

  it("are sorted by time among equal sessions", async () => {
    const texts = ["the very same mango"];
    const sessions = await storeFor([
      { id: "old", day: "2026-01-01", texts },
      { id: "late", parent: "gone", day: "2026-03-02", texts },
      { id: "early", parent: "gone", day: "2026-02-01", texts },
      { id: "new", day: "2026-03-01", texts },
    ]);

    const [first, second, third] = rootsOf(await search(sessions, { query: "mango" }));

    expect([first, third]).toEqual(["new", "old"]);
    expect(["late", "early"]).toContain(second);
  });

  it("have the title of what is stored above what was found", async () => {
    const sessions = await storeFor([
      { id: "below", parent: "gone", texts: ["Look after it."] },
      { id: "deep", parent: "below", texts: ["a ripe mango"] },
    ]);

    const answer = await search(sessions, { query: "mango" }, { withTitles: true });

    const found = { session_id: "deep", root_session_id: "below", title: "Look after it." };
    expect(answer.sessions).toMatchObject([found]);
  });

  it("have a score that is the sum of what each arm contributed", async () => {
    const sessions = await storeFor([...subAgents(12), other]);

    const answer = await search(sessions, { query: "mango ripe", explain: true });

    for (const { root_session_id, score } of answer.sessions) {
      const arms = answer.explanation?.arms ?? [];
      const parts = arms.map(({ contributions }) => contributions[root_session_id] ?? 0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 3);
    }
    expect(answer.sessions[0]?.score).toBeGreaterThan(0);
  });

  it.each([
    ["read all at once", 100],
    ["looked up as needed", 0],
  ])("are counted below that session when sessions are %s", async (_, first) => {
    const sessions = await storeFor([
      ...subAgents(3),
      { id: "deep", parent: "gone/sub0", texts: ["more"] },
      other,
    ]);
    const known = await loadSessionCache(sessions, { first, again: first });

    const roots = await loadRoots(sessions, known, ["deep", "gone/sub1", "other", "gone"]);

    expect(["deep", "gone/sub1", "other", "gone"].map((id) => roots.rootOf(id))).toEqual([
      ...["gone", "gone", "other", undefined],
    ]);
    expect(["deep", "gone/sub1"].map((id) => roots.topmostStored(id))).toEqual([
      ...["gone/sub0", "gone/sub1"],
    ]);
    expect(await countSubAgents(sessions, known, ["gone", "other"])).toEqual(
      new Map([
        ["gone", 4],
        ["other", 0],
      ]),
    );
  });
});

describe("copies of sub-agents of a session that is not stored", () => {
  const originals = subAgents(3, "kept");
  const copies = originals.map((chat): Chat => {
    return { ...chat, id: copyUuid("codex", chat.id), parent: "gone", agent: "codex" };
  });
  const kept: Chat = { id: "kept", texts: ["begin"] };

  it("are left out if their originals are found", async () => {
    const sessions = await storeFor([kept, ...originals, ...copies]);

    expect(rootsOf(await search(sessions, { query: "mango" }))).toEqual(["kept"]);
  });

  it("form one entry if their originals are out of scope or one of them was continued", async () => {
    const [first, ...rest] = copies;
    if (first === undefined) throw new Error("no copy");
    const goneOn = { ...first, texts: [...first.texts, "another mango"] };
    const sessions = await storeFor([kept, ...originals, goneOn, ...rest]);

    expect(rootsOf(await search(sessions, { query: "mango", agent: "codex" }))).toHaveLength(1);
    expect(rootsOf(await search(sessions, { query: "mango" }))).toHaveLength(2);
  });
});

describe("paging over sub-agents of a session that is not stored", () => {
  it.each([1, 10])(
    "shows each parent's sub-agents as one entry, at %i entries a page",
    async (limit) => {
      // More than any arm reads at once: what is below one is asked for no second time.
      const chats = [...subAgents(200), ...subAgents(90, "lost"), ...subAgents(2, "stored"), other];
      const sessions = await storeFor([...chats, { id: "stored", texts: ["begin"] }]);

      const found = await restOf(sessions, { query: "mango", limit });

      const parents = found.map(({ root_session_id: root }) => root.split("/")[0]);
      expect(parents.toSorted()).toEqual(["gone", "lost", "other", "stored"]);
    },
  );

  it("neither repeats nor misses an entry if the parent is stored between pages", async () => {
    const sessions = await storeFor([...subAgents(12), ...subAgents(12, "lost"), other]);
    const first = await search(sessions, { query: "mango ripe", limit: 1 });
    const [shown = ""] = rootsOf(first).map((root) => root.split("/")[0]);
    const left = shown === "gone" ? "lost" : "gone";

    await addChats(sessions, [
      { id: "gone", texts: ["the mango of the first"] },
      { id: "lost", texts: ["the mango of the second"] },
    ]);
    const rest = await restOf(sessions, { query: "mango ripe", limit: 1, after: first.next });

    const roots = rest.map(({ root_session_id: root }) => root);
    expect(roots.toSorted()).toEqual([left, "other"].toSorted());
    expect(rest[0]?.sub_agents).toEqual({ sessions: 12, found_in: 12 });
  });

  it("shows no entry again if the parent is stored below another session between pages", async () => {
    const sessions = await storeFor([...subAgents(12), other]);
    const first = await search(sessions, { query: "mango ripe", limit: 1 });

    await addChats(sessions, [{ id: "gone", parent: "other", texts: ["the mango of it"] }]);
    const rest = await restOf(sessions, { query: "mango ripe", limit: 1, after: first.next });

    expect(rest).toHaveLength(1);
    expect(rest[0]).toMatchObject({ session_id: "other", root_session_id: "other" });
    expect(rest[0]?.matches).toHaveLength(1);
  });
});
