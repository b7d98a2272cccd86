import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratedCorpus } from "../generated/corpus.ts";
import { type Home, pondMain } from "../shared/home.ts";
import { type ProgramRun, runProgram } from "../shared/program.ts";
import { type Query, queriesFrom } from "./queries.ts";

/** What everybody works on. */
export type Bench = {
  readonly home: Home;
  readonly corpus: GeneratedCorpus;
  readonly queries: readonly Query[];
  /** Runs a program in the home of the client whose sessions it reads. */
  readonly run: (file: string, args: readonly string[], allowed?: readonly number[]) => ProgramRun;
  readonly pond: (...args: readonly string[]) => ProgramRun;
};

export function benchOf(home: Home, corpus: GeneratedCorpus): Bench {
  const cache = join(home.folder, "cache", "codeburn");
  const env = { ...home.env, CLAUDE_CONFIG_DIR: corpus.home, CODEBURN_CACHE_DIR: cache };
  const run: Bench["run"] = (file, args, allowed = [0]) =>
    runProgram(file, args, { env, cwd: corpus.home, allowed });
  // It has no flag that keeps it from fetching prices, but takes those it fetched today.
  mkdirSync(cache, { recursive: true });
  const prices = { timestamp: Date.now(), data: {} };
  writeFileSync(join(cache, "litellm-pricing.json"), JSON.stringify(prices));
  return {
    ...{ home, corpus, run },
    queries: queriesFrom(corpus.files.slice(-20)),
    pond: (...args) => run(process.execPath, [pondMain, ...args]),
  };
}
