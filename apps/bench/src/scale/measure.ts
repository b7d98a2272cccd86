import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import {
  type GeneratedCorpus,
  generateCorpus,
  growSession,
  promptsOf,
} from "../generated/corpus.ts";
import { Home, type Run } from "../shared/home.ts";
import { messagesOf, parseCorpus, syncHome } from "../shared/importing.ts";
import { median } from "../shared/percentile.ts";
import { runProgram } from "../shared/program.ts";
import type { TimeSpent } from "../shared/stopwatch.ts";
import { measureWarm } from "./warm.ts";

/** The cost of one operation. */
export type Cost = TimeSpent & {
  readonly operation: Operation;
  /** Of the process; left out if it is not one of pond's own. */
  readonly peakMb?: number;
};

/** What was measured at one size. */
export type ScaleRun = {
  readonly messages: number;
  readonly sessions: number;
  readonly sourceBytes: number;
  readonly costs: readonly Cost[];
};

/**
 * How fast each cost may grow: cost ~ messages ^ slope. 1 if the work is as large as the store;
 * 0.1, like the height of a tree, if it is not; and for a search what the bars of 15 ms at 100,000
 * and 30 at a million leave.
 */
export const mostSlope = {
  "read and JSON.parse the source": 1,
  "first import": 1,
  "no-op sync": 1,
  "one session grown": 1,
  "search, warm": 0.3,
  search: 0.3,
  "a page, warm": 0.1,
  "a page": 0.1,
  list: 1,
  status: 1,
  "restore of a session": 0.1,
  "a tenth of the sessions grown, import": 1,
  "a tenth of the sessions grown, fold": 1,
  "embedding of all": 1,
  "fold with vectors": 1,
  "cp of the store": 1,
  export: 1,
  "import of the archive": 1,
} as const;

export type Operation = keyof typeof mostSlope;

const repeats = 5;
/** The sessions that every size begins with, so that reading one is the same work in each. */
const sameSessions = 60;

/** Imports so many messages, does everything that one does with a store, and removes it all. */
export async function measureScale(
  folder: string,
  records: number,
  tell: (what: string) => void,
): Promise<ScaleRun> {
  const home = new Home(folder);
  const costs: Cost[] = [];
  const add = (operation: Operation, cost: Omit<Cost, "operation">): void => {
    const { wallMs, cpuMs, peakMb } = cost;
    costs.push({ operation, wallMs, cpuMs, ...(peakMb !== undefined && { peakMb }) });
    tell(`${records} messages: ${operation}: ${(wallMs / 1000).toFixed(2)} s`);
  };
  try {
    const corpus = generateCorpus(join(home.folder, "client"), { records, recordsPerSession: 90 });
    tell(`${corpus.records} messages: generated, ${(corpus.bytes / 1e6).toFixed(0)} MB`);
    add("read and JSON.parse the source", parseCorpus(corpus.files));
    const first = syncHome(home, corpus.home);
    const messages = messagesOf(first);
    add("first import", first);
    measureSyncs(home, corpus, add);
    await measureReads(home, corpus, add);
    measureFold(home, corpus, add);
    await measureVectors(home, add);
    measureArchive(home, add);
    return { messages, sessions: corpus.files.length, sourceBytes: corpus.bytes, costs };
  } finally {
    home.remove();
  }
}

type Add = (operation: Operation, cost: Omit<Cost, "operation">) => void;

function measureSyncs(home: Home, corpus: GeneratedCorpus, add: Add): void {
  const [file = ""] = corpus.files;
  add(
    "no-op sync",
    middle(() => syncHome(home, corpus.home)),
  );
  add(
    "one session grown",
    middle((turn) => {
      growSession(file, turn);
      return syncHome(home, corpus.home);
    }),
  );
}

async function measureReads(home: Home, corpus: GeneratedCorpus, add: Add): Promise<void> {
  // The largest of the sessions after the one that grew.
  const [file = ""] = corpus.files
    .slice(1, sameSessions)
    .sort((left, right) => statSync(right).size - statSync(left).size);
  const id = basename(file, ".jsonl");
  const [query = ""] = queriesFrom(file);
  const warm = await measureWarm(home.storage, queriesFrom(file), id);
  add("search, warm", warm.search);
  add(
    "search",
    middle(() => home.pond("search", query, "--json")),
  );
  add("a page, warm", warm.page);
  add(
    "a page",
    middle(() => home.pond("get", id, "--json")),
  );
  add(
    "list",
    middle(() => home.pond("list", "--json")),
  );
  add(
    "status",
    middle(() => home.pond("status", "--json")),
  );
  add(
    "restore of a session",
    middle((turn) => home.pond("restore", id, "--out", join(home.folder, `restored-${turn}`))),
  );
}

/** Rows that came later are outside of the indexes, in fragments of their own, until a fold. */
function measureFold(home: Home, corpus: GeneratedCorpus, add: Add): void {
  for (const [at, file] of corpus.files.entries()) {
    if (at % 10 === 0) growSession(file, repeats + at);
  }
  const { home: path } = corpus;
  const grown = ["sync", "claude-code", "--path", path, "--skip", "update-indexes", "--json"];
  add("a tenth of the sessions grown, import", home.pond(...grown));
  add("a tenth of the sessions grown, fold", fold(home));
}

/** With a model that costs next to nothing, so that what is measured is the store's own cost. */
async function measureVectors(home: Home, add: Add): Promise<void> {
  const model = join(home.folder, "model");
  const config = join(home.env["XDG_CONFIG_HOME"] ?? "", "pond", "config.toml");
  await buildTestModel(model, { dimension: 32, maxTokens: 16 });
  mkdirSync(join(config, ".."), { recursive: true });
  writeFileSync(config, `[embeddings]\nfolder = ${JSON.stringify(model)}\n`);
  add("embedding of all", home.pond("sync", "--only", "embed", "--json"));
  add("fold with vectors", fold(home));
  rmSync(config);
}

function measureArchive(home: Home, add: Add): void {
  const [copy, archive] = [join(home.folder, "copy"), join(home.folder, "all.pond")];
  add("cp of the store", runProgram("cp", ["-r", home.storage, copy], { env: home.env }));
  rmSync(copy, { recursive: true });
  add("export", home.pond("export", "--output", archive, "--json"));
  const other = join(home.folder, "other");
  add("import of the archive", home.pond("--storage", other, "import", archive, "--json"));
}

function fold(home: Home): Run {
  return home.pond("sync", "--only", "update-indexes", "--json");
}

/** Medians; the peak is the highest. */
function middle(run: (turn: number) => Run): Omit<Cost, "operation"> {
  const runs = Array.from({ length: repeats }, (_, turn) => run(turn));
  return {
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
    peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
  };
}

/** Three words of each of its prompts. */
function queriesFrom(file: string): string[] {
  const prompts = promptsOf(file);
  return prompts.filter(({ length }) => length >= 3).map((words) => words.slice(-3).join(" "));
}
