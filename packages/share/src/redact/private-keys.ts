import type { Hit } from "./hit.ts";
import type { Rule } from "./rule.ts";

const rule = "private-key";
const everyBegin =
  /-{4,5} ?BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\bPrivate-Lines: \d{1,4}/g;
/** PuTTY writes a count of lines before a key and nothing after it: an end is another key's. */
const isPuttyBegin = /^P/;
const everyEnd = /-{4,5} ?END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** The longest key, in UTF-16 units. */
const maxKeyLength = 20_000;
// What may stand between the lines of a key: line breaks, escaped ones, the numbers of a listing.
const lineSeparator = String.raw`[^A-Za-z0-9+/]{0,16}(?:[nr][^A-Za-z0-9+/]{0,8})?(?:\d{1,6}\W{1,3})?`;
/** `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`, before the lines. */
const field = String.raw`[A-Z][A-Za-z-]{2,30}: [^\r\n\\]{1,200}(?=[\r\n\\])`;
const lines = new RegExp(
  `(?:${lineSeparator}${field}){0,8}(?:${lineSeparator}[A-Za-z0-9+/]{16}[A-Za-z0-9+/]*={0,2}){1,1000}`,
  "y",
);
// Code that names both markers has no such run between them.
const anyRun = /[A-Za-z0-9+/]{16}[A-Za-z0-9+/]*/g;
// Before a line: its number in a listing, or the mark of a quotation, a comment or a diff.
const margin = String.raw`^(?:\s*\d{1,6}\W{1,3})?[\s>|#*-]*`;
const isKeyLine = new RegExp(String.raw`${margin}[A-Za-z0-9+/]{16,}={0,2}\s*$`);
/** What may stand before the end marker of a key on its line. */
const isMargin = new RegExp(String.raw`${margin}\+?$`);
/** The last line of a key holds the rest of it; some keys have a checksum after it. */
const isRest = new RegExp(String.raw`${margin}[A-Za-z0-9+/]{1,15}={0,2}\s*$`);
const isSum = new RegExp(String.raw`${margin}\+?=[A-Za-z0-9+/]{4}\s*$`);

/** Finds blocks of private keys, even if their end or their beginning was cut away. */
export const privateKeyRule: Rule = {
  prefixes: ["PRIVATE KEY", "Private-Lines"],
  find: (text, at) =>
    text.startsWith("PRIVATE KEY", at) || text.startsWith("Private-Lines", at)
      ? { hits: [...privateKeys(text)], until: text.length }
      : undefined,
};

function* privateKeys(text: string): Generator<Hit> {
  const ends = [...text.matchAll(everyEnd)];
  let nextEnd = 0;
  let nextFree = 0;
  const keysWithoutBegin = function* (until: number): Generator<Hit> {
    for (; nextEnd < ends.length; nextEnd += 1) {
      const end = ends[nextEnd];
      if (end === undefined || end.index >= until) return;
      if (end.index < nextFree) continue;
      const after = end.index + end[0].length;
      const start = startOfLines(text, Math.max(nextFree, end.index - maxKeyLength), end.index);
      nextFree = after;
      if (start < end.index) yield { start, end: after, rule };
    }
  };
  for (const { index, 0: begin } of text.matchAll(everyBegin)) {
    if (index < nextFree) continue;
    yield* keysWithoutBegin(index);
    const body = index + begin.length;
    const end = isPuttyBegin.test(begin) ? undefined : ends[nextEnd];
    if (end !== undefined && end.index - body <= maxKeyLength) {
      nextFree = end.index + end[0].length;
      if (hasKey(text.slice(body, end.index))) yield { start: index, end: nextFree, rule };
      continue;
    }
    lines.lastIndex = body;
    const found = lines.exec(text);
    if (found === null || !hasKey(found[0])) continue;
    nextFree = body + found[0].length;
    yield { start: index, end: nextFree, rule };
  }
  yield* keysWithoutBegin(text.length);
}

function hasKey(body: string): boolean {
  return [...body.matchAll(anyRun)].some(
    ([run]) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run),
  );
}

/** Where the lines of a key that end at `end` begin; `end` itself if there are none. */
function startOfLines(text: string, from: number, end: number): number {
  // No further back than the key may begin: the line may be all of the text.
  const startOf = (after: number): number =>
    from + text.slice(from, Math.max(from, after - 1)).lastIndexOf("\n") + 1;
  let after = end;
  for (const isLast of [isMargin, isSum, isRest]) {
    if (isLast.test(text.slice(startOf(after), after))) after = startOf(after);
  }
  let start = end;
  while (after > from && isKeyLine.test(text.slice(startOf(after), after))) {
    after = startOf(after);
    start = after;
  }
  return start;
}
