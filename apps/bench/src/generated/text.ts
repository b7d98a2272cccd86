import { createRandom } from "../shared/random.ts";

const syllables =
  "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan bren clor dast".split(" ");
const vocabularySize = 20_000;

/** Invented words, the first ones frequent: nothing here comes from anybody's transcript. */
const vocabulary: readonly string[] = (() => {
  const random = createRandom(7);
  const pick = (): string => syllables[Math.floor(random() * syllables.length)] ?? "ba";
  return Array.from({ length: vocabularySize }, (_, index) => {
    const word = Array.from({ length: 1 + Math.floor(random() * 3) }, pick).join("");
    return index % 11 === 0 ? `${word}_${pick()}${pick()}` : index % 17 === 0 ? `${word}.ts` : word;
  });
})();

/** About `length` characters of words whose frequencies follow Zipf's law. */
export function prose(random: () => number, length: number): string {
  const words: string[] = [];
  for (let size = 0; size < length; ) {
    const rank = Math.floor(vocabularySize ** random()) - 1;
    const word = vocabulary[rank] ?? "ba";
    words.push(word);
    size += word.length + 1;
  }
  return words.join(" ");
}

/** About `length` characters that look like a numbered source listing. */
export function listing(random: () => number, length: number): string {
  const lines: string[] = [];
  for (let size = 0; size < length; ) {
    const line = `${String(lines.length + 1).padStart(6)}\t${"  ".repeat(lines.length % 4)}${prose(random, 38)};`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}
