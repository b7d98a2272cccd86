import type { Statistics } from "@pond/sessions";
import { machine } from "../shared/machine.ts";
import { markdownTable } from "../shared/markdown-table.ts";
import type { Miss, OwnReport } from "./own-report.ts";
import type { Score } from "./score.ts";

/** A ranking of one retriever over one set in one haystack. */
export type Run = {
  readonly retriever: string;
  readonly part: "held-out" | "tuning" | "all";
  readonly score: Score;
};

type SetReport = { readonly name: string; readonly runs: readonly Run[] };

export type Latency = {
  readonly retriever: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
};

export type HaystackReport = {
  readonly name: string;
  readonly sessions: Readonly<Record<string, number>>;
  readonly searchable: number;
  readonly searchableBytes: number;
  readonly sets: readonly SetReport[];
  readonly tables: Statistics["tables"];
  readonly sqlite: readonly { readonly name: string; readonly bytes: number }[];
  readonly latency: readonly Latency[];
};

export type Report = {
  readonly command: string;
  /** The model of the vectors; undefined if search used only words. */
  readonly model: string | undefined;
  readonly haystacks: readonly HaystackReport[];
  readonly own: OwnReport;
};

/** The report as Markdown. Times are in a section of their own. */
export function toMarkdown({ command, model, haystacks, own }: Report): string {
  const how =
    model === undefined
      ? "By words only: no embedder was given."
      : `\`hybrid\` is with ${model}, \`pond\` by words only.`;
  return `${[
    "# Retrieval",
    `Written by \`${command}\`; do not edit. ${how}`,
    "Every set is laid out as session files of the clients, round robin, by the writers of their adapters, and read by the real readers and the real sync into one store together with the corpus. Questions are asked verbatim. Weights were chosen on the tuning half (seed 7); a table is of the other half where it does not say so. An arm's row is its own ranking within the first hundred sessions of the answer. `FTS5` is SQLite's over the same texts in the same run: ranked OR, `both units` is 0.5 x message + session, min-max. `shown@5`: a message that answers is shown among the matches of the first five sessions. Shares in percent.",
    ...haystacks.flatMap(haystackSection),
    "## Our own set by category",
    "All questions, in the haystack of cut sessions. A bar is what `src/retrieval.test.ts` insists on, where this set is alone in its haystack. The answer of `superseded answer` is the newer session; that of `across languages` shares no words with its question, so words alone do not find it.",
    categoryTable(own.byCategory),
    "### Not answered first",
    missList(own.misses),
    "## Size of indexes",
    ...haystacks.flatMap(({ name, searchableBytes, tables, sqlite }) => [
      `${name}: ${megabytes(searchableBytes)} MB of searchable text.`,
      sizeTable(tables, sqlite, searchableBytes),
    ]),
    "## Latency",
    `${machine()}, shared with other work: compare, do not quote. Milliseconds for a question of all sets, one at a time, snippets and all for pond, ids alone for SQLite; the arms run at once and are not timed alone.`,
    ...haystacks.flatMap(({ name, latency }) => [`${name}:`, latencyTable(latency)]),
  ].join("\n\n")}\n`;
}

function haystackSection({ name, sessions, searchable, sets }: HaystackReport): string[] {
  const counts = Object.entries(sessions).map(([client, count]) => `${client} ${count}`);
  return [
    `## ${name}`,
    `${searchable} searchable messages. Session files: ${counts.join(", ")}.`,
    ...sets.flatMap((set) => [`### ${set.name}`, scoreTable(set.runs)]),
  ];
}

/** Scores, a line each; what is said of a part is not said of the held-out one. */
export function scoreTable(runs: readonly Run[]): string {
  return markdownTable(
    ["", "questions", "hit@1", "hit@5", "hit@10", "MRR", "shown@5", "no hit"],
    runs.map(({ retriever, part, score }) => [
      part === "held-out" ? retriever : `${retriever} (${part})`,
      String(score.questions),
      ...shares(score),
      score.shown5 > 0 ? score.shown5.toFixed(1) : "",
      score.zeroHits.toFixed(1),
    ]),
  );
}

function shares({ hit1, hit5, hit10, meanReciprocalRank }: Score): string[] {
  return [hit1, hit5, hit10, meanReciprocalRank].map((share) => share.toFixed(1));
}

function categoryTable(rows: OwnReport["byCategory"]): string {
  const isHybrid = rows.some(({ hybrid }) => hybrid !== undefined);
  const head = ["category", "questions", "hit@1", "hit@5", "no hit", "bar @1 / @5"];
  return markdownTable(
    [...head, "FTS5 unicode61 @1 / @5", ...(isHybrid ? ["hybrid @1 / @5"] : [])],
    rows.map(({ category, score, bar, baseline, hybrid }) => [
      category,
      String(score.questions),
      ...[score.hit1, score.hit5, score.zeroHits].map((share) => share.toFixed(1)),
      `${bar.hit1} / ${bar.hit5}`,
      bothOf(baseline),
      ...(hybrid === undefined ? [] : [bothOf(hybrid)]),
    ]),
  );
}

function bothOf({ hit1, hit5 }: Score): string {
  return `${hit1.toFixed(1)} / ${hit5.toFixed(1)}`;
}

function missList(misses: readonly Miss[]): string {
  const lines = misses.map(({ id, query, wanted, rank, first }) => {
    const place = rank === undefined ? "not in the first ten" : `at ${rank}`;
    return `- ${id}: ${code(query)} wants ${wanted.join(", ")}, ${place}; first was ${first}.`;
  });
  return lines.join("\n");
}

function sizeTable(
  tables: Statistics["tables"],
  sqlite: HaystackReport["sqlite"],
  searchableBytes: number,
): string {
  const ours = tables.flatMap(({ name, indexes }) =>
    indexes.map(({ column, kind, bytes }) => ({ name: `${name}.${column}, ${kind}`, bytes })),
  );
  const all = { name: "pond, all indexes", bytes: ours.reduce((sum, { bytes }) => sum + bytes, 0) };
  return markdownTable(
    ["index", "MB", "of the text"],
    [...ours.filter(({ bytes }) => bytes > 0), all, ...sqlite].map(({ name, bytes }) => [
      name,
      megabytes(bytes),
      `${(bytes / searchableBytes).toFixed(2)}x`,
    ]),
  );
}

function latencyTable(latency: readonly Latency[]): string {
  return markdownTable(
    ["", "p50", "p95"],
    latency.map(({ retriever, p50Ms, p95Ms }) => [retriever, p50Ms.toFixed(1), p95Ms.toFixed(1)]),
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}

/** Text as code, on one line, whatever backticks it holds. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}
