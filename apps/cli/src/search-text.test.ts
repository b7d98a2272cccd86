import { describe, expect, it } from "vitest";
import { snippetRuns } from "./search-text.ts";

describe("snippetRuns", () => {
  it("cuts at highlights before it neutralises text, which may lengthen it", () => {
    const text = "a\u202eb found\x1b[2J";

    expect(snippetRuns({ text, highlights: [[4, 9]] })).toEqual([
      { text: "a<U+202E>b ", isMatch: false },
      { text: "found", isMatch: true },
      { text: "␛[2J", isMatch: false },
    ]);
  });

  it("leaves out highlights that overlap or are empty", () => {
    expect(
      snippetRuns({
        text: "abcdef",
        highlights: [
          [0, 3],
          [1, 4],
          [5, 5],
        ],
      }),
    ).toEqual([
      { text: "abc", isMatch: true },
      { text: "def", isMatch: false },
    ]);
  });
});
