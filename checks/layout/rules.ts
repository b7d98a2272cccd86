import type { Recording } from "./terminal.ts";

/** The number of cells that a terminal gives to a character; 1 if it was not asked. */
export type Cells = ReadonlyMap<string, number>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const styles = /\x1b\[(\d+)m/g;
/** The codes that draw live lines: lines up, a column, erase to the end of line or screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const drawingCodes = /\x1b\[(?:\d+A|[CJK])/g;
/** The codes of readline's questions: to a column, erase from there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const questionCodes = /\x1b\[(?:\d+G|0?J|0?K)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Lines that are wider than the terminal and were broken by it. */
export function brokenLines({ lines, whole }: Recording): string[] {
  const packed = (text: string): string => text.replaceAll(" ", "");
  let at = 0;
  return whole.filter((line) => {
    let text = lines[at++] ?? "";
    if (packed(text) === packed(line)) return false;
    while (at < lines.length && packed(text) !== packed(line)) text += lines[at++];
    return true;
  });
}

/** Received characters that are neither text nor codes that pond draws with. */
export function strayControls(
  { bytes }: Recording,
  { isColored, isLive }: { readonly isColored: boolean; readonly isLive: boolean },
): string[] {
  let text = bytes.replaceAll("\r\n", "\n");
  if (isColored) text = text.replaceAll(styles, "");
  if (isLive)
    text = text.replaceAll(drawingCodes, "").replaceAll(questionCodes, "").replaceAll("\r", "\n");
  return text.split("\n").filter((line) => controls.test(line));
}

/** The styles that each end code ends. */
const stylesByEndCode: ReadonlyMap<string, RegExp> = new Map([
  ["22", /^[12]$/],
  ["27", /^7$/],
  ["39", /^3\d$/],
]);

/** Lines after which a style is still on. */
export function linesWithOpenStyle({ bytes }: Recording): string[] {
  return bytes.split("\n").filter((line) => {
    const on = new Set<string>();
    for (const [, code = ""] of line.matchAll(styles)) {
      const ended = stylesByEndCode.get(code);
      if (ended === undefined) on.add(code);
      else for (const each of on) if (ended.test(each)) on.delete(each);
    }
    return on.size > 0;
  });
}

/** The widest line among those that were drawn over. */
export function widestDrawn({ bytes }: Recording, cells: Cells): number {
  const drawn = bytes.slice(0, bytes.lastIndexOf("\x1b[J"));
  const lines = drawn
    .replaceAll(styles, "")
    .replaceAll(drawingCodes, "")
    .split(/[\r\n]+/);
  return Math.max(...lines.map((line) => toCells(line, cells).length));
}

const titles = /^ *[#+A-Z]+(?: [A-Z]+)*(?: {2,}[+A-Z]+(?: [A-Z]+)*)+$/;

/** The tables on a screen, each with its titles first. */
export function tablesOf(lines: readonly string[]): string[][] {
  return lines.flatMap((line, at) => {
    if (!titles.test(line)) return [];
    const rows = lines.slice(at + 1);
    const end = rows.findIndex((row) => /^$|^\S+ itself|^and |^\d+ sessions?\./.test(row));
    return [[line, ...(end < 0 ? rows : rows.slice(0, end))]];
  });
}

/** Rows of a table in which a cell is not below its title. */
export function shiftedRows([head = "", ...rows]: readonly string[], cells: Cells): string[] {
  const places = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({
    start: index,
    end: index + title.length,
  }));
  return rows.filter((row) => {
    const rowCells = toCells(row, cells);
    const isBlank = (from: number, to: number): boolean =>
      rowCells.slice(Math.max(0, from), to).every((cell) => cell === " ");
    return places.some(({ start, end }, at) => {
      const before = places[at - 1]?.end ?? 0;
      const after = places[at + 1]?.start ?? rowCells.length;
      const isLeft = isBlank(start - 2, start) && !isBlank(start, start + 1);
      const isEnd = at < places.length - 1 ? isBlank(end, end + 2) : rowCells.length === end;
      const isRight = isEnd && !isBlank(end - 1, end);
      return !isLeft && !isRight && !isBlank(before, after);
    });
  });
}

/** One character for each cell; nothing for the second cell of a wide character. */
function toCells(text: string, cells: Cells): string[] {
  return [...text].flatMap((character) => {
    const count = cells.get(character) ?? 1;
    return count === 0 ? [] : [character, ...Array.from({ length: count - 1 }, () => "")];
  });
}

/** The characters whose width the terminal has to be asked for. */
export function nonAsciiIn(recordings: readonly Recording[]): string[] {
  const text = recordings.map(({ bytes }) => bytes).join("");
  return [...new Set(text)].filter((character) => (character.codePointAt(0) ?? 0) > 0x7e);
}
