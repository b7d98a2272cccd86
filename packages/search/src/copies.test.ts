import { copyBase62, copyUuid } from "@pond/canonical/foreign";
import { expect, it, onTestFinished } from "vitest";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { type Chat, storeOf } from "./testing.ts";

const original: Chat = { id: "first", texts: ["mango", "ripe"] };
const copy: Chat = { ...original, id: copyUuid("codex", "first"), agent: "codex" };
/** The same in another client's folder, as it is named in the store. */
const put: Chat = { ...original, id: "omp:first", agent: "omp" };
const letters = `ses_000000000fff${copyBase62("opencode", "first")}`;

/** The roots that a search for mango finds, page after page. */
async function rootsFound(
  chats: readonly Chat[],
  request: Partial<SearchRequest> = {},
): Promise<string[]> {
  const { sessions, remove } = await storeOf(chats);
  onTestFinished(remove);
  const roots: string[] = [];
  for (let after: string | undefined; ; ) {
    const answer = await search(sessions, { query: "mango", ...request, after });
    roots.push(...answer.sessions.map(({ root_session_id }) => root_session_id));
    after = answer.next;
    if (after === undefined) return roots;
  }
}

it.each<[string, readonly Chat[], Partial<SearchRequest>, readonly string[]]>([
  ["once", [original, copy], {}, ["first"]],
  [
    "once when ids are not UUIDs",
    [original, { ...copy, id: letters, agent: "opencode" }],
    {},
    ["first"],
  ],
  ["once when its file was put into the other client's folder", [original, put], {}, ["first"]],
  [
    "twice when somebody went on in the file put there",
    [original, { ...put, texts: [...put.texts, "mango"] }],
    {},
    ["first", put.id],
  ],
  [
    "as the file put there when the original is not in scope",
    [original, put],
    { agent: "omp" },
    [put.id],
  ],
  ["once, whatever the size of a page", [original, copy], { limit: 1 }, ["first"]],
  [
    "as the copy when the original is not in scope",
    [original, copy],
    { agent: "codex" },
    [copy.id],
  ],
  ["as the copy when the original is not stored", [copy], {}, [copy.id]],
  [
    "twice when the copy was continued",
    [original, { ...copy, texts: [...copy.texts, "mango"] }],
    {},
    ["first", copy.id],
  ],
])("finds a conversation copied to another client %s", async (_, chats, request, roots) => {
  expect((await rootsFound(chats, request)).toSorted()).toEqual([...roots].toSorted());
});

it("finds a copied conversation once if the copy ranks far below the original", async () => {
  const others = Array.from({ length: 80 }, (_, at): Chat => {
    return { id: `other${at}`, texts: [`mango ${"and more ".repeat(at % 5)}`] };
  });
  const late = { ...copy, texts: [`mango ${"and much more ".repeat(60)}`] };
  const chats = [{ ...original, texts: ["mango mango"] }, ...others, late];

  for (const limit of [10, 100]) {
    const roots = await rootsFound(chats, { limit });
    expect(roots).toHaveLength(81);
    expect(roots).not.toContain(copy.id);
  }
});

it.each([
  ["at the end of the examined matches", 59, 1],
  ["among more equal matches than are examined", 0, 42],
])("finds a copied conversation once %s", async (_, better, alike) => {
  const others = Array.from({ length: better }, (_, at): Chat => {
    return { id: `other${at}`, texts: ["mango mango"] };
  });
  const firsts = Array.from({ length: alike }, (_, at): Chat => {
    return { ...original, id: `first${at}`, day: `2026-01-${10 + Math.floor(at / 7)}` };
  });
  const copies = firsts.map(
    (first): Chat => ({ ...first, id: copyUuid("codex", first.id), agent: "codex" }),
  );
  const roots = await rootsFound([...others, ...firsts, ...copies]);

  expect(roots.toSorted()).toEqual([...others, ...firsts].map(({ id }) => id).toSorted());
});
