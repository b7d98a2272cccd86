const safeLink = /\]\((?:https?:\/\/|mailto:)[^\s()<>&\\`]{1,2000}\)/iy;

/** The Markdown of one block without tags, images, definitions and links except to the web. */
export function sanitizeInline(text: string): string {
  const endOfSpan = codeSpans(text);
  const pieces: string[] = [];
  // Viewers that turn addresses into links take a backslash after one for a part of it.
  let isAddress = false;
  for (let at = 0; at < text.length; ) {
    const next = text.charAt(at + 1);
    let read = 1;
    let written: string | undefined;
    switch (text.charAt(at)) {
      case "\\":
        if (next !== "\n") read = 2;
        break;
      case "`":
        read = endOfSpan(at) - at;
        break;
      case "<":
        written = isAddress ? "&lt;" : "\\<";
        break;
      case "!":
        if (next !== "[") break;
        read = 2;
        written = "!\\[";
        break;
      case "]":
        if ((next === "(" || next === ":") && !isSafeLink(text, at)) written = "\\]";
        break;
    }
    const source = text.slice(at, at + read);
    isAddress = text.startsWith("://", at) || (isAddress && !/\s/.test(source));
    pieces.push(written ?? source);
    at += read;
  }
  return pieces.join("");
}

function isSafeLink(text: string, at: number): boolean {
  safeLink.lastIndex = at;
  return safeLink.test(text);
}

/** Finds the end of the code span that starts at a backtick; without one, the end of the run. */
function codeSpans(text: string): (start: number) => number {
  const runs = new Map<number, number[]>();
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const starts = runs.get(run.length) ?? [];
    starts.push(index);
    runs.set(run.length, starts);
  }
  // The latest first: starts are asked for in order and popped off the end once they are passed.
  for (const starts of runs.values()) starts.reverse();
  return (start) => {
    let after = start;
    while (text[after] === "`") after += 1;
    const starts = runs.get(after - start) ?? [];
    while ((starts.at(-1) ?? Number.POSITIVE_INFINITY) < after) starts.pop();
    const close = starts.at(-1);
    return close === undefined ? after : close + after - start;
  };
}
