import { expect, it } from "vitest";
import { ingestDemo, said, withStore } from "../testing.ts";
import { statistics } from "./statistics.ts";

it("counts sessions and messages by client and project, and searchable messages", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [
      { id: "a", messages: [said("1"), { id: "2", role: "tool", text: "x" }] },
      { id: "b", agent: "other", project: "__proto__", messages: [said("1")] },
    ]);

    const found = await statistics(sessions);

    expect(found).toMatchObject({
      sessions: 2,
      messages: 3,
      parts: 3,
      searchable: 2,
      embedded: 0,
      embeddings: [],
    });
    expect(found.by_agent).toEqual({
      demo: { sessions: 1, messages: 2 },
      other: { sessions: 1, messages: 1 },
    });
    expect(Object.entries(found.by_project)).toEqual([
      ["/work/demo", { sessions: 1, messages: 2 }],
      ["__proto__", { sessions: 1, messages: 1 }],
    ]);
    expect(found.tables.map(({ name, rows }) => [name, rows])).toEqual([
      ["sessions", 2],
      ["messages", 3],
      ["parts", 3],
      ["windows", 2],
    ]);
  }));
