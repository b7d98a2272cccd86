import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@pond/canonical";
import { openSessions } from "@pond/sessions";
import { afterAll, describe, expect, it } from "vitest";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { addChats, type Chat, storeOf } from "./testing.ts";

const custom = (customTitle: string) => ({ type: "custom-title", customTitle });

// Each title has words that no message of its session has.
const titles: readonly [client: string, record: JsonObject, query: string][] = [
  ["chosen in Claude Code", custom("Harvest calendar"), "harvest calendar"],
  ["made up by Claude Code", { type: "ai-title", aiTitle: "Broken sprinkler" }, "sprinkler broken"],
  [
    "of a thread of Codex",
    {
      type: "event_msg",
      payload: { type: "thread_name_updated", thread_name: "Orchard survey of April" },
    },
    "orchard surveys",
  ],
  ["of pi", { type: "session_info", name: "compost-heap-plan" }, "compost-heap-plan"],
  ["of omp", { type: "session", title: "Greenhouse heating", titleSource: "auto" }, "greenhouse"],
  ["of opencode", { id: "ses_1", title: "温室のヒーター" }, "温室のヒーター"],
];
const chats: Chat[] = [
  ...titles.map(([, record], at) => ({
    id: `titled-${at}`,
    records: [record],
    texts: [`Please look at number ${at}.`, "I will."],
  })),
  {
    id: "renamed",
    records: [custom("first draft"), null, custom("final wording"), custom("final wording")],
    texts: ["Say it better.", "Done."],
  },
  { id: "behind", records: [null, null, custom("Quince jelly")], texts: ["Cook it.", "Boiled."] },
  { id: "silent", records: [custom("Nobody spoke yet")], texts: [] },
  { id: "root", texts: ["Send somebody.", "Sent."] },
  {
    ...{ id: "below", parent: "root", records: [custom("Scout of the valley")] },
    texts: ["Go and look.", "Looked."],
  },
  {
    id: "both",
    records: [custom("Lantern repair")],
    texts: ["Good morning.", "Which lantern is it?", "The old one."],
  },
  {
    id: "unnamed",
    records: [{ id: "ses_2", title: "New session - 2026-08-11T16:16:00.424Z" }],
    texts: ["Hello."],
  },
];
const { sessions, remove } = await storeOf(chats);
afterAll(remove);

async function found(request: SearchRequest): Promise<string[]> {
  const answer = await search(sessions, request);
  return answer.sessions.map(
    ({ session_id: id, matches }) => `${id}: ${matches.map((each) => each.message_id).join(" ")}`,
  );
}

describe("a title", () => {
  it.each(titles.map(([client, , query], at) => [client, query, at] as const))(
    "%s finds its session, shown with its first prompt",
    async (_, query, at) => {
      expect((await found({ query }))[0]).toBe(`titled-${at}: titled-${at}-0`);
    },
  );

  it("finds its session by each name the session had, wherever it was given", async () => {
    expect(await found({ query: "draft" })).toEqual(["renamed: renamed-0"]);
    expect(await found({ query: "final wording" })).toEqual(["renamed: renamed-0"]);
    expect(await found({ query: "quince" })).toEqual(["behind: behind-0"]);
    expect(await found({ query: '"quince jelly"' })).toEqual(["behind: behind-0"]);
  });

  it("gives way to a message that holds the words", async () => {
    expect(await found({ query: "lantern" })).toEqual(["both: both-1"]);
  });

  it("of a sub-agent finds the sub-agent below its root session", async () => {
    expect(await found({ query: "scout" })).toEqual(["below: below-0"]);
    const [first] = (await search(sessions, { query: "scout" })).sessions;
    expect(first).toMatchObject({ root_session_id: "root", sub_agents: { found_in: 1 } });
  });

  it("finds nothing if its session has no messages, or if it is a default title", async () => {
    expect(await found({ query: "nobody spoke" })).toEqual([]);
    expect(await found({ query: "2026-08-11T16" })).toEqual([]);
  });

  it.each<[bounds: Partial<SearchRequest>, found: string[]]>([
    [{ agent: "claude-code", project: "/work" }, ["behind: behind-0"]],
    [{ project: "/work/other" }, []],
    [{ since: "2025-01-01" }, ["behind: behind-0"]],
    [{ until: "2025-01-01" }, []],
    [{ role: "user" }, ["behind: behind-0"]],
    [{ role: "assistant" }, ["behind: behind-1"]],
    // No message scores for it, or holds what is required.
    [{ min_score: 0.1 }, []],
    [{ query: "+quince" }, []],
    [{ query: "quince -jam" }, []],
  ])("obeys filters as messages do: %j", async (bounds, expected) => {
    expect(await found({ query: "quince", ...bounds })).toEqual(expected);
  });

  it("is shown with its session, or else what was said first", async () => {
    const titleFor = async (query: string): Promise<unknown> =>
      (await search(sessions, { query }, { withTitles: true })).sessions.map(({ title }) => title);

    expect(await titleFor("draft")).toEqual(["final wording"]);
    expect(await titleFor("old one")).toEqual(["Lantern repair"]);
    expect(await titleFor("hello")).toEqual(["Hello."]);
  });

  it("is that of the root if something was found below it", async () => {
    const answer = await search(sessions, { query: "go and look" }, { withTitles: true });

    expect(answer.sessions[0]).toMatchObject({ session_id: "below", title: "Send somebody." });
  });

  it("is the newest in every search", async () => {
    const named = (title: string): Chat => ({
      ...{ id: "kept", agent: "opencode", records: [{ id: "kept", title }] },
      texts: ["Carve a pumpkin."],
    });
    for (const title of ["Autumn", "Winter"]) {
      await addChats(sessions, [named(title)]);
      const answer = await search(sessions, { query: "pumpkin" }, { withTitles: true });
      expect(answer.sessions[0]?.title).toBe(title);
    }
  });

  it("is left out if the files that hold it are gone", async () => {
    const chat: Chat = { id: "pictured", files: ["hedge.png"], texts: ["Trim the hedge.", "Cut."] };
    const { sessions: written, remove } = await storeOf([chat]);
    const { uri } = written.store.table("parts");
    rmSync(join(uri, "data"), { recursive: true });
    const opened = await openSessions(dirname(uri));

    const answer = await search(opened, { query: "cut" }, { withTitles: true });

    expect(answer.sessions).toMatchObject([{ session_id: "pictured" }]);
    expect(answer.sessions[0]).not.toHaveProperty("title");
    opened.close();
    remove();
  });

  it("still finds its session after another title replaced it", async () => {
    const named = (title: string): Chat => ({
      ...{ id: "row", agent: "opencode", records: [{ id: "row", title }] },
      texts: ["Look at it."],
    });
    await addChats(sessions, [named("Walnut harvester")]);
    await addChats(sessions, [named("Almond harvester")]);

    expect(await found({ query: "walnut" })).toEqual(["row: row-0"]);
    expect(await found({ query: "almond" })).toEqual(["row: row-0"]);
  });
});
