import { basename, join } from "node:path";
import { generateCorpus } from "../generated/corpus.ts";
import { type Home, pondMain } from "../shared/home.ts";
import { syncHome } from "../shared/importing.ts";
import { median } from "../shared/percentile.ts";
import { type ProgramRun, runProgram } from "../shared/program.ts";
import type { TimeSpent } from "../shared/stopwatch.ts";

/**
 * The cost of a command as a whole process: the median of its time, the mean of the processor's.
 */
type Start = TimeSpent & {
  readonly command: string;
  /** The median of its time divided by that of `node -e 0` just before. */
  readonly ratio: number;
  readonly mostMs: number;
  readonly isMet: boolean;
};

/** Commands that need only the definitions of the commands load nothing else. */
const definitionsMs = 100;
const storeMs = 300;

type Command = { readonly args: readonly string[]; readonly mostMs: number };

export type StartUp = {
  /** Of `node -e 0`. */
  readonly baseline: TimeSpent;
  readonly starts: readonly Start[];
};

/**
 * Measures every command in turn, `runs` times over, so that other work of the machine hits each
 * alike.
 */
export function measureStartUp(
  home: Home,
  { records, runs }: { readonly records: number; readonly runs: number },
): StartUp {
  const shape = { records, recordsPerSession: 90 };
  const corpus = generateCorpus(join(home.folder, "client"), shape);
  syncHome(home, corpus.home);
  const [file = ""] = corpus.files;
  const commands = [...definitions(home), ...overTheStore(basename(file, ".jsonl"))];
  const run = (args: readonly string[]): ProgramRun =>
    runProgram(process.execPath, args, { env: home.env });
  // The code compiled at the first start is kept for the others.
  for (const { args } of commands) run([pondMain, ...args]);
  const baselines: ProgramRun[] = [];
  const timed = commands.map((command) => ({ ...command, pairs: [] as Pair[] }));
  for (let round = 0; round < runs; round += 1) {
    for (const { args, pairs } of timed) {
      const baseline = run(["-e", "0"]);
      baselines.push(baseline);
      pairs.push({ baseline, pond: run([pondMain, ...args]) });
    }
  }
  return { baseline: spent(baselines), starts: timed.map(startOf) };
}

type Pair = { readonly baseline: ProgramRun; readonly pond: ProgramRun };

function startOf({ args, mostMs, pairs }: Command & { readonly pairs: readonly Pair[] }): Start {
  const { wallMs, cpuMs } = spent(pairs.map(({ pond }) => pond));
  const ratio = median(pairs.map(({ baseline, pond }) => pond.wallMs / baseline.wallMs));
  const command = ["pond", ...args.map(shown)].join(" ");
  return { command, wallMs, cpuMs, ratio, mostMs, isMet: wallMs < mostMs };
}

function shown(arg: string): string {
  if (/^[0-9a-f-]{36}$/.test(arg)) return "SESSION";
  return arg === "" ? '""' : arg;
}

function spent(runs: readonly ProgramRun[]): TimeSpent {
  return {
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    cpuMs: runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs.length,
  };
}

/** `--help` of every command, and the completions that need no store. */
function definitions(home: Home): Command[] {
  const paths = (parents: readonly string[]): (readonly string[])[] => [
    parents,
    ...below(home, parents).flatMap((name) => paths([...parents, name])),
  ];
  const helps = paths([]).map((path) => [...path, "--help"]);
  const completions = ["", "se", "--"].map((word) => complete([word]));
  return [...helps, ...completions, ["completions", "bash"]].map((args) => ({
    args,
    mostMs: definitionsMs,
  }));
}

function overTheStore(session: string): Command[] {
  const searches = [
    ["search", "bence", "zan"],
    ["search", '"bence zan"', "--json"],
  ];
  const others = [
    ["list"],
    ["get", session],
    ["status"],
    ["adapters"],
    ["models", "list"],
    complete(["get", ""]),
    complete(["list", "--project", ""]),
  ];
  return [...searches, ...others].map((args) => ({ args, mostMs: storeMs }));
}

function complete(words: readonly string[]): string[] {
  return ["complete", "fish", "--", ...words];
}

/** The commands below one, as its help names them. */
function below(home: Home, parents: readonly string[]): string[] {
  const { stdout } = home.pond(...parents, "--help");
  const list = /^Commands:\n((?: +.*\n?)+)/m.exec(stdout)?.[1] ?? "";
  const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => name !== "help");
}
