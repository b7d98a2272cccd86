/** A fenced block of a page. */
export type Block = {
  /** The number of the first line inside, counted from 1. */
  readonly line: number;
  /** The position at which its text begins. */
  readonly start: number;
  readonly text: string;
  readonly language: string;
  /** Why it cannot be run here; undefined if it can. */
  readonly notRun: string | undefined;
};

/** A command of a `console` block, and what the page says it prints. */
export type Step = { readonly command: string; readonly expected: readonly string[] };

const block = /^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm;

/** @throws {Error} for a fence that nothing would run. */
export function blocksOf(page: string): Block[] {
  const blocks = [...page.matchAll(block)].map((match) => {
    const [whole, language = "", info = "", text = ""] = match;
    const start = match.index + whole.indexOf("\n") + 1;
    const line = page.slice(0, start).split("\n").length;
    const notRun = /^not-run: (.+)$/.exec(info)?.[1];
    if (info !== "" && notRun === undefined) {
      throw new Error(`line ${line - 1}: "${info}" is not "not-run: REASON"`);
    }
    return { line, start, text, language, notRun };
  });
  if (page.split(/^ *```/m).length - 1 !== blocks.length * 2) {
    throw new Error("a fence is indented, open, or of more than three signs");
  }
  return blocks;
}

/** `$ ` begins a command, `> ` continues it, and the rest is its output. */
export function stepsOf(text: string): Step[] {
  const steps: { command: string; expected: string[] }[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const step = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), expected: [] });
    else if (step === undefined) throw new Error(`"${line}" comes before a command`);
    else if (line.startsWith("> ") && step.expected.length === 0) {
      step.command += `\n${line.slice(2)}`;
    } else step.expected.push(line);
  }
  return steps;
}

/** The text of a `console` block of these steps. */
export function textOf(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ command, expected }) => [
    ...command.split("\n").map((line, at) => `${at === 0 ? "$" : ">"} ${line}`),
    ...expected,
  ]);
  return `${lines.join("\n")}\n`;
}
