import { describe, expect, it } from "vitest";
import { lengthOf } from "./cut.ts";
import { type Page, pageOf } from "./paging.ts";

type Item = { readonly id: string; readonly text?: string; readonly json?: unknown };

const init = {
  beyond: 0,
  textOf: ({ text }: Item) => (text === undefined ? undefined : { text, beside: {} }),
};

/** Follows `next` until there is none. */
function readAll(items: readonly Item[], room: number): { pages: Page<Item>[]; text: string } {
  const pages: Page<Item>[] = [];
  let [after_id, offset]: [string | undefined, number] = [undefined, 0];
  let text = "";
  for (;;) {
    const from = items.findIndex(({ id }) => id === after_id) + 1;
    const page: Page<Item> = pageOf(items.slice(from), { after_id, offset }, room, init);
    pages.push(page);
    text += page.piece?.text ?? "";
    text += page.shown.map((item) => item.text ?? "").join("");
    if (page.next === undefined) return { pages, text };
    after_id = page.next.after_id ?? after_id;
    offset = page.next.offset ?? 0;
  }
}

describe("pageOf", () => {
  it("shows whole items while there is room, and says where to go on", () => {
    const items = ["a", "b", "c"].map((id) => ({ id, text: "x".repeat(20) }));

    expect(pageOf(items, { offset: 0 }, 100, { ...init, beyond: 4 })).toEqual({
      shown: items.slice(0, 2),
      remaining: 5,
      next: { after_id: "b" },
    });
  });

  it.each([
    ["letters", "x".repeat(4_321)],
    ["characters that JSON escapes", "\x1b\n".repeat(1_000)],
    ["surrogate pairs", "😀".repeat(1_234)],
    ["lone surrogates", "\ud83d".repeat(999)],
  ])("divides a long text into pieces that together make it up: %s", (_, long) => {
    const items = [
      { id: "a", text: "before" },
      { id: "b", text: long },
      { id: "c", text: "after" },
    ];

    const { pages, text } = readAll(items, 700);

    expect(text).toBe(`before${long}after`);
    for (const page of pages) expect(lengthOf(page.piece ?? {})).toBeLessThan(800);
  });

  it("gives an item that has no text in pieces of its JSON", () => {
    const items = [{ id: "a", json: Array.from({ length: 500 }, (_, at) => at) }];

    const { pages, text } = readAll(items, 500);

    expect(pages.length).toBeGreaterThan(2);
    expect(JSON.parse(text)).toEqual(items[0]);
  });

  it("gives deeply nested JSON as text, which the protocol can carry", () => {
    let json: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) json = [json];

    const { piece, shown } = pageOf([{ id: "a", json }], { offset: 0 }, 100_000, init);

    expect([shown, piece?.is_json, piece?.of]).toEqual([
      [],
      true,
      40_001 + '{"id":"a","json":}'.length,
    ]);
  });

  it("gives an item with a text as JSON text when its other fields are deeply nested", () => {
    let beside: object = {};
    for (let level = 0; level < 70; level += 1) beside = { x: beside };
    const deep = { beyond: 0, textOf: ({ text = "" }: Item) => ({ text, beside }) };

    expect(pageOf([{ id: "a", text: "x", json: beside }], { offset: 0 }, 900, deep)).toMatchObject({
      piece: { is_json: true },
    });
  });

  it("goes on to the next item when the offset is beyond the end of one", () => {
    const items = [
      { id: "a", text: "x" },
      { id: "b", text: "y" },
    ];

    expect(pageOf(items, { offset: 9 }, 100, init)).toMatchObject({
      piece: { text: "" },
      remaining: 1,
      next: { after_id: "a" },
    });
  });
});
