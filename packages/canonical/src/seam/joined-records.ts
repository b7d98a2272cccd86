/** A part of a line that should have been a line of its own. */
export type LineFragment = {
  readonly from: number;
  readonly end: number;
  /** False for a record that was cut off, and for anything that is not a record. */
  readonly isWhole: boolean;
};

/**
 * Finds the records that stand on one line. Two clients that write at once leave two on it; a
 * client that was killed leaves a record cut off, and the next one begins right after it. Nothing
 * inside a record is taken for a record. A whole record begins at the start of the line, after
 * another whole record, or right where the one before it stops being JSON; it ends where the line
 * or the record itself ends.
 */
export function splitJoinedRecords(text: string): readonly LineFragment[] {
  const fragments: LineFragment[] = [];
  let isAfterBroken = false;
  for (let from = spaceEnd(text, 0); from < text.length; ) {
    const { end, isWhole, isJson = isWhole } = objectEnd(text, from);
    const next = spaceEnd(text, isWhole ? end : nextRecordStart(text, from, end));
    // A record that was cut off has no end. If an end follows, the record in front of it was a part
    // of it.
    if (isWhole && isAfterBroken && !isRecordBoundary(text, next)) {
      return [...fragments, { from, end: text.length, isWhole: false }];
    }
    const before = isJson ? undefined : fragments.at(-1);
    // Consecutive broken bytes form one fragment, because there may be millions of them.
    if (before && !before.isWhole) fragments[fragments.length - 1] = { ...before, end: next };
    else fragments.push({ from, end: isJson ? end : next, isWhole: isJson });
    isAfterBroken ||= !isWhole;
    from = next;
  }
  return fragments;
}

/** True if the line ends here, another record begins, or zeros stand for what was not written. */
function isRecordBoundary(text: string, at: number): boolean {
  return at === text.length || text[at] === "{" || text[at] === "\0";
}

/**
 * Where the next record begins after one that stops being JSON at `at`; the end of the text if none
 * does. The first quote of a record ends a string that was cut off, which shows two characters
 * after the record's beginning. Zeros may stand in front of the record.
 */
function nextRecordStart(text: string, from: number, at: number): number {
  let afterZeros = at;
  while (text[afterZeros] === "\0") afterZeros++;
  const places = [afterZeros, at - 2];
  return places.find((place) => place > from && text.startsWith('{"', place)) ?? text.length;
}

/** Where something ends, or where it stops being valid. */
type End = {
  readonly end: number;
  readonly isWhole: boolean;
  /** False for an object that ends but contains a word that is not JSON. */
  readonly isJson?: boolean;
};

function objectEnd(text: string, from: number): End {
  if (text[from] !== "{") return { end: from, isWhole: false };
  let isJson = true;
  /** The closing character of each object and array that is open. */
  const open: string[] = [];
  let at = from;
  for (;;) {
    at = spaceEnd(text, at);
    if (open.at(-1) === "}") {
      const key = stringEnd(text, at);
      if (!key.isWhole) return key;
      at = spaceEnd(text, key.end);
      if (text[at] !== ":") return { end: at, isWhole: false };
      at = spaceEnd(text, at + 1);
    }
    if (text[at] === "{" || text[at] === "[") {
      open.push(text[at] === "{" ? "}" : "]");
      at = spaceEnd(text, at + 1);
      if (text[at] !== open.at(-1)) continue;
    } else {
      const value = text[at] === '"' ? stringEnd(text, at) : wordEnd(text, at);
      if (!value.isWhole) return value;
      isJson &&= value.isJson ?? true;
      at = spaceEnd(text, value.end);
    }
    for (; text[at] === open.at(-1); at = spaceEnd(text, at)) {
      open.pop();
      at++;
      if (open.length === 0) return { end: at, isWhole: true, isJson };
    }
    if (text[at] !== ",") return { end: at, isWhole: false };
    at++;
  }
}

function stringEnd(text: string, from: number): End {
  if (text[from] !== '"') return { end: from, isWhole: false };
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return { end: at + 1, isWhole: true };
    if (code < firstPrintable) return { end: at, isWhole: false };
    if (code !== backslash) continue;
    at++;
    if (!escapable.has(text[at] ?? "")) return { end: at, isWhole: false };
    if (text[at] !== "u") continue;
    const digits = text.slice(at + 1, at + 5).search(/[^\da-f]|$/i);
    if (digits < 4) return { end: at + 1 + digits, isWhole: false };
    at += 4;
  }
  return { end: text.length, isWhole: false };
}

function wordEnd(text: string, from: number): End {
  let end = from;
  while (/[\w.+-]/.test(text[end] ?? "")) end++;
  // For a longer word the parser decides: a regular expression would take long, too.
  const isJson = end - from > maxWordLength || word.test(text.slice(from, end));
  return { end, isWhole: end > from, isJson };
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const maxWordLength = 999;

function spaceEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && " \t\r\n".includes(text[end] ?? "")) end++;
  return end;
}

const escapable = new Set('"\\/bfnrtu');
const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
