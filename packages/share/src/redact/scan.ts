import type { Hit } from "./hit.ts";
import type { Rule } from "./rule.ts";

/** A hit with the rank of its rule. If several rules find the same, the first one names it. */
export type RankedHit = Hit & { readonly rank: number };

/** The last three characters as one number, by the five bits a letter shares with its capital. */
const nextTrigram = (trigram: number, code: number): number =>
  ((trigram << 5) | (code & 31)) & 0x7fff;

/**
 * Looks through a text once for all rules. Most rules find nothing in most texts, and each one took
 * as long to look through a text as all of them take together here. Three characters are enough:
 * asking a rule in vain takes less time than comparing more characters.
 */
export function createScan(rules: readonly Rule[]): (text: string) => RankedHit[] {
  const ranksByTrigram = new Array<number[] | undefined>(0x8000).fill(undefined);
  for (const [rank, { prefixes }] of rules.entries()) {
    for (const trigram of new Set(prefixes.flatMap(trigramsOf))) {
      const ranks = ranksByTrigram[trigram];
      if (ranks === undefined) ranksByTrigram[trigram] = [rank];
      else ranks.push(rank);
    }
  }
  const rulesWithoutPrefix = [...rules.keys()].filter((rank) => rules[rank]?.prefixes.length === 0);
  const until = new Uint32Array(rules.length);

  return (text) => {
    const found: RankedHit[] = [];
    until.fill(0);
    const runRule = (rank: number, at: number): void => {
      if (at < (until[rank] ?? 0)) return;
      const answer = rules[rank]?.find(text, at);
      if (answer === undefined) return;
      until[rank] = answer.until;
      for (const hit of answer.hits) found.push({ ...hit, rank });
    };
    for (const rank of rulesWithoutPrefix) runRule(rank, 0);
    let trigram = 0;
    for (let end = 0; end < text.length; end += 1) {
      trigram = nextTrigram(trigram, text.charCodeAt(end));
      const ranks = ranksByTrigram[trigram];
      if (ranks === undefined || end < 2) continue;
      for (const rank of ranks) runRule(rank, end - 2);
    }
    return found;
  };
}

/** The numbers of the first three characters of a prefix; of two, those with any third. */
function trigramsOf(prefix: string): number[] {
  if (prefix.length < 2) throw new RangeError(`too short to begin with: "${prefix}"`);
  const codes = Array.from(prefix.slice(0, 3), (each) => each.charCodeAt(0));
  const known = codes.reduce(nextTrigram, 0);
  if (codes.length === 3) return [known];
  return Array.from({ length: 32 }, (_, any) => nextTrigram(known, any));
}
