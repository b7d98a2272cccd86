import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapedJson, type SafeText, safe, safeLine, safeText } from "./safe-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const hostile = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

describe("safeText", () => {
  it.each([
    ["a colour sequence", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
    ["a change of the window title", "\x1b]0;owned\x07", "␛]0;owned␇"],
    ["a clipboard write", "\x1b]52;c;cm0gLXJm\x1b\\", "␛]52;c;cm0gLXJm␛\\"],
    ["an eight-bit control sequence", "\x9b2J", "<U+009B>2J"],
    ["backspaces", "safe\b\b\b\bevil", "safe␈␈␈␈evil"],
    ["a carriage return", "safe\revil", "safe␍evil"],
    ["a NUL and a DEL", "\0\x7f", "␀␡"],
    ["a direction override", "user\u202egnp.exe", "user<U+202E>gnp.exe"],
    ["a direction isolate", "\u2066x\u2069", "<U+2066>x<U+2069>"],
    ["tag characters, which models read", "hi\u{e0041}\u{e007f}", "hi<U+E0041><U+E007F>"],
    ["tag characters after a flag", "\u{1f3f4}\u{e0041}\u{e007f}", "\u{1f3f4}<U+E0041><U+E007F>"],
    [
      "tag characters that only look like a flag's",
      "\u{1f3f4}\u{e006f}\u{e0062}\u{e0065}\u{e0079}\u{e007f}",
      "\u{1f3f4}<U+E006F><U+E0062><U+E0065><U+E0079><U+E007F>",
    ],
    ["half of a surrogate pair", "a\ud800b", "a\ufffdb"],
  ])("neutralises %s", (_, text, expected) => {
    expect(safeText(text)).toBe(expected);
  });

  it.each(["plain", "two\nlines\tand a tab", "中文 עברית émoji 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u200e"])(
    "leaves %j as it is",
    (text) => {
      expect(safeText(text)).toBe(text);
    },
  );

  it("treats Windows line ends as line ends", () => {
    expect(safeText("a\r\nb\x07")).toBe("a\nb␇");
  });

  it("lets no control character through, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(safeText(text)).not.toMatch(hostile);
        expect(safeLine(text)).not.toMatch(/[\t\n\r\u2028\u2029]/);
        expect(safeLine(text)).not.toMatch(hostile);
      }),
    );
  });
});

describe("safeLine", () => {
  it("puts text on one line", () => {
    expect(safeLine("a\r\n\tb\u2028c")).toBe("a b c");
  });
});

describe("escapedJson", () => {
  it.each([
    ["DEL and an eight-bit control character as escapes", "\x7f\x9b2J", '"\\u007f\\u009b2J"'],
    ["a direction override as an escape", "\u202ex", '"\\u202ex"'],
    ["tag characters as escapes", "\u{e0041}x", '"\\udb40\\udc41x"'],
    ["letters and emoji unescaped", "é 中文 עברית 👩", '"é 中文 עברית 👩"'],
  ])("writes %s", (_, text, expected) => {
    expect(escapedJson(JSON.stringify(text))).toBe(expected);
  });

  it("keeps the value of the JSON, and leaves no control character in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = escapedJson(JSON.stringify(text));

        expect(JSON.parse(json)).toBe(text);
        expect(json).not.toMatch(hostile);
      }),
    );
  });
});

describe("safe", () => {
  it("accepts safe text and numbers only", () => {
    const text: SafeText = safe`${safeText("x")}: ${2}`;

    // @ts-expect-error raw text does not reach a terminal
    safe`${"\x1b[2J"}`;
    expect(text).toBe("x: 2");
  });
});
