import type { Embedder } from "@pond/embed";
import { statistics } from "@pond/sessions";
import { percentile } from "../shared/percentile.ts";
import { answersOfArms, pond } from "./pond.ts";
import type { HaystackReport, Latency, Run } from "./report.ts";
import { type Answer, type AnsweredQuestion, askAll, type Retriever, scoreOf } from "./score.ts";
import { type Part, partOf, type RetrievalSet } from "./set.ts";
import { SqliteHaystack } from "./sqlite.ts";
import type { Haystack } from "./store.ts";

/** What each retriever answered to each question of a set. */
type Rankings = ReadonlyMap<string, readonly AnsweredQuestion[]>;

export type Measured = {
  readonly report: HaystackReport;
  /** By set. */
  readonly rankings: ReadonlyMap<string, Rankings>;
};

type Named = { readonly name: string; readonly retrieve: Retriever };

const wholeAnswer = "pond";

/**
 * Puts all questions of all sets to one haystack: by pond, by each of its arms and by SQLite.
 *
 * @param embedder - The one the haystack was embedded with; search then uses it, too.
 */
export async function measureHaystack(
  name: string,
  haystack: Haystack,
  sets: readonly RetrievalSet[],
  embedder?: Embedder,
): Promise<Measured> {
  const { sessions, messages } = haystack;
  const stored = await statistics(sessions);
  const baselines = openBaselines(haystack);
  const hybrid = { name: `${wholeAnswer}, hybrid`, retrieve: pond(sessions, { embedder }) };
  const ours: readonly Named[] = [
    { name: wholeAnswer, retrieve: pond(sessions) },
    ...(embedder === undefined ? [] : [hybrid]),
  ];
  const rankings = new Map<string, Map<string, readonly AnsweredQuestion[]>>();
  for (const { name: set, questions } of sets) {
    const asked = new Map<string, readonly AnsweredQuestion[]>();
    rankings.set(set, asked);
    for (const { name: retriever, retrieve } of [...ours, ...baselines.retrievers]) {
      asked.set(retriever, await askAll(questions, retrieve, haystack));
    }
    const byArm = await askArms(haystack, partOf(questions, "held-out"), embedder);
    for (const [arm, answers] of byArm) asked.set(`${wholeAnswer}, ${arm} arm`, answers);
  }
  const report: HaystackReport = {
    name,
    sessions: haystack.counts,
    searchable: messages.length,
    searchableBytes: messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    sets: sets.map((set) => ({ name: set.name, runs: runsOf(set, rankings.get(set.name)) })),
    tables: stored.tables,
    sqlite: baselines.sizes,
    latency: [...ours, ...baselines.retrievers].map(({ name: retriever }) =>
      latencyOf(retriever, rankings.values()),
    ),
  };
  baselines.close();
  return { report, rankings };
}

function openBaselines({ messages }: Haystack): {
  readonly retrievers: readonly Named[];
  readonly sizes: HaystackReport["sqlite"];
  close(): void;
} {
  const words = new SqliteHaystack("unicode61", messages);
  const stems = new SqliteHaystack("porter unicode61", messages, { hasStopList: true });
  const trigrams = new SqliteHaystack("trigram", messages);
  return {
    retrievers: [
      { name: "FTS5 unicode61, messages", retrieve: words.retriever("message") },
      { name: "FTS5 unicode61, sessions", retrieve: words.retriever("session") },
      { name: "FTS5 porter + stop list, messages", retrieve: stems.retriever("message") },
      { name: "FTS5 porter + stop list, sessions", retrieve: stems.retriever("session") },
      { name: "FTS5 porter + stop list, both units", retrieve: stems.retriever("both") },
      { name: "FTS5 trigram, messages", retrieve: trigrams.retriever("message") },
    ],
    sizes: [
      { name: "FTS5 unicode61, messages", bytes: words.bytes("message") },
      { name: "FTS5 unicode61, sessions", bytes: words.bytes("session") },
      { name: "FTS5 trigram, messages", bytes: trigrams.bytes("message") },
    ],
    close: () => {
      for (const each of [words, stems, trigrams]) each.close();
    },
  };
}

async function askArms(
  haystack: Haystack,
  questions: RetrievalSet["questions"],
  embedder: Embedder | undefined,
): Promise<Map<string, AnsweredQuestion[]>> {
  const arms = ["message", "window", "literal", ...(embedder === undefined ? [] : ["vector"])];
  const byArm = new Map(arms.map((arm): [string, AnsweredQuestion[]] => [arm, []]));
  for (const question of questions) {
    const answers = await answersOfArms(haystack.sessions, question.text, { embedder });
    for (const [arm, asked] of byArm) {
      const retrieve = async (): Promise<Answer> => answers.get(arm) ?? { roots: [] };
      asked.push(...(await askAll([question], retrieve, haystack)));
    }
  }
  return byArm;
}

/** Held-out scores of all retrievers; for comparison those of pond on the tuning half, too. */
function runsOf({ questions }: RetrievalSet, rankings: Rankings = new Map()): Run[] {
  const halves = { tuning: new Set<string>(), "held-out": new Set<string>() };
  for (const part of ["tuning", "held-out"] as const) {
    for (const { id } of partOf(questions, part)) halves[part].add(id);
  }
  const of = (asked: readonly AnsweredQuestion[], part: Part): AnsweredQuestion[] =>
    asked.filter(({ question }) => halves[part].has(question.id));
  const heldOut = [...rankings].map(([retriever, asked]): Run => {
    return { retriever, part: "held-out", score: scoreOf(of(asked, "held-out")) };
  });
  const all = rankings.get(wholeAnswer) ?? [];
  const [first, ...others] = heldOut.toSorted(
    (left, right) => Number(isPond(right)) - Number(isPond(left)),
  );
  if (first === undefined) return [];
  return [
    first,
    { retriever: wholeAnswer, part: "tuning", score: scoreOf(of(all, "tuning")) },
    { retriever: wholeAnswer, part: "all", score: scoreOf(all) },
    ...others,
  ];
}

function isPond({ retriever }: Run): boolean {
  return retriever.startsWith(wholeAnswer);
}

function latencyOf(retriever: string, rankings: Iterable<Rankings>): Latency {
  const times = [...rankings].flatMap((each) =>
    (each.get(retriever) ?? []).map(({ tookMs }) => tookMs),
  );
  return { retriever, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}
