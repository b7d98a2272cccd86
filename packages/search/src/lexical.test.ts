import type { FullTextOptions, Table } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import { searchLiteral } from "./lexical.ts";
import { parseQuery } from "./query.ts";
import { storeOf } from "./testing.ts";

// Where one waits for the other, neither ends.
const timeout = 30_000;

it("searches windows for a name no message holds without waiting for the message arm", {
  timeout,
}, async () => {
  const chats = [{ id: "chat", texts: ["retry the upload", "a budget of five"] }];
  const { sessions, remove } = await storeOf(chats);
  const windowsAsked = Promise.withResolvers<void>();
  const order: string[] = [];
  const watch = (table: Table, asked: (options: FullTextOptions) => Promise<void>): void => {
    const fullText = table.fullText.bind(table);
    vi.spyOn(table, "fullText").mockImplementation(async (options) => {
      await asked(options);
      return fullText(options);
    });
  };
  watch(sessions.store.table("messages"), async ({ query }) => {
    // The literal is a phrase; any of the words is what the message arm asks for.
    if (!("terms" in query)) return;
    await windowsAsked.promise;
    order.push("messages");
  });
  watch(sessions.store.table("windows"), async () => {
    order.push("windows");
    windowsAsked.resolve();
  });
  const scope = { messages: undefined, windows: undefined, mustCheckWindows: false };

  const { messages, windows, literals } = await searchLiteral(
    sessions,
    parseQuery("retry_budget"),
    scope,
  );

  expect(order).toEqual(["windows", "messages"]);
  expect(messages.hits.map(({ id }) => id).sort()).toEqual(["chat-0", "chat-1"]);
  expect(windows.hits).toHaveLength(1);
  expect(literals.hits).toEqual([]);
  remove();
});
