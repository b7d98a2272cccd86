import type { Interface } from "node:readline/promises";
import { safeText } from "../output/safe-text.ts";
import { wrapText } from "../output/wrap.ts";

/** Asks a person at a terminal. */
export type Asker = {
  /** Aborted once nobody answers any more: after Ctrl-C or Ctrl-D. */
  readonly closed: AbortSignal;
  /** Asks a question whose default is yes. */
  readonly confirm: (question: string) => Promise<boolean>;
  /**
   * Lets the user choose among numbered things.
   *
   * @param chosen - What Enter chooses.
   * @returns The chosen ones, counted from 0.
   */
  readonly choose: (
    question: string,
    count: number,
    chosen: readonly number[],
  ) => Promise<number[]>;
  readonly close: () => void;
};

type AskerOptions = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Where longer questions are broken. */
  readonly columns: number;
};

/**
 * Makes an asker. Questions are pond's own words, never text of a session. The terminal is taken
 * over with the first question; until then Ctrl-C is a signal.
 */
export function createAsker({ input, output, columns }: AskerOptions): Asker {
  const closed = new AbortController();
  let lines: Interface | undefined;
  const open = async (): Promise<Interface> => {
    const { createInterface } = await import("node:readline/promises");
    const opened = createInterface({ input, output });
    // A question that is left this way ends its line.
    opened.on("close", () => closed.abort());
    return opened;
  };
  const ask = async (question: string): Promise<string> => {
    lines ??= await open();
    // An answer has to fit after it.
    const words = wrapText(safeText(question), columns - 4);
    for (const line of words.slice(0, -1)) output.write(`${line}\n`);
    const { signal } = closed;
    return (await lines.question(`${words.at(-1)} `, { signal })).trim().toLowerCase();
  };
  return {
    closed: closed.signal,
    confirm: async (question) => {
      for (;;) {
        const answer = await ask(`${question} [Y/n]`);
        if (answer === "" || answer === "y" || answer === "yes") return true;
        if (answer === "n" || answer === "no") return false;
        output.write("Please answer y or n.\n");
      }
    },
    choose: async (question, count, chosen) => {
      for (;;) {
        const picked = parseNumbers(await ask(question), count, chosen);
        if (picked !== undefined) return picked;
        output.write(`Please answer with numbers from 1 to ${count}, "all" or "none".\n`);
      }
    },
    close: () => lines?.close(),
  };
}

/**
 * Parses `1,3`, `1 3`, `all`, `none`, or nothing for the default; undefined for anything else.
 *
 * @returns Places, counted from 0, in order.
 */
export function parseNumbers(
  answer: string,
  count: number,
  chosen: readonly number[],
): number[] | undefined {
  if (answer === "") return [...chosen];
  if (answer === "none") return [];
  if (answer === "all") return Array.from({ length: count }, (_, at) => at);
  const numbers = answer
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map(Number);
  const isUsable = numbers.every((each) => Number.isInteger(each) && each >= 1 && each <= count);
  if (!isUsable || numbers.length === 0) return undefined;
  return [...new Set(numbers)].sort((left, right) => left - right).map((each) => each - 1);
}
