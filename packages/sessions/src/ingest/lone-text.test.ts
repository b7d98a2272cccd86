import { isNull } from "@pond/substrate";
import { expect, it } from "vitest";
import { foldSessions } from "../fold-sessions.ts";
import { type DemoMessage, ingestDemo, shown, withStore } from "../testing.ts";

// Were it read for each row beside it, the engine would have 2 GiB of it, and give up.
const prompt = `heron ${"reeds ".repeat(174_000)}`;
const others = 2_100;

it("stores, folds and finds one long prompt among thousands of tool calls", () =>
  withStore(async (sessions) => {
    const calls = Array.from({ length: others }, (_, at): DemoMessage => {
      return { id: `call ${at}`, role: "tool", text: "done" };
    });
    await ingestDemo(sessions, [{ id: "s", messages: [{ id: "p", text: prompt }, ...calls] }]);

    const outcomes = await foldSessions(sessions, { isForced: true });

    expect(outcomes.find(({ table }) => table === "messages")?.isFolded).toBe(true);
    const messages = sessions.store.table("messages");
    const rows = await messages.rows({ columns: ["id", "content", "search_text"] });
    const texts = rows.flatMap(({ id, search_text: text }) => (text === null ? [] : [[id, text]]));
    expect(texts).toEqual([["p", prompt]]);
    expect(rows.every(({ content }) => content === null)).toBe(true);
    expect(await messages.count(isNull("search_text"))).toBe(calls.length);
    const search = { column: "search_text", columns: ["id"], limit: 5 };
    const found = await messages.fullText({ ...search, query: { terms: "heron" } });
    expect(found.map(({ id }) => id)).toEqual(["p"]);
    expect(await shown(sessions, "s")).toHaveLength(1 + calls.length);
  }));

it("finds one long prompt by its window after all earlier messages disappeared", () =>
  withStore(async (sessions) => {
    const said = Array.from({ length: others }, (_, at): DemoMessage => {
      return { id: `said ${at}`, text: "We go on. ".repeat(200) };
    });
    await ingestDemo(sessions, [{ id: "s", messages: said }]);
    await ingestDemo(sessions, [{ id: "s", messages: [{ id: "p", text: prompt }] }]);

    await foldSessions(sessions, { isForced: true });

    const windows = sessions.store.table("windows");
    expect(await windows.count(isNull("text"))).toBe(others);
    const rows = await windows.rows({ columns: ["id", "text"] });
    const ids = rows.filter(({ text }) => text !== null).map(({ id }) => id);
    expect(ids.filter((id) => id !== "p" && !String(id).endsWith(":p"))).toEqual([]);
    const search = { column: "text", columns: ["id"], limit: 5 };
    const found = await windows.fullText({ ...search, query: { terms: "heron" } });
    expect(found.map(({ id }) => id)).toEqual(["p"]);
  }));
