import { attachedFilesStart, type Span } from "@pond/canonical/adapter";
import {
  directiveMark,
  injectedTags,
  markedTags,
  midTurnMarks,
  pasteMarks,
  peerRemark,
  planMarks,
  settingsCommands,
  textRules,
  typedTags,
} from "./provenance.ts";
import { cutWorkflow } from "./workflow-frames.ts";

/**
 * Cuts a user text where the harness and the human meet (spec 6.5, rule 1). The spans cover the
 * text; white space between the two goes to the harness.
 *
 * A human can paste any of these tags. So a tag counts only at the very start (a reminder or a file
 * of an editor also at the very end) and only if it is closed. Text that the client says was pasted
 * may be anywhere.
 */
export function cutText(text: string, planContent?: string): readonly Span[] {
  const rule = textRules.find(([, holds]) => holds(text));
  if (rule) return [{ end: text.length, kind: rule[0] }];
  const cut = cutPlan(text, planContent) ?? cutMidTurn(text) ?? cutWorkflow(text);
  return cutPastes(text, cut ?? cutTags(text));
}

/**
 * Cuts a prompt that another client copied out of a session. Only its words decide, because what
 * the client said about it is missing.
 */
export function splitClaudeCodePrompt(text: string): readonly Span[] {
  return cutText(text);
}

function cutTags(text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  const before: Element[] = [];
  for (let found = elementAt(text, at); found; found = elementAt(text, at)) {
    const writer = writerOf(found, before, text);
    if (writer === undefined) break;
    if (writer === "human" && text.slice(found.innerStart, found.innerEnd).trim() !== "") {
      addSpan(spans, { end: found.innerStart, kind: found.tag });
      addSpan(spans, { end: found.innerEnd, kind: undefined });
    }
    at = skipRemark(text, skipSpace(text, found.end), found.tag);
    addSpan(spans, { end: at, kind: found.tag });
    before.push(found);
  }
  const tail = trailingReminders(text, at);
  const typedEnd = at + attachedFilesStart(text.slice(at, tail));
  if (typedEnd > at) addSpan(spans, { end: typedEnd, kind: undefined });
  if (tail > typedEnd) addSpan(spans, { end: tail, kind: "context" });
  if (text.length > tail) addSpan(spans, { end: text.length, kind: "system-reminder" });
  return spans.length === 0 ? [{ end: text.length, kind: undefined }] : spans;
}

/** Who wrote the content of an element; undefined if the harness writes no such element here. */
function writerOf(
  { tag, start }: Element,
  before: readonly Element[],
  text: string,
): "harness" | "human" | undefined {
  if (injectedTags.includes(tag)) return "harness";
  const mark = Object.hasOwn(markedTags, tag) ? markedTags[tag] : undefined;
  if (mark?.test(text.slice(start))) return "harness";
  const predecessors = Object.hasOwn(typedTags, tag) ? typedTags[tag] : undefined;
  if (predecessors?.length === 0) return "human";
  const first = before.find((element) => predecessors?.includes(element.tag));
  if (first === undefined) return undefined;
  // A skill puts its message first, so it may have the name of a setting.
  const isBuiltIn = first.tag === "command-name";
  const isSetting = settingsCommands.includes(text.slice(first.innerStart, first.innerEnd));
  return isBuiltIn && isSetting ? "harness" : "human";
}

/** Skips what the harness says after an element of its own. */
function skipRemark(text: string, at: number, tag: string): number {
  if (text.startsWith(peerRemark, at)) return text.length;
  if (tag === "task-notification" && namesFile(text.slice(at))) return text.length;
  const isDirective = tag === "fork-boilerplate" && text.startsWith(directiveMark, at);
  return isDirective ? at + directiveMark.length : at;
}

/**
 * True for one line that names the file with the full output, which some builds add to a
 * notification.
 */
function namesFile(text: string): boolean {
  // Many elements in a row are not searched from each one on.
  if (text.startsWith("<")) return false;
  const line = text.trimEnd();
  return !line.includes("\n") && /\boutput file\b|^Full transcript available at: /i.test(line);
}

/** Adjacent spans of the harness become one, named by the first. */
function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last?.kind !== undefined && span.kind !== undefined) {
    spans[spans.length - 1] = { end: span.end, kind: last.kind };
  } else {
    spans.push(span);
  }
}

type Element = {
  readonly tag: string;
  readonly start: number;
  readonly innerStart: number;
  readonly innerEnd: number;
  readonly end: number;
};

