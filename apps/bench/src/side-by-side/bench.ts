import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratedCorpus } from "../generated/corpus.ts";
import { type Home, pondMain } from "../shared/home.ts";
import { type ProgramRun, runProgram } from "../shared/program.ts";
import { type Query, queriesFrom } from "./queries.ts";

/** The sessions and queries that every contender gets, and how a program runs on them. */
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
  // It has no flag to stop it from fetching prices, but it takes those that it fetched today.
  mkdirSync(cache, { recursive: true });
  const prices = { timestamp: Date.now(), data: {} };
  writeFileSync(join(cache, "litellm-pricing.json"), JSON.stringify(prices));
  return {
    ...{ home, corpus, run },
    queries: queriesFrom(corpus.files.slice(-20)),
    pond: (...args) => run(process.execPath, [pondMain, ...args]),
  };
}
