import type { IngestEvent, ListResponse } from "@pond/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chat, header, sessionOf, testPond, textPart } from "../testing.ts";

const pond = testPond();
beforeAll(async () => {
  await pond.ask("ingest", {
    events: [
      // Last active at the same moment.
      ...["b", "a/b", "c"].flatMap((id) => chat(id, ["Hello.", `I am ${id}.`])),
      ...chat("late", ["Begin.", "Go on.", "Still there?", "Yes."], { project: "/work/late" }),
      ...chat("agent", ["1", "2", "3", "4", "5", "6"], { parent: "b" }),
      ...silent("silent"),
    ],
  });
});
afterAll(() => pond.remove());

function silent(id: string): IngestEvent[] {
  return [sessionOf(id, { agent: "codex", project: "/home/ada" })];
}

const list = (request: object = {}) => pond.ask("list", request);
const idsOf = ({ sessions }: ListResponse) => sessions.map(({ session_id }) => session_id);

test("lists sessions, the last active first, with what they hold", async () => {
  const { sessions, ...others } = await list();

  expect(others).toEqual({});
  expect(sessions.map(({ session_id }) => session_id)).toEqual(["b", "late", "a/b", "c", "silent"]);
  expect(sessions[0]).toEqual({
    session_id: "b",
    source_agent: "claude-code",
    project: "/work/pond",
    created_at: "2026-01-01T00:00:00.000Z",
    last_activity: "2026-01-01T00:05:00.000Z",
    title: "Hello.",
    messages: 2,
    descendants: 1,
  });
  expect(sessions[4]).not.toHaveProperty("title");
});

test.each([1, 2, 3, 4])(
  "leads from page to page, %i at a time, without gap or repetition",
  async (limit) => {
    const seen: string[] = [];
    let pages = 0;
    for (let after: string | undefined; ; pages += 1) {
      const page: ListResponse = await list({ limit, after });
      expect(page.sessions.length).toBeLessThanOrEqual(limit);
      seen.push(...idsOf(page));
      after = page.next;
      if (after === undefined) break;
    }

    expect(seen).toEqual(idsOf(await list()));
    expect(pages).toBe(Math.ceil(5 / limit) - 1);
  },
);

test("goes on where it was, although a session was stored meanwhile", async () => {
  const other = testPond();
  await other.ask("ingest", { events: ["a", "b", "c"].flatMap((id) => chat(id, ["Hello."])) });
  const first = await other.ask("list", { limit: 2 });
  await other.ask("ingest", { events: chat("new", ["Hello.", "There."]) });

  const second = await other.ask("list", { limit: 2, ...(first.next && { after: first.next }) });

  expect([idsOf(first), idsOf(second), second.next]).toEqual([["a", "b"], ["c"], undefined]);
  await other.remove();
});

test.each<[object, readonly string[]]>([
  [{ project: "/work" }, ["b", "late", "a/b", "c"]],
  [{ project: "/work/late" }, ["late"]],
  [{ agent: "codex" }, ["silent"]],
  [{ parent: "b" }, ["agent"]],
  [{ parent: "agent" }, []],
  [{ parent: "b", agent: "codex" }, []],
  [{ since: "2026-01-01T00:03:00Z" }, ["b", "late"]],
  [{ until: "2026-01-01T00:03:00Z" }, ["b", "late", "a/b", "c", "silent"]],
  [{ since: "2026-01-01T00:01:00Z", until: "2026-01-01T00:02:00Z" }, ["b", "late", "a/b", "c"]],
  [{ since: "2026-01-01T00:03:00Z", until: "2026-01-01T00:04:00Z" }, ["b", "late"]],
  [{ since: "2026-01-01T00:04:00Z", until: "2026-01-01T00:05:00Z" }, ["b"]],
  [{ since: "2026-01-01", until: "2026-01-02", limit: 1 }, ["b"]],
  [{ since: "2026-01-02" }, []],
  // It is 20 November.
  [{ since: "323d", limit: 1 }, ["b"]],
  [{ since: "322d" }, []],
  [{ until: "7752h" }, []],
  [{ since: "99999w", until: "46w", limit: 1 }, ["b"]],
])("lists what %j asks for", async (request, expected) => {
  expect(idsOf(await list(request))).toEqual(expected);
});

test("names the stored folders of the same name if nothing of the project is stored", async () => {
  expect(await list({ project: "/elsewhere/late" })).toEqual({
    sessions: [],
    similar_projects: ["/work/late"],
  });
  expect(await list({ project: "/work/late", since: "2027-01-01" })).toEqual({ sessions: [] });
});

describe("refuses", () => {
  test.each<[string, object, string]>([
    [
      "an unknown client",
      { agent: "clade" },
      'agent: no session of "clade" is stored; there are: claude-code, codex',
    ],
    ["an empty project", { project: "" }, "project: "],
    [
      "a time that is none",
      { since: "yesterday" },
      'since: "yesterday" is not a time; write 2026-11-20, 2026-11-20T08:00:00Z, or an age: ',
    ],
    ["a day that is none", { until: "2026-02-30" }, 'until: "2026-02-30" is not a time'],
    [
      "times in the wrong order",
      { since: "2026-02-01", until: "2026-02-01" },
      "until: 2026-02-01 is not after since, 2026-02-01",
    ],
    ["ages in the wrong order", { since: "7d", until: "2w" }, "until: 2026-11-06T00:00:00.000Z is"],
    ["an age of another unit", { since: "2y" }, 'since: "2y" is not a time'],
    ["no sessions at all", { limit: 0 }, "limit: "],
    ["a page that is none", { after: "x" }, "after: it is not the `next` of an answer"],
    ["a page after a date", { after: "2026-01-01/x" }, "after: it is not the `next` of an answer"],
    ["a page after nothing", { after: "2026-01-01T00:00:00.000Z/" }, "after: it is not the `next`"],
  ])("%s", async (_, request, message) => {
    await expect(list(request)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining(message),
    });
  });
});

test.each([
  ["none", "no session none is stored"],
  ["sile", "no session sile is stored; ids are given whole: silent"],
])("does not know a session %s to list what is below it", async (parent, message) => {
  await expect(list({ parent })).rejects.toMatchObject({ code: "not_found", message });
});

test("answers for an empty store that nothing is stored yet", async () => {
  const empty = testPond();
  await expect(empty.ask("list", {})).rejects.toMatchObject({ code: "not_found" });
  await empty.ask("ingest", { events: [] });
  await empty.remove();
});

test("pages by a session id of any characters", async () => {
  const other = testPond();
  const ids = ["a\n/2026", "b\u0000", "c 🧵"];
  const events = ids.flatMap((id) => [sessionOf(id), header(id, 0), textPart(id, 0, "Hello.")]);
  await other.ask("ingest", { events });
  const first = await other.ask("list", { limit: 1 });
  const second = await other.ask("list", { limit: 1, after: first.next });
  const third = await other.ask("list", { limit: 1, after: second.next });

  expect([first, second, third].flatMap(idsOf)).toEqual(ids);
  expect(third.next).toBeUndefined();
  await other.remove();
});
