import { describe, expect, it } from "vitest";
import { safeText } from "./safe-text.ts";
import { cut, cutStart, padEnd, padStart, splitAt, widthOf } from "./width.ts";

describe("widthOf", () => {
  it.each([
    ["abc", 3],
    ["中文", 4],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
    ["é", 1],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["a\u200bb", 2],
    ["क्षण", 3],
    ["\u1112\u1161\u11ab", 2],
    ["👍🏽", 2],
    ["…", 1],
    ["Größe — Привет, Ελλάδα", 22],
    ["│ ✓ → ⌚", 8],
    ["©", 1],
    ["©\ufe0f", 2],
    ["a\u00adb", 2],
    ["עברית", 5],
  ])("measures %s as %i columns wide", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe("cut", () => {
  it.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["Größe: 3", 5, "Größ…"],
    ["中文字", 5, "中文…"],
    ["中文字", 4, "中…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
  ])("cuts %s to %i columns", (text, columns, expected) => {
    expect(cut(safeText(text), columns)).toBe(expected);
  });

  it.each([
    ["/home/ada/loom", 8, "…da/loom"],
    ["/中文/字", 5, "…/字"],
    ["short", 9, "short"],
  ])("cuts the start of %s to %i columns", (text, columns, expected) => {
    expect(cutStart(safeText(text), columns)).toBe(expected);
  });
});

describe("splitAt", () => {
  it.each([
    ["中文字", 4, ["中文", "字"]],
    ["中文", 1, ["中", "文"]],
    ["か\u3099", 1, ["か\u3099", ""]],
    ["ab", 0, ["a", "b"]],
  ])("splits %s at %i columns", (text, columns, expected) => {
    expect(splitAt(safeText(text), columns)).toEqual(expected);
  });

  it.each(["中", "中👍🏽", "กำ"])(
    "splits a long text of %s without reading all of it for every line",
    (unit) => {
      let rest = safeText(unit.repeat(200_000));
      // Looked at whole each time it would take minutes.
      while (rest !== "") [, rest] = splitAt(rest, 80);

      expect(rest).toBe("");
    },
  );

  it("keeps a grapheme whole even if it is longer than the line", () => {
    const [long, space] = [`か${"\u3099".repeat(200)}`, "\u200b".repeat(500)];

    const split = [splitAt(safeText(`${long}${long}`), 2), splitAt(safeText(`${space}中`), 1)];

    expect(split).toEqual([
      [long, long],
      [space, "中"],
    ]);
  });
});

describe("padding", () => {
  it("counts columns, not characters", () => {
    expect([
      padEnd(safeText("中"), 4),
      padStart(safeText("中"), 4),
      padEnd(safeText("long"), 2),
    ]).toEqual(["中  ", "  中", "long"]);
  });
});
