import type { Explanation, SearchResponse } from "@pond/search";
import { formatCount } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { printTable } from "./output/print-table.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import type { Column } from "./output/table.ts";
import { shortIds } from "./short-ids.ts";

/**
 * Prints for people how the query was read, what each arm contributed to each session, and Lance's
 * plans.
 */
export function printExplanation(
  output: Output,
  { mode, sessions }: Pick<SearchResponse, "mode" | "sessions">,
  explanation: Explanation,
): void {
  printReading(output, mode, explanation);
  printArms(output, explanation);
  printContributions(output, sessions, explanation);
  printNearest(output, explanation);
  for (const [arm, plan] of Object.entries(explanation.plans)) {
    output.line();
    output.line(output.style.strong(safe`Plan of ${safeLine(arm)}`));
    output.line(safeText(plan.trimEnd()));
  }
}

function printReading(
  output: Output,
  mode: SearchResponse["mode"],
  { terms, literals, required, excluded }: Explanation,
): void {
  const facts = [
    ["Mode", [mode === "full_text" ? "by words" : "by words and by meaning"]],
    ["Words", terms],
    ["Literally", literals],
    ["Required", required],
    ["Excluded", excluded],
  ] as const;
  for (const [label, values] of facts) {
    if (values.length === 0) continue;
    const name = output.style.strong(safeText(label.padEnd(10)));
    output.line(safe`${name}${joinSafe(values.map(safeLine), "  ")}`);
  }
}

function printArms(output: Output, { arms }: Explanation): void {
  const columns: Column[] = [
    { title: safeText("ARM") },
    { title: safeText("WEIGHT"), align: "right" },
    { title: safeText("HITS"), align: "right" },
    { title: safeText("BEST"), align: "right" },
  ];
  const rows = arms.map(({ name, weight, hits, best }) => [
    safeLine(name),
    formatScore(weight),
    formatCount(hits),
    formatScore(best),
  ]);
  output.line();
  printTable(output, columns, rows);
}

/** A line for each session of the answer: its score, and how much of that came from each arm. */
function printContributions(
  output: Output,
  sessions: SearchResponse["sessions"],
  { arms }: Explanation,
): void {
  if (sessions.length === 0) return;
  const columns: Column[] = [
    { title: safeText("#"), align: "right" },
    { title: safeText("SCORE"), align: "right" },
    ...arms.map(({ name }): Column => ({ title: safeLine(name.toUpperCase()), align: "right" })),
    { title: safeText("SESSION"), style: output.style.accent },
  ];
  const ids = sessions.map(({ root_session_id }) => root_session_id);
  const names = output.isTerminal ? shortIds(ids) : ids;
  const rows = sessions.map(({ root_session_id, score }, at) => [
    formatCount(at + 1),
    formatScore(score),
    ...arms.map(({ contributions }) => formatShare(contributions, root_session_id)),
    safeLine(names[at] ?? root_session_id),
  ]);
  output.line();
  printTable(output, columns, rows);
}

/** The messages nearest by meaning, whatever the other arms made of them. */
function printNearest(output: Output, { nearest = [] }: Explanation): void {
  if (nearest.length === 0) return;
  const columns: Column[] = [
    { title: safeText("SIMILARITY"), align: "right" },
    { title: safeText("NEAREST MESSAGE") },
    { title: safeText("SESSION"), style: output.style.accent },
  ];
  const rows = nearest.map(({ session_id, message_id, similarity }) => [
    formatScore(similarity),
    safeLine(message_id),
    safeLine(session_id),
  ]);
  output.line();
  printTable(output, columns, rows);
}

function formatShare(shares: Readonly<Record<string, number>>, id: string): SafeText {
  const share = Object.hasOwn(shares, id) ? shares[id] : undefined;
  return share === undefined ? safeText("-") : formatScore(share);
}

function formatScore(score: number): SafeText {
  return safeText(score.toFixed(3));
}
