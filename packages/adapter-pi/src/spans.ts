import type { Span, TextSplitter } from "@pond/canonical/adapter";

/**
 * A prompt, without the body of a skill, the contents of files named on the command line, and the
 * client's notes about images after it.
 */
export const cutPrompt: TextSplitter = (text) => {
  const notes = imageNotes.exec(text);
  if (notes === null) return cutSkillOrFiles(text);
  const prompt = text.slice(0, notes.index);
  const spans = prompt === "" ? [] : cutSkillOrFiles(prompt);
  return [...spans, { end: text.length, kind: "image" }];
};

const cutSkillOrFiles: TextSplitter = (text) => cutSkillBlock(text) ?? cutFiles(text);

/** The client's notes about an image that it made smaller, converted, or left out. */
const imageNote =
  /\[Image(?:: original \d+x\d+, displayed at \d+x\d+\. Multiply coordinates by [\d.]+ to map to original image| converted from [^\]\n]{1,99} to [^\]\n]{1,99}| omitted: [^\]\n]{1,99})\.\]/;
const notesInLines = `${imageNote.source}(?:\\n${imageNote.source})*`;
const imageNotes = new RegExp(`\\n\\n${notesInLines}$`);
const imageNotesAlone = new RegExp(`^${notesInLines}$`);

/**
 * A prompt in the log of a sub-agent: what omp tells an agent that stopped too early is its own.
 */
export const cutReminder: TextSplitter = (text) =>
  isReminder(text.trim()) ? [{ end: text.length, kind: "agent" }] : cutPrompt(text);

function isReminder(text: string): boolean {
  const end = "</system-reminder>";
  const isWhole = text.startsWith("<system-reminder>") && text.endsWith(end);
  return isWhole && text.indexOf(end) === text.lastIndexOf(end);
}

/** As the client itself finds the block: the arguments follow an empty line. */
const skillBlock = /^<skill name="[^"]+" location="[^"]+">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/;

function cutSkillBlock(text: string): readonly Span[] | undefined {
  if (!text.startsWith('<skill name="')) return undefined;
  const match = skillBlock.exec(text);
  if (match === null) return undefined;
  return spansOf(text, [[0, text.length - (match[1]?.length ?? 0)]], "skill");
}

/**
 * The arguments that a user gave a skill are in the text that was made of both, mostly unchanged.
 */
export function cutSkill(text: string, args: string): readonly Span[] {
  const at = text.lastIndexOf(args);
  const from = at < 0 ? reformattedArgsStart(text, args) : at;
  if (from === undefined) return [{ end: text.length, kind: "skill-prompt" }];
  const end = at < 0 ? text.length : at + args.length;
  const injected: readonly Range[] = [
    [0, from],
    [end, text.length],
  ];
  return spansOf(text, injected, "skill-prompt");
}

/**
 * Where the arguments begin that omp formatted with the rest of the text: it removes spaces, empty
 * lines and dashes of tables.
 */
function reformattedArgsStart(text: string, args: string): number | undefined {
  const wanted = withoutLayout(args);
  let from = text.length;
  let tail = "";
  // The words of the user and of the skill may hold the mark, too.
  for (const piece of text.split(argumentsMark).slice(1).reverse()) {
    from -= piece.length;
    tail = `${withoutLayout(piece)}${tail}`;
    if (tail === wanted) return from;
    from -= argumentsMark.length;
    tail = `${withoutLayout(argumentsMark)}${tail}`;
  }
  return undefined;
}

const argumentsMark = "\nUser: ";

function withoutLayout(text: string): string {
  return text.replace(/[\s-]+/g, "");
}

/**
 * Files named on the command line come one after the other; before them what came from standard
 * input, after them the prompt, with nothing in between. Only absolute paths are written like this.
 */
function cutFiles(text: string): readonly Span[] {
  const first = text.search(fileStart);
  if (first < 0) return [{ end: text.length, kind: undefined }];
  let at = first;
  for (let end = fileEnd(text, at); end > at; end = fileEnd(text, at)) at = end;
  return spansOf(text, [[first, at]], "file");
}

const fileStart = /<file name="(?:\/|[A-Za-z]:[\\/])[^"\n]*">/;
const fileStartHere = new RegExp(fileStart.source, "y");

/**
 * Where the file element that begins at `at` ends, including its line end; `at` if there is none.
 */
function fileEnd(text: string, at: number): number {
  fileStartHere.lastIndex = at;
  const open = fileStartHere.exec(text);
  if (open === null) return at;
  const inner = at + open[0].length;
  // An image has at most notes, from the same line on; a text has lines of its own.
  const close = text.charCodeAt(inner) === 10 ? "\n</file>\n" : "</file>\n";
  const end = text.indexOf(close, inner);
  if (end < 0) return at;
  const content = text.slice(inner, end);
  const isImage = !content.includes("\n") || imageNotesAlone.test(content);
  return close.length === 8 && !isImage ? at : end + close.length;
}

type Range = readonly [from: number, end: number];

function spansOf(text: string, injected: readonly Range[], kind: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const [from, end] of injected) {
    if (end <= from) continue;
    if (from > at) spans.push({ end: from, kind: undefined });
    spans.push({ end, kind });
    at = end;
  }
  if (at < text.length || spans.length === 0) spans.push({ end: text.length, kind: undefined });
  return spans;
}
