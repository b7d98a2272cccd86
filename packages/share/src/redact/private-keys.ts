import type { Hit } from "./hit.ts";

const rule = "private-key";
const everyBegin =
  /-{4,5} ?BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\bPrivate-Lines: \d{1,4}/g;
/** PuTTY has a count of lines in front of its keys, and nothing behind them: an end is another's. */
const ofPutty = /^P/;
const everyEnd = /-{4,5} ?END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** No key is longer. */
const longest = 20_000;
// Lines of a key, whatever stands between them: breaks, escaped ones, the numbers of a listing.
const lines =
  /(?:[^A-Za-z0-9+/]{0,16}(?:[nr][^A-Za-z0-9+/]{0,8})?(?:\d{1,6}\W{1,3})?[A-Za-z0-9+/]{16,}={0,2}){1,1000}/y;
// Code that names both markers has none of these between them.
const anyRun = /[A-Za-z0-9+/]{16,}/g;
const isKeyLine = /^(?:\s*\d{1,6}\W{1,3})?[\s>|#*]*[A-Za-z0-9+/]{16,}={0,2}\s*$/;

/** Blocks of private keys, also where their end or their beginning was cut away. */
export function* privateKeys(text: string): Generator<Hit> {
  const ends = [...text.matchAll(everyEnd)];
  let nextEnd = 0;
  let free = 0;
  const cutEnd = function* (until: number): Generator<Hit> {
    for (; nextEnd < ends.length; nextEnd += 1) {
      const end = ends[nextEnd];
      if (end === undefined || end.index >= until) return;
      if (end.index < free) continue;
      const after = end.index + end[0].length;
      const start = startOfLines(text, Math.max(free, end.index - longest), end.index);
      free = after;
      if (start < end.index) yield { start, end: after, rule };
    }
  };
  for (const { index, 0: begin } of text.matchAll(everyBegin)) {
    if (index < free) continue;
    yield* cutEnd(index);
    const body = index + begin.length;
    const end = ofPutty.test(begin) ? undefined : ends[nextEnd];
    if (end !== undefined && end.index - body <= longest) {
      free = end.index + end[0].length;
      if (hasKey(text.slice(body, end.index))) yield { start: index, end: free, rule };
      continue;
    }
    lines.lastIndex = body;
    const found = lines.exec(text);
    if (found === null || !hasKey(found[0])) continue;
    free = body + found[0].length;
    yield { start: index, end: free, rule };
  }
  yield* cutEnd(text.length);
}

function hasKey(body: string): boolean {
  return [...body.matchAll(anyRun)].some(
    ([run]) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run),
  );
}

/** Where the lines of a key begin that end at `end`. */
function startOfLines(text: string, from: number, end: number): number {
  let start = end;
  while (start > from) {
    const before = text.lastIndexOf("\n", start - 2) + 1;
    const line = text.slice(Math.max(before, from), start);
    if (!isKeyLine.test(line)) break;
    start = Math.max(before, from);
  }
  return start;
}
