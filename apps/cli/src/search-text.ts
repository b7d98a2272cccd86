import type { SearchMatch, SearchResponse, SessionMatches, Snippet } from "@pond/search";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { printExplanation } from "./explain-text.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { printWrapped } from "./output/print-wrapped.ts";
import { fitFacts } from "./output/progress.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { formatMoment, formatWhen } from "./output/time.ts";
import { cut, cutStart, widthOf } from "./output/width.ts";
import { type TextRun, wrapRuns } from "./output/wrap.ts";
import { shortIds } from "./short-ids.ts";
import { unknownProjectText } from "./unknown-project.ts";

const indent = "    ";
const gap = "  ";
// Less of a path tells nothing; other facts are left out first.
const minProjectColumns = 16;
// Longer lines are hard to read, however wide the terminal.
const maxTextColumns = 100;

/**
 * Prints numbered sessions with the matches in each.
 *
 * @param isNarrowed - Whether filters may have left messages out.
 */
export function printResults(
  context: Context,
  response: SearchResponse,
  isNarrowed: boolean,
): void {
  const { output } = context;
  const { sessions, total_in_scope, took_ms, explanation, next, warnings } = response;
  const { did_you_mean: other } = response;
  const scope = formatCounted(total_in_scope, "message");
  const ids = sessions.map(({ session_id }) => session_id);
  const names = output.isTerminal ? shortIds(ids) : ids;
  for (const [at, session] of sessions.entries()) {
    printSession(context, session, at + 1, names[at] ?? session.session_id);
  }
  if (sessions.length === 0) {
    printWrapped(
      output,
      safe`Nothing found in ${scope}.${nothingFoundHint(context, response, isNarrowed)}`,
    );
  }
  if (explanation) printExplanation(output, response, explanation);
  const more =
    next === undefined ? safeText("") : safe` There are more: --after ${safeLine(next)}.`;
  const time = safe`${formatCount(Math.round(took_ms))} ms`;
  if (sessions.length > 0) {
    if (other !== undefined) output.note(safe`Did you mean: ${safeLine(other)}`);
    const found = formatCounted(sessions.length, "session");
    output.note(
      safe`${found} found in ${scope}${searchModeText(context, response)}, ${time}.${more}${readHint(context)}`,
    );
  }
  for (const { message } of warnings ?? []) output.warn(safeLine(message));
}

/** How to go on, for a person who looks at it. */
function readHint({ output }: Context): SafeText {
  return safeText(output.isTerminal ? " Read one: pond get 1." : "");
}

/** What was searched; not mentioned if no model was ever asked for. */
function searchModeText({ settings }: Context, { mode }: SearchResponse): SafeText {
  if (mode === "hybrid") return safeText(" by words and meaning");
  return safeText(settings.embeddings.isOn ? " by words alone" : "");
}

function nothingFoundHint(
  context: Context,
  { total_in_scope: inScope, did_you_mean: other, similar_projects: similar }: SearchResponse,
  isNarrowed: boolean,
): SafeText {
  if (similar !== undefined) return safe` ${unknownProjectText(context, similar)}`;
  if (other !== undefined) return safe` Did you mean: ${safeLine(other)}`;
  if (inScope > 0) {
    const advice = `Try other words${isNarrowed ? ", or fewer filters" : ""}.`;
    return safeText(` ${advice} Tool calls, their output and reasoning are not searched.`);
  }
  return isNarrowed
    ? safeText(" The filters leave none, or nothing is stored: see `pond status`.")
    : safeText(" Nothing that search reads is stored yet: `pond sync` fetches sessions.");
}

function printSession(context: Context, session: SessionMatches, number: number, name: string) {
  const { output, home } = context;
  const { strong, faint, accent } = output.style;
  const when = timeText(context, session.created_at);
  const label = safeText(String(number).padStart(2));
  const id = safeLine(name);
  const project = safeLine(shortenHome(session.project, home));
  const begin = widthOf(label) + widthOf(id) + 2 * gap.length;
  const room = output.width - begin - Math.min(minProjectColumns, widthOf(project)) - gap.length;
  const about = fitFacts(
    [when, safeLine(session.source_agent), ...relatedSessionsText(session, output)],
    room,
  );
  const place = cutStart(project, output.width - begin - widthOf(about) - gap.length);
  const words = [strong(label), accent(id), place, faint(about)];
  output.line(joinSafe(words, gap));
  if (session.title !== undefined) {
    const title = cut(safeLine(session.title), output.width - indent.length);
    output.line(safe`${safeText(indent)}${strong(title)}`);
  }
  for (const match of session.matches) printMatch(context, match, session);
  output.line();
}

/**
 * Sub-agents and forks below it, or those beside it that served a session that is not stored: the
 * answer does not tell them apart.
 */
function relatedSessionsText(session: SessionMatches, { isTerminal }: Output): SafeText[] {
  const { session_id, root_session_id: root, sub_agents } = session;
  // The session's own text was the best of its group, and its number opens it.
  if (session_id !== root) {
    const [short = root] = isTerminal ? shortIds([root]) : [root];
    return [safe`below ${safeLine(short)}`];
  }
  if (sub_agents === undefined) return [];
  const { sessions, found_in } = sub_agents;
  const where = found_in === 0 ? safeText("") : safe`, found in ${formatCount(found_in)}`;
  return [safe`${formatCounted(sessions, "related session")}${where}`];
}

function timeText({ output, now }: Context, rfc3339: string): SafeText {
  return output.isTerminal ? formatWhen(rfc3339, now()) : formatMoment(rfc3339);
}

function printMatch(context: Context, match: SearchMatch, session: SessionMatches): void {
  const { output } = context;
  const { faint, match: mark, warning } = output.style;
  const state = match.removed ? " (gone from its source)" : match.revised ? " (revised)" : "";
  const agent = match.session_id === session.session_id ? "" : ` in ${match.session_id}`;
  // A long session may have begun months before what was found in it.
  const when = timeText(context, match.timestamp);
  const time = when === timeText(context, session.created_at) ? "" : ` ${when}`;
  const id = output.isVerbose ? ` ${match.message_id}` : "";
  const near = match.similarity === undefined ? "" : ` similarity ${match.similarity.toFixed(2)}`;
  // In a pipe a passage is one line, for programs that look for words in lines.
  const maxColumns = output.isTerminal ? maxTextColumns : Number.POSITIVE_INFINITY;
  const width = Math.min(maxColumns, output.width) - indent.length;
  const about = wrapRuns(
    [
      { text: safeLine(`${match.role}${time}${agent}${near}${id}`), isMatch: false },
      { text: safeText(state), isMatch: true },
    ],
    width,
    warning,
  );
  for (const line of about) output.line(safe`${safeText(indent)}${faint(line)}`);
  const lines = wrapRuns(snippetRuns(match.snippet), width, mark);
  for (const line of lines) output.line(safe`${safeText(indent)}${line}`);
}

/** The snippet, cut where its highlights begin and end, before anything in it is replaced. */
export function snippetRuns({ text, highlights }: Snippet): TextRun[] {
  const runs: TextRun[] = [];
  let at = 0;
  for (const [start, end] of highlights) {
    if (start < at || end <= start) continue;
    runs.push({ text: safeLine(text.slice(at, start)), isMatch: false });
    runs.push({ text: safeLine(text.slice(start, end)), isMatch: true });
    at = end;
  }
  runs.push({ text: safeLine(text.slice(at)), isMatch: false });
  return runs.filter((run) => run.text !== "");
}
