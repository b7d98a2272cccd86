import type { ReadEvent } from "@pond/canonical";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  type DemoMessage,
  demoEvents,
  ingestDemo,
  said,
  withAltered,
  withStore,
} from "../testing.ts";

async function texts({ store }: SessionStore): Promise<unknown[]> {
  const rows = await store.table("windows").rows({ columns: ["id", "text"] });
  return rows.filter(({ text }) => text !== null).map(({ id, text }) => `${id}: ${text}`);
}

// Windows hold the beginnings of words.
const file = "Look.\nappli/octet-strea";

it.each([
  ["when its message stays in place", ["b", "a"], `b: ${file}\nAnew.`],
  ["when its message moves", ["a", "b"], `a: Anew.\n${file}`],
])("keeps the name of a file that the source no longer has, %s", (_, order, expected) =>
  withStore(async (sessions) => {
    const first = { id: "b", text: "Look.", bytes: Uint8Array.of(1) };
    await ingestDemo(sessions, [{ id: "s", messages: [first, said("a")] }]);
    expect(await texts(sessions)).toEqual([`b: ${file}\nThis is a.`]);

    const left: DemoMessage = { id: "b", text: "Look.", isIncomplete: true };
    const messages = order.map((id) => (id === "b" ? left : said("a", "Anew.")));
    await ingestDemo(sessions, [{ id: "s", messages }]);

    expect(await texts(sessions)).toEqual([expected]);
  }),
);

/** Messages of session `s`, the second of which begins after its client compacted its context. */
function compacted(last: string): ReadEvent[] {
  const messages = [said("a"), said("b"), said("c", last)];
  return demoEvents({ id: "s", messages }).map((event) => {
    if (event.kind !== "message" || event.message.id !== "b") return event;
    return {
      ...event,
      message: { ...event.message, options: { source: { boundary: "compaction" } } },
    };
  });
}

it("begins a new window where the client compacted its context before the part that is read now", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [compacted("Before.")]);

    const part = demoEvents({ id: "s", messages: [said("c", "Anew.")] });
    await ingestDemo(sessions, [part], { addsOnly: true });

    expect((await texts(sessions)).sort()).toEqual(["a: This is a.", "b: This is b.\nAnew."]);
  }));

it.each([
  ["adds a message", [said("d")]],
  ["changes a message and adds one", [said("c", "Anew."), said("d")]],
])("leaves out a damaged stored message when a read of a part of its session %s", (_, messages) =>
  withAltered(
    [{ id: "s", messages: [said("a"), said("b"), said("c")] }],
    (table, row) => {
      const isPart = table === "parts" && row["message_id"] === "b";
      return isPart ? { ...row, variant_data: '{"text":1}' } : row;
    },
    async (damaged) => {
      const part = demoEvents({ id: "s", messages });
      const [outcome] = await ingestDemo(damaged, [part], { addsOnly: true });

      expect(outcome?.messages_added).toBe(1);
      expect(String(await texts(damaged))).toMatch(/^a: This is a\.\n.*This is d\.$/s);
    },
  ),
);
