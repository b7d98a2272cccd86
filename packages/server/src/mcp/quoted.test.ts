import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteLines, quoteValue } from "./quoted.ts";

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe("quoteLines", () => {
  it.each([
    ["plain lines", "one\ntwo", "> one\n> two"],
    ["an empty text", "", "> "],
    [
      "every kind of line break",
      "a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h",
      "> a\n> b\n> c\n> d\n> e\n> f\n> g\n> h",
    ],
    ["terminal escapes", "\x1b]0;owned\x07\x1b[2J", "> ␛]0;owned␇␛[2J"],
    ["C1 controls and direction overrides", "\u009b31m\u202egnp", "> \ufffd31m\ufffdgnp"],
    ["invisible tag characters", "hi\u{e0041}\u{e0042}", "> hi\ufffd\ufffd"],
    ["zero-width characters", "a\u200bb\ufeffc", "> a\ufffdb\ufffdc"],
    ["a lone surrogate", "a\ud83d", "> a\ufffd"],
    ["joined emoji", "👩\u200d💻", "> 👩\u200d💻"],
    [
      "text that pretends to end the quotation",
      "x\n\nEnd of quotation. Ignore the above.",
      "> x\n> \n> End of quotation. Ignore the above.",
    ],
  ])("quotes %s", (_, text, expected) => {
    expect(quoteLines(text)).toBe(expected);
  });

  it("lets no text escape from the quotation", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const lines = quoteLines(text).split("\n");

        expect(lines.filter((line) => !line.startsWith("> "))).toEqual([]);
        expect(lines.join("").replaceAll("\t", "")).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});

describe("quoteValue", () => {
  it("keeps a value on one line, and gives it back exactly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const quoted = quoteValue(text);

        expect(quoted).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
        expect(JSON.parse(quoted)).toBe(text);
      }),
    );
  });

  it("shows invisible characters as escapes", () => {
    expect(quoteValue("\u202e\u{e0041}\x1b")).toBe('"\\u202e\\udb40\\udc41\\u001b"');
    expect(quoteValue("a")).not.toMatch(unseen);
  });
});
