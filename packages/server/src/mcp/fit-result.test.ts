import { afterAll, beforeAll, expect, it } from "vitest";
import { chat, type TestPond, testPond } from "../testing.ts";
import { lengthOf } from "./cut.ts";
import { answered, textOf } from "./testing.ts";
import { type Ask, tools } from "./tools.ts";

/** Texts of many lengths, that take more than themselves in JSON or in the text beside it. */
const kinds: readonly ((at: number) => string)[] = [
  (at) => `heron ${"plain words of no kind. ".repeat(10 + 7 * at)}`,
  (at) => `heron\n${"a\n".repeat(30 * at)}`,
  (at) => `heron ${'"\\'.repeat(25 * at)}`,
  (at) => `heron ${"\u0000\u001b[31m".repeat(9 * at)}`,
  (at) => `heron ${"\u{1F9F5}\r\n".repeat(13 * at)}`,
];
const chats = 12;

let pond: TestPond;
beforeAll(async () => {
  pond = testPond();
  const events = kinds.flatMap((text, kind) =>
    Array.from({ length: chats }, (_, at) =>
      chat(
        `${kind}-${at}`,
        Array.from({ length: 30 }, (_, each) => text(((at * 30 + each) * 7) % 40)),
        { project: `/work/${"p".repeat(20 * at)}` },
      ),
    ).flat(),
  );
  for (let from = 0; from < events.length; from += 2_000) {
    await pond.ask("ingest", { events: events.slice(from, from + 2_000) });
  }
}, 60_000);
afterAll(() => pond.remove());

const requests: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["pond_search", { query: "heron" }],
  ["pond_search", { query: "heron", limit: 50 }],
  ...kinds.flatMap((_, kind) =>
    [0, 5, 11].flatMap((at): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => [
      ["pond_get", { session_id: `${kind}-${at}` }],
      ["pond_get", { session_id: `${kind}-${at}`, message_id: "m11" }],
      ["pond_get", { session_id: `${kind}-${at}`, message_id: "m11", offset: 7 }],
    ]),
  ),
];

it("no reply is longer than max_characters, neither as JSON nor as text", {
  timeout: 60_000,
}, async () => {
  const ask: Ask = (operation, fields) => pond.ask(operation, fields as never);
  const longer: unknown[] = [];
  for (const most of [2_000, 3_000, 4_999, 10_000, 40_000, 100_000]) {
    for (const [name, fields] of requests) {
      const tool = tools.find(({ definition }) => definition.name === name);
      const result = await tool?.call({ ...fields, max_characters: most }, ask);
      if (result === undefined) throw new TypeError(name);
      const lengths = [textOf(result).length, lengthOf(answered(result))];
      if (Math.max(...lengths) > most) longer.push([most, ...lengths, name, fields]);
    }
  }

  expect(longer).toEqual([]);
});
