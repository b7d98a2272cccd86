import { describe, expect, it } from "vitest";
import {
  brokenLines,
  linesWithOpenStyle,
  shiftedRows,
  strayControls,
  tablesOf,
  widestDrawn,
} from "./rules.ts";
import type { Recording } from "./terminal.ts";

// The rules for recordings have to notice violations.

const recording = (more: Partial<Recording>): Recording => ({
  ...{ code: 0, lines: [], whole: [], painted: [], bytes: "", title: "" },
  ...{ isCursorVisible: true, isOtherScreen: false },
  ...more,
});

it("notices lines that the terminal wrapped", () => {
  const lines = ["short", "a line that is wi", "der", "", "short"];
  const whole = ["short", "a line that is wider", "", "short"];

  expect(brokenLines(recording({ lines, whole }))).toEqual(["a line that is wider"]);
});

describe("unexpected control sequences", () => {
  it.each([
    ["plain\r\nalso plain\r\n", []],
    ["\x1b[1mbold\x1b[22m", []],
    ["\ra bar\x1b[K\r\n\x1b[2A\x1b[J\r", []],
    ["\x1b[2Jcleared", ["\x1b[2Jcleared"]],
    ["a\r\n\x1b]0;title\x07", ["\x1b]0;title\x07"]],
    ["\x9b5A", ["\x9b5A"]],
    ["turned \u202e", ["turned \u202e"]],
  ])("are told from expected ones in %j", (bytes, expected) => {
    expect(strayControls(recording({ bytes }), { isColored: true, isLive: true })).toEqual(
      expected,
    );
  });

  it.each([
    ["colours", "\x1b[1mbold\x1b[22m"],
    ["progress bars", "\ra bar\x1b[K"],
  ])("include %s where none are allowed", (_, bytes) => {
    const found = strayControls(recording({ bytes }), { isColored: false, isLive: false });

    expect(found).toEqual([bytes]);
  });
});

it("notices styles that go on past the end of their line", () => {
  const bytes = "\x1b[1mbold\x1b[22m\r\n\x1b[36mblue\r\n\x1b[39mplain\r\n";

  expect(linesWithOpenStyle(recording({ bytes }))).toEqual(["\x1b[36mblue\r"]);
});

it("measures the width of a line that was drawn over", () => {
  const bytes = "\r苍鹭\x1b[K\x1b[J\rmuch longer, but the last one\r\n";

  expect(widestDrawn(recording({ bytes }), new Map([..."苍鹭"].map((each) => [each, 2])))).toBe(4);
});

describe("table cells that do not stand below their title", () => {
  const cells = new Map([
    ["池", 2],
    ["\u0301", 0],
  ]);
  const title = "SESSION  COUNT  PROJECT  BEGINS WITH";

  it.each([
    ["abc          7  /work    the heron stood"],
    ["abcdefg  1,234  /池/a    the heron stood"],
    ["abc             /cafe\u0301    the heron stood"],
    ["abc          7           the heron stood"],
  ])("are not reported in %j", (row) => {
    expect(tablesOf([title, row, "", "abc"])).toEqual([[title, row]]);
    expect(shiftedRows([title, row], cells)).toEqual([]);
  });

  it.each([
    ["abc          7 /work    the heron stood"],
    ["abc          7  /池/ab     the heron stood"],
    ["abcdefgh  1,234  /work   the heron stood"],
    ["abc          7   /work   the heron stood"],
  ])("are reported in %j", (row) => {
    expect(shiftedRows([title, row], cells)).toEqual([row]);
  });
});
