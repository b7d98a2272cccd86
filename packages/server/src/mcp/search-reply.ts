import type { SearchMatch, SearchResponse, SessionMatches } from "@pond/wire";
import { type Find, fitSessions } from "./fit-sessions.ts";
import { unknownProjectLines, withShortProject } from "./projects.ts";
import { quotedNotice, quoteLines, quoteValue, structuredNotice } from "./quoted.ts";

/** A search response with what a model has to know about it, cut to size. */
export type SearchReply = { readonly notice: string } & SearchResponse & {
    /** What was left out of the matches to keep the reply short. */
    readonly shortened?: string;
  };

const maxWholeTextChars = 240;

/**
 * Searches so that the reply takes about `maxCharacters`. Matches lose text before sessions are
 * left to the next page.
 */
export function fitSearchReply(
  find: Find<SearchResponse>,
  maxCharacters: number,
): Promise<SearchReply> {
  return fitSessions(find, maxCharacters, [unshortened, withSnippets], withBestMatches);
}

/** The same reply for a model to read. */
export function searchText(reply: SearchReply): string {
  const { sessions, total_in_scope: total, mode, next, warnings = [], shortened } = reply;
  const { did_you_mean: other, similar_projects: similar } = reply;
  const how = mode === "hybrid" ? "by words and meaning" : "by words";
  const lines = [
    quotedNotice,
    `${sessions.length} session(s), best first, of ${total} searchable messages in scope; searched ${how}.`,
    ...(other === undefined
      ? []
      : [`No message holds some of the words; a similar query is ${quoteValue(other)}.`]),
    ...unknownProjectLines(similar),
    ...warnings.map(({ code, message }) => `Warning ${code}: ${quoteValue(message)}`),
    ...sessions.flatMap((session, at) => ["", ...sessionLines(session, at + 1)]),
    "",
  ];
  if (shortened !== undefined) lines.push(shortened);
  if (next !== undefined) {
    lines.push(`More sessions: repeat the search with "after": ${quoteValue(next)}`);
  }
  if (sessions.length > 0) {
    lines.push("pond_get with session_id and message_id shows a message whole, in context.");
  }
  return lines.join("\n").trimEnd();
}

function sessionLines(session: SessionMatches, rank: number): string[] {
  const {
    session_id: id,
    root_session_id: root,
    source_agent: agent,
    project,
    created_at: at,
    title,
    sub_agents: others,
  } = session;
  // Whoever is the user there may be an agent.
  const above = root === id ? "" : `, below session_id ${quoteValue(root)}`;
  const related = others === undefined ? "" : `, ${others.sessions} related session(s)`;
  return [
    `${rank}. session_id ${quoteValue(id)}, ${quoteValue(agent)} in ${quoteValue(project)}, ${at}${above}${related}`,
    ...(title === undefined ? [] : [quoteLines(title)]),
    ...session.matches.flatMap((match) => matchLines(match, session)),
  ];
}

function matchLines(match: SearchMatch, session: SessionMatches): string[] {
  const { message_id: id, session_id: owner, role, timestamp, text, snippet } = match;
  const marks = [
    ...(owner === session.session_id ? [] : [`session_id ${quoteValue(owner)}`]),
    ...(match.revised ? ["revised since"] : []),
    ...(match.removed ? ["no longer in its source"] : []),
  ];
  return [
    `message_id ${quoteValue(id)}, ${[role, timestamp, ...marks].join(", ")}`,
    quoteLines(text ?? snippet.text),
  ];
}

function unshortened(response: SearchResponse): SearchReply {
  return {
    notice: structuredNotice,
    ...response,
    sessions: response.sessions.map(withShortProject),
  };
}

/** Only the piece around the words, if a text is long. */
function withSnippets(response: SearchResponse): SearchReply {
  const sessions = response.sessions.map((session) => ({
    ...session,
    matches: session.matches.map(({ text, prefix: _, parts_summary: __, ...match }) => ({
      ...match,
      ...(text !== undefined && text.length <= maxWholeTextChars && { text }),
    })),
  }));
  const shortened = "Of a long text, only the piece around the match is shown.";
  return { ...unshortened({ ...response, sessions }), shortened };
}

function withBestMatches(response: SearchResponse): SearchReply {
  const sessions = response.sessions.map((session) => ({
    ...session,
    matches: session.matches.slice(0, 1),
  }));
  const shortened = "Of each session, only the piece around its best match is shown.";
  return { ...withSnippets({ ...response, sessions }), shortened };
}
