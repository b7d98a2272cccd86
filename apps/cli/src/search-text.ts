import type { SearchMatch, SearchResponse, SessionMatches, Snippet } from "@pond/search";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { printExplanation } from "./explain-text.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import { type Shown, say, shown, shownLine } from "./output/shown.ts";
import { formatMoment, formatWhen } from "./output/time.ts";
import { type Piece, wrapPieces } from "./output/wrap.ts";
import { shortIds } from "./short-ids.ts";

const indent = "    ";
// Longer lines are hard to read, however wide the terminal.
const widestText = 100;

/** Numbered sessions with what was found in each. */
export function printResults(context: Context, response: SearchResponse): void {
  const { output } = context;
  const { sessions, total_in_scope, took_ms, explanation, next, warnings } = response;
  const scope = formatCounted(total_in_scope, "message");
  const ids = sessions.map(({ session_id }) => session_id);
  const names = output.isTerminal ? shortIds(ids) : ids;
  for (const [at, session] of sessions.entries()) {
    printSession(context, session, at + 1, names[at] ?? session.session_id);
  }
  if (sessions.length === 0) {
    output.line(say`Nothing found in ${scope}.${hint(total_in_scope)}`);
  }
  if (explanation) printExplanation(output, response, explanation);
  const more = next === undefined ? shown("") : say` There are more: --after ${shownLine(next)}.`;
  const time = say`${formatCount(Math.round(took_ms))} ms`;
  if (sessions.length > 0) {
    const found = formatCounted(sessions.length, "session");
    output.note(
      say`${found} found in ${scope}${manner(context, response)}, ${time}.${more}${reading(context)}`,
    );
  }
  for (const { message } of warnings ?? []) output.warn(shownLine(message));
}

/** How to go on, for a person who looks at it. */
function reading({ output }: Context): Shown {
  return shown(output.isTerminal ? " Read one: pond get 1." : "");
}

/** By what was searched; not said where a model was never asked for. */
function manner({ settings }: Context, { mode }: SearchResponse): Shown {
  if (mode === "hybrid") return shown(" by words and meaning");
  return shown(settings.embeddings.isOn ? " by words alone" : "");
}

function hint(inScope: number): Shown {
  return inScope === 0
    ? shown(" The filters leave none, or nothing is stored: `pond status` tells.")
    : shown(" Try other words, or fewer filters.");
}

function printSession(context: Context, session: SessionMatches, number: number, name: string) {
  const { output, home, now } = context;
  const { strong, faint, accent } = output.style;
  const when = output.isTerminal
    ? formatWhen(session.created_at, now())
    : formatMoment(session.created_at);
  const project = shownLine(shortenHome(session.project, home));
  const client = shownLine(session.source_agent);
  const head = say`${strong(say`${shown(String(number).padStart(2))}`)}  ${accent(shownLine(name))}`;
  const below = subAgentsOf(session);
  output.line(say`${head}  ${project}  ${faint(say`${when}  ${client}${below}`)}`);
  for (const match of session.matches) printMatch(context, match, session.session_id);
  output.line();
}

function subAgentsOf({ sub_agents }: SessionMatches): Shown {
  if (sub_agents === undefined) return shown("");
  const { sessions, found_in } = sub_agents;
  const where = found_in === 0 ? shown("") : say`, found in ${formatCount(found_in)}`;
  return say`  ${formatCounted(sessions, "sub-agent")}${where}`;
}

function printMatch({ output }: Context, match: SearchMatch, sessionId: string): void {
  const { faint, match: mark, warning } = output.style;
  const state = match.removed ? " (gone from its source)" : match.revised ? " (revised)" : "";
  const agent = match.session_id === sessionId ? "" : ` in ${match.session_id}`;
  const id = output.isVerbose ? ` ${match.message_id}` : "";
  const near = match.similarity === undefined ? "" : ` similarity ${match.similarity.toFixed(2)}`;
  const about = faint(shownLine(`${match.role}${agent}${near}${id}`));
  const label = say`${about}${warning(shown(state))}`;
  const width = Math.min(widestText, output.width) - indent.length;
  const lines = wrapPieces(piecesOf(match.snippet), width, mark);
  output.line(say`${shown(indent)}${label}`);
  for (const line of lines) output.line(say`${shown(indent)}${line}`);
}

/** The snippet cut where its highlights begin and end, before anything in it is replaced. */
export function piecesOf({ text, highlights }: Snippet): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [start, end] of highlights) {
    if (start < at || end <= start) continue;
    pieces.push({ text: shownLine(text.slice(at, start)), isMatch: false });
    pieces.push({ text: shownLine(text.slice(start, end)), isMatch: true });
    at = end;
  }
  pieces.push({ text: shownLine(text.slice(at)), isMatch: false });
  return pieces.filter((piece) => piece.text !== "");
}
