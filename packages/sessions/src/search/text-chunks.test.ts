import fc from "fast-check";
import { expect, it } from "vitest";
import { textChunks } from "./text-chunks.ts";

const units = fc.constantFrom("word", " ", "\n", "e\u0301", "中", "👩", "x".repeat(200));
const texts = fc.array(units, { maxLength: 60 }).map((pieces) => pieces.join(""));

it("splits a text into chunks that rejoin to it, none too long, empty or cut inside a letter", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 400, max: 500 }), (text, chars) => {
      const chunks = [...textChunks(text, chars)];

      expect(chunks.join("")).toBe(text);
      for (const chunk of chunks) {
        expect(chunk.length).toBeLessThanOrEqual(chars);
        expect(chunk.isWellFormed()).toBe(true);
        expect(chunk.startsWith("\u0301")).toBe(false);
      }
      if (chunks.length > 1) expect(chunks).not.toContain("");
    }),
  );
});

it.each([
  ["after white space if there is any", `${"a".repeat(290)} ${"b".repeat(100)}`, 291],
  ["after punctuation in text without white space", `${"a,".repeat(140)}${"b".repeat(100)}`, 280],
  ["after punctuation of another script", `${"中。".repeat(140)}${"文".repeat(100)}`, 280],
  ["within a word longer than any index keeps", "a".repeat(900), 300],
])("cuts the first chunk at the expected place: %s", (_, text, end) => {
  expect([...textChunks(text, 300)][0]).toHaveLength(end);
});

it.each(["", "a"])("keeps surrogate pairs whole in a text of hidden marks after %j", (before) => {
  const chunks = [...textChunks(`${before}${"\u{e0100}".repeat(400)}`, 300)];

  expect(chunks.map((chunk) => chunk.isWellFormed())).not.toContain(false);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(300);
});
