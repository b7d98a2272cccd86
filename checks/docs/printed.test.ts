import { describe, expect, it, test } from "vitest";
import { blocksOf, stepsOf, textOf } from "./blocks.ts";
import { cutLikePage, matchesPage } from "./printed.ts";

const lines = (text: string): string[] => text.split("|");

describe("comparing the text of a page with printed output", () => {
  it.each([
    ["accepts the same text", "a|b", "a|b", true],
    ["rejects another word", "a|b", "a|c", false],
    ["rejects another number", "5 sessions", "6 sessions", false],
    ["rejects another day", "14 Sept", "15 Sept", false],
    ["accepts another duration and size", "done (0.4 s, 1.2 MB)", "done (1,204 ms, 998 kB)", true],
    ["accepts a wider gap", "a  1 kB  b", "a  1000 B  b", true],
    [
      "accepts a sentence broken elsewhere",
      "Stored in 0.4 s,|all of it.",
      "Stored in 12.4|s, all of it.",
      true,
    ],
    ["rejects a missing line", "a|b", "a", false],
    ["rejects an additional line", "a", "a|b", false],
    ["accepts dots in place of some lines", "a|...|d", "a|b|c|d", true],
    ["accepts dots in place of no lines", "a|...|d", "a|d", true],
    ["rejects another end after dots", "a|...|d", "a|b|c", false],
    ["rejects dots when one line would have to match twice", "a|...|a", "a", false],
    ["accepts the lines between several dots in order", "...|b|...|d|...", "a|b|c|d|e", true],
    ["rejects the lines between several dots out of order", "...|d|...|b|...", "a|b|c|d|e", false],
  ])("%s", (_, said, printed, isSame) => {
    expect(matchesPage(lines(said), lines(printed))).toBe(isSame);
  });

  it.each([
    ["complete if the page cut nothing", "a|b", "c|d", "c|d"],
    ["cut in the same place as the page", "a|...|z", "b|c|d|y", "b|...|y"],
    ["complete if nothing is left to cut", "a|...|z", "b|y", "b|y"],
  ])("the updated text is %s", (_, said, printed, renewed) => {
    expect(cutLikePage(lines(said), lines(printed))).toEqual(lines(renewed));
  });
});

describe("the code blocks of a page", () => {
  it("are found with their lines, languages and reasons not to run", () => {
    const page = "# A\n\n```sh not-run: no docker\ndocker ps\n```\n\n```console\n$ a\nb\n```\n";

    expect(blocksOf(page)).toEqual([
      { line: 4, start: 30, text: "docker ps\n", language: "sh", notRun: "no docker" },
      { line: 8, start: 56, text: "$ a\nb\n", language: "console", notRun: undefined },
    ]);
  });

  it.each([
    ["marked not-run without a reason", "```sh not-run:\na\n```\n"],
    ["marked with an unknown word", "```sh skip\na\n```\n"],
    ["indented", "- x\n\n  ```sh\n  a\n  ```\n"],
    ["not closed", "```sh\na\n"],
  ])("are refused if one is %s", (_, page) => {
    expect(() => blocksOf(page)).toThrow();
  });

  test("a console block is unchanged after it is parsed and written again", () => {
    const text = "$ a \\\n>   b\nc\n> d\n$ e\n";

    expect(stepsOf(text)).toEqual([
      { command: "a \\\n  b", expected: ["c", "> d"] },
      { command: "e", expected: [] },
    ]);
    expect(textOf(stepsOf(text))).toBe(text);
  });
});
