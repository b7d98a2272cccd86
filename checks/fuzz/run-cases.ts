import { Random } from "../chaos/random.ts";
import type { Coverage } from "./coverage.ts";
import type { Input, Target } from "./target.ts";

export type RunOptions = {
  readonly cases: number;
  readonly seed: number;
  /** A separate folder for files. */
  readonly scratch: string;
  /** If given, inputs that reach new code are kept and built on. */
  readonly coverage?: Coverage | undefined;
  /** Called before each case, for a watchdog. */
  readonly onCase?: (done: number) => void;
};

/** A promise that some input breaks. */
type Found = { readonly input: Input; readonly message: string };

export type RunResult = {
  readonly cases: number;
  /** Inputs that were built on. */
  readonly corpus: number;
  /** One failure for each message, with the first input that gave it. */
  readonly found: readonly Found[];
};

/** How many cases run before their coverage is read. */
const batchSize = 64;

/** Runs cases that all derive from the seed. */
export async function runCases(
  target: Target,
  { cases, seed, scratch, coverage, onCase }: RunOptions,
): Promise<RunResult> {
  const random = new Random(seed);
  const corpus = [...(await target.seeds())];
  const found = new Map<string, Found>();
  const run = async (input: Input): Promise<void> => {
    const message = await problemOf(target, input, scratch);
    const name = message?.replaceAll(/\d+/g, "N").slice(0, 160);
    if (message === undefined || name === undefined || found.has(name)) return;
    found.set(name, { input, message });
  };
  for (const input of corpus) await run(input);
  coverage?.isNew();
  for (let done = 0; done < cases; ) {
    const batch: Input[] = [];
    const base = corpus[random.below(corpus.length)] ?? new Map();
    for (; batch.length < batchSize && done < cases; done++) {
      onCase?.(done);
      const input = target.mutate(base, random);
      batch.push(input);
      await run(input);
    }
    if (!coverage?.isNew()) continue;
    for (const input of batch) {
      coverage.forget();
      await problemOf(target, input, scratch);
      if (coverage.isNewer()) corpus.push(input);
    }
  }
  return { cases, corpus: corpus.length, found: [...found.values()] };
}

async function problemOf(
  target: Target,
  input: Input,
  scratch: string,
): Promise<string | undefined> {
  try {
    await target.run(input, scratch);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  const polluted = Object.keys(Object.prototype).concat(Object.keys(Array.prototype));
  return polluted.length > 0 ? `the prototype has ${polluted}` : undefined;
}
