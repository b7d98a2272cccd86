import { describe, expect, it } from "vitest";
import { formatBytes, formatCount, formatCounted, formatDuration } from "./numbers.ts";
import { safeText } from "./safe-text.ts";
import { createStyle, wantsColor } from "./style.ts";
import { formatWhen } from "./time.ts";
import { wrapRuns, wrapSentences, wrapText } from "./wrap.ts";

describe("wantsColor", () => {
  it.each([
    ["on a terminal", { isTerminal: true, env: {} }, true],
    ["in a pipe", { isTerminal: false, env: {} }, false],
    ["with NO_COLOR", { isTerminal: true, env: { NO_COLOR: "1" } }, false],
    ["with an empty NO_COLOR", { isTerminal: true, env: { NO_COLOR: "" } }, true],
    ["with FORCE_COLOR in a pipe", { isTerminal: false, env: { FORCE_COLOR: "1" } }, true],
    ["with FORCE_COLOR=0", { isTerminal: true, env: { FORCE_COLOR: "0" } }, false],
    ["on a dumb terminal", { isTerminal: true, env: { TERM: "dumb" } }, false],
  ])("decides for or against colour %s", (_, wishes, expected) => {
    expect(wantsColor({ isAllowed: true, ...wishes })).toBe(expected);
  });

  it("decides against colour with --no-color", () => {
    const wishes = { isAllowed: false, isTerminal: true, env: { FORCE_COLOR: "1" } };

    expect(wantsColor(wishes)).toBe(false);
  });
});

describe("createStyle", () => {
  it("returns text unchanged without colour, and styled with it", () => {
    expect([createStyle(false).bad(safeText("x")), createStyle(true).bad(safeText("x"))]).toEqual([
      "x",
      "\x1b[31mx\x1b[39m",
    ]);
  });
});

describe("numbers", () => {
  it.each([
    [formatCount(0), "0"],
    [formatCount(999.5), "1,000"],
    [formatCount(123456), "123,456"],
    [formatCount(1234567), "1,234,567"],
    [formatCounted(1, "session"), "1 session"],
    [formatCounted(0, "session"), "0 sessions"],
    [formatBytes(999), "999 B"],
    [formatBytes(1000), "1.0 kB"],
    [formatBytes(999_960), "1.0 MB"],
    [formatBytes(123_456_789), "123 MB"],
    [formatDuration(40), "0.0 s"],
    [formatDuration(9_960), "10 s"],
    [formatDuration(59_600), "1 min 0 s"],
    [formatDuration(200_000), "3 min 20 s"],
    [formatDuration(7_500_000), "2 h 5 min"],
  ])("are written as %s", (text, expected) => {
    expect(text).toBe(expected);
  });
});

describe("formatWhen", () => {
  const now = new Date(2026, 10, 20, 15, 0);
  it.each([
    [new Date(2026, 10, 20, 15, 0, 30), "just now"],
    [new Date(2026, 10, 20, 14, 59, 30), "just now"],
    [new Date(2026, 10, 20, 14, 55), "5m ago"],
    [new Date(2026, 10, 19, 15, 5), "23h ago"],
    [new Date(2026, 10, 14, 9, 5), "6d ago"],
    [new Date(2026, 10, 12), "12 Nov"],
    [new Date(2026, 8, 21), "21 Sep"],
    [new Date(2026, 5, 3), "3 Jun"],
    [new Date(2024, 5, 3), "2024-06-03"],
    [new Date(2027, 5, 3), "2027-06-03"],
  ])("formats %s briefly", (date, expected) => {
    expect(formatWhen(date.toISOString(), now)).toBe(expected);
  });
});

describe("wrapRuns", () => {
  const mark = (text: ReturnType<typeof safeText>) => safeText(`[${text}]`);

  it("breaks at spaces, and keeps a match within its word", () => {
    const pieces = [
      { text: safeText("never "), isMatch: false },
      { text: safeText("freeze"), isMatch: true },
      { text: safeText("s over in winter"), isMatch: false },
    ];

    expect(wrapRuns(pieces, 14, mark)).toEqual(["never [freeze]s", "over in winter"]);
  });

  it.each([
    ["a longlonglong b", ["a", "longl", "onglo", "ng b"]],
    ["中文没有空格 b", ["中文", "没有", "空格", "b"]],
    ["e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", ["e\u0301".repeat(5), "e\u0301"]],
    ["", []],
  ])("breaks a word that is wider than the line: %j", (text, expected) => {
    expect(wrapText(safeText(text), 5)).toEqual(expected);
  });

  it("breaks within a match too, and marks both halves", () => {
    const pieces = [
      { text: safeText("abc"), isMatch: false },
      { text: safeText("defgh"), isMatch: true },
    ];

    expect(wrapRuns(pieces, 5, mark)).toEqual(["abc[de]", "[fgh]"]);
  });

  it("keeps everything on one line when the width is unlimited", () => {
    expect(wrapText(safeText("one two"), Number.POSITIVE_INFINITY)).toEqual(["one two"]);
  });
});

describe("wrapSentences", () => {
  it.each([
    ["breaks lines at spaces", "one two three", ["one two", "three"]],
    [
      "does not count style sequences as width",
      "\x1b[1mone two\x1b[22m three",
      ["\x1b[1mone two\x1b[22m", "three"],
    ],
    ["keeps a path in one piece", "at /a/long/path it is", ["at", "/a/long/path", "it is"]],
    ["leaves indented lines unbroken", "see:\n  one two three", ["see:", "  one two three"]],
  ])("%s", (_, text, expected) => {
    expect(wrapSentences(text as ReturnType<typeof safeText>, 8)).toEqual(expected);
  });
});