// The summary of a teammate's message may hold an arrow. Bounded, because each repetition takes
// memory.
const openTag = /<([a-z][a-z_-]*)(?:(?:\s+[\w-]+="[^"]*"){1,20}\s*|\s[^<>]*)?>/y;

/** The closed element that begins exactly at `at`. */
function elementAt(text: string, at: number): Element | undefined {
  if (text.charCodeAt(at) !== 60) return undefined;
  openTag.lastIndex = at;
  const tag = openTag.exec(text)?.[1];
  if (tag === undefined) return undefined;
  const innerStart = openTag.lastIndex;
  const close = `</${tag}>`;
  const innerEnd = text.indexOf(close, innerStart);
  if (innerEnd < 0) return undefined;
  return { tag, start: at, innerStart, innerEnd, end: innerEnd + close.length };
}

const openReminder = "<system-reminder>";
const closeReminder = "</system-reminder>";

/**
 * Where the reminders at the end of `text` begin, including white space; its length if there are
 * none.
 */
function trailingReminders(text: string, from: number): number {
  let end = text.length;
  for (;;) {
    const trimmed = text.slice(from, end).trimEnd();
    if (!trimmed.endsWith(closeReminder)) return end;
    const open = trimmed.lastIndexOf(openReminder);
    const before = trimmed.slice(0, Math.max(open, 0));
    const isClosedOnce =
      trimmed.indexOf(closeReminder, open) === trimmed.length - closeReminder.length;
    const typed = before.trimEnd();
    if (open < 0 || !isClosedOnce || !before.slice(typed.length).includes("\n")) return end;
    end = from + typed.length;
  }
}

/** Cuts the lines that the client put around pasted text out of the human's spans. */
function cutPastes(text: string, spans: readonly Span[]): readonly Span[] {
  const cut: Span[] = [];
  let from = 0;
  for (const span of spans) {
    const rest = span.kind === undefined ? addPastes(cut, text, from, span.end) : from;
    if (span.end > rest || text === "") addSpan(cut, span);
    from = span.end;
  }
  return cut;
}

/** Adds everything up to the last line of the last paste. @returns where that ends. */
function addPastes(spans: Span[], text: string, from: number, to: number): number {
  let at = from;
  for (;;) {
    const paste = pasteIn(text.slice(at, to));
    if (paste === undefined) return at;
    if (paste.start > 0) addSpan(spans, { end: at + paste.start, kind: undefined });
    addSpan(spans, { end: at + paste.innerStart, kind: paste.tag });
    if (paste.innerEnd > paste.innerStart) {
      addSpan(spans, { end: at + paste.innerEnd, kind: undefined });
    }
    at += paste.end;
    addSpan(spans, { end: at, kind: paste.tag });
  }
}

/** The first paste in `text`, with the empty lines around it. */
function pasteIn(text: string): Element | undefined {
  const open = pasteMarks.open.exec(text);
  if (open?.[1] === undefined) return undefined;
  const close = pasteMarks.close(open[1]);
  const innerStart = open.index + open[0].length;
  const innerEnd = text.indexOf(close, innerStart);
  if (innerEnd < 0) return undefined;
  const closeEnd = innerEnd + close.length;
  const end = skipSpace(text, closeEnd);
  // The last line ends with its mark.
  const isLine = end === text.length || text.slice(closeEnd, end).startsWith("\n");
  return isLine
    ? { tag: "pasted_content", start: open.index, innerStart, innerEnd, end }
    : undefined;
}

/** The plan that a human approved, between the two sentences that the harness puts around it. */
function cutPlan(text: string, planContent: string | undefined): readonly Span[] | undefined {
  const { prefix, transcript } = planMarks;
  if (!text.startsWith(prefix)) return undefined;
  const end = planEnd(text, planContent);
  if (end === undefined || end <= prefix.length) return undefined;
  const head: Span[] = [
    { end: prefix.length, kind: "plan" },
    { end, kind: undefined },
  ];
  return end === text.length ? head : [...head, { end: text.length, kind: "plan" }];

  function planEnd(whole: string, plan: string | undefined): number | undefined {
    if (plan !== undefined && whole.startsWith(plan, prefix.length)) {
      return prefix.length + plan.length;
    }
    const sentence = whole.lastIndexOf(transcript);
    const paragraph = sentence < 0 ? -1 : whole.lastIndexOf("\n\n", sentence);
    // Older builds do not repeat the plan in a field: the last paragraph is then the harness's.
    return paragraph < prefix.length ? undefined : paragraph;
  }
}

/** What a human typed while the model worked, between two sentences of the harness. */
function cutMidTurn(text: string): readonly Span[] | undefined {
  const { prefix, remark } = midTurnMarks;
  const end = text.startsWith(prefix) ? text.lastIndexOf(remark) : -1;
  if (end <= prefix.length) return undefined;
  return [
    { end: prefix.length, kind: "mid-turn" },
    { end, kind: undefined },
    { end: text.length, kind: "mid-turn" },
  ];
}

function skipSpace(text: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  space.exec(text);
  return space.lastIndex;
}
