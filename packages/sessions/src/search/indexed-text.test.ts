import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromIndexed, indexedPart, toIndexed } from "./indexed-text.ts";
import { normalizeText } from "./normalize-text.ts";

describe("normalizeText (search-language-neutral-index)", () => {
  it.each([
    ["French", "crème brûlée".normalize("NFD"), "crème brûlée"],
    ["Vietnamese", "Tiếng Việt".normalize("NFD"), "Tiếng Việt"],
    ["Vietnamese in the form of old code pages", "Vi\u00ea\u0323t", "Việt"],
    ["Korean", "한국어 값".normalize("NFD"), "한국어 값"],
    ["Japanese", "ガソリンがぱ".normalize("NFD"), "ガソリンがぱ"],
    ["half-width kana", "ﾃﾞｰﾀ ﾊﾟ", "データ パ"],
    ["full-width Latin", "ＡＰＩ ｖ２", "API v2"],
    ["Arabic with vowel signs", "شُكْرًا جِدّاً", "شكرا جدا"],
    ["Hebrew with points", "שָׁלוֹם", "שלום"],
  ])("gives the same text however it was typed: %s", (_, text, expected) => {
    expect(normalizeText(text)).toBe(expected);
    expect(normalizeText(expected)).toBe(expected);
  });

  it.each(["plain", "½ ™ ﬁ … ² Ⅷ", "（全角），。", "中文", "❤\ufe0f 👩‍👩‍👧", "नि ไทย سؤال ئ آن"])(
    "leaves %j as it is",
    (text) => {
      expect(normalizeText(text)).toBe(text);
    },
  );
});

describe("a long text", () => {
  it("gets the same form as its pieces", () => {
    const units = fc.constantFrom(
      ...["a", "e\u0301\u0323", "\u1112\u1161\u11ab", "ﾃﾞ", "中", "👩"],
      // Kaithi, whose marks take two code units.
      "\u{11099}\u{110ba}",
    );
    fc.assert(
      fc.property(fc.array(units, { minLength: 1_500, maxLength: 2_500 }), (pieces) => {
        expect(normalizeText(pieces.join(""))).toBe(
          pieces.map((piece) => normalizeText(piece)).join(""),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("of half a million combining marks can be put into one form", () => {
    const marks = "\u0301\u0323".repeat(250_000);

    expect(normalizeText(`a${marks}`).length).toBe(500_000);
  });
});

describe("toIndexed", () => {
  it.each([
    ["nothing to text that needs no other form", "é\nplain", "é\nplain"],
    ["only the lines that change their form", "e\u0301\nx\nＡ", "e\u0301\nx\nＡ\uffffé\nA"],
    ["only a divider to text that contains one", "a\uffffb", "a\uffffb\uffff"],
  ])("adds %s", (_, text, expected) => {
    expect(toIndexed(text)).toBe(expected);
  });

  it("can be reversed for any text", () => {
    const letters = fc.constantFrom(
      "e",
      "\u0301",
      "\uffff",
      "\n",
      "\u1112",
      "\u1161",
      "\u11ab",
      "Ａ",
    );
    const texts = fc.oneof(fc.string({ unit: letters }), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(texts, (text) => {
        expect(fromIndexed(toIndexed(text))).toBe(text);
      }),
    );
  });
});

describe("indexedPart", () => {
  it("keeps a text of 1,048,576 characters whole", () => {
    const text = "abc ".repeat(262_144);

    expect(indexedPart(text)).toBe(text);
    expect(fromIndexed(toIndexed(text))).toBe(text);
  });

  it("keeps only the beginning and end of a longer text, cut at a word boundary", () => {
    const [beginning, end] = ["first ".repeat(87_381), "final ".repeat(87_381)];
    const middle = "middle ".repeat(10_000);

    const found = indexedPart(`${beginning}${middle}${end}`);

    expect(found.length).toBeLessThanOrEqual(1_048_576 + 3 + 256);
    expect(found.startsWith(beginning) && found.endsWith(end)).toBe(true);
    expect(found.slice(beginning.length, -end.length)).toBe("\n…\nmiddle ");
    expect(toIndexed(`${beginning}${middle}${end}`)).toBe(found);
  });

  it.each([
    ["Chinese", "内存泄漏索引"],
    ["Japanese with voicing marks", "か\u3099ｶﾞー"],
    ["Thai", "ที่นี่"],
    ["Khmer", "ភាសា"],
    ["Burmese", "မြန်မာ"],
    ["letters of two code units", "\u{20000}\u{2a6dd}"],
  ])("keeps only the beginning and end of a long run without spaces, in %s", (_, unit) => {
    const run = unit.repeat(Math.ceil(300_000 / unit.length));

    const found = indexedPart(`before ${run}, between ${run}`);

    expect(found.split("\n…\n")).toHaveLength(3);
    expect(found.isWellFormed()).toBe(true);
    expect(found.length).toBeLessThanOrEqual(2 * 16_384 + 32);
    expect(found.startsWith(`before ${run.slice(0, 8_000)}`)).toBe(true);
    expect(found).toContain(`${run.slice(-8_000)}, between ${run.slice(0, 8_000)}`);
    expect(found.endsWith(run.slice(-8_000))).toBe(true);
  });

  it("keeps all of a text with punctuation, however many runs it has", () => {
    const text = `${"内存泄漏索引".repeat(2_700)}。`.repeat(20);

    expect(text.length).toBeGreaterThan(16_384 * 10);
    expect(indexedPart(text)).toBe(text);
  });
});
