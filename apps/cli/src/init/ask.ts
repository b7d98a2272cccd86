import type { Interface } from "node:readline/promises";

/** Asks a person at a terminal. */
export type Asker = {
  /** A question with yes as its default. */
  readonly confirm: (question: string) => Promise<boolean>;
  /**
   * Lets choose among numbered things.
   *
   * @param chosen - Those that Enter takes.
   * @returns The chosen ones, counted from 0.
   */
  readonly choose: (
    question: string,
    count: number,
    chosen: readonly number[],
  ) => Promise<number[]>;
  readonly close: () => void;
};

type Streams = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
};

/** What is asked are pond's own words, never text of a session. */
export async function createAsker({ input, output }: Streams): Promise<Asker> {
  const { createInterface } = await import("node:readline/promises");
  const lines: Interface = createInterface({ input, output });
  const left = new AbortController();
  // After Ctrl-C or Ctrl-D nobody answers any more.
  lines.on("close", () => left.abort());
  const ask = async (question: string): Promise<string> => {
    const { signal } = left;
    return (await lines.question(question, { signal })).trim().toLowerCase();
  };
  return {
    confirm: async (question) => {
      for (;;) {
        const answer = await ask(`${question} [Y/n] `);
        if (answer === "" || answer === "y" || answer === "yes") return true;
        if (answer === "n" || answer === "no") return false;
      }
    },
    choose: async (question, count, chosen) => {
      for (;;) {
        const picked = parseNumbers(await ask(`${question} `), count, chosen);
        if (picked !== undefined) return picked;
      }
    },
    close: () => lines.close(),
  };
}

/**
 * `1,3`, `1 3`, `all`, `none`, or nothing for the default; undefined for anything else.
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
