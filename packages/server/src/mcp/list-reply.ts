import type { ListedSession, ListResponse } from "@pond/wire";
import { type Find, fitSessions } from "./fit-sessions.ts";
import { unknownProjectLines, withShortProject } from "./projects.ts";
import { quotedNotice, quoteLines, quoteValue, structuredNotice } from "./quoted.ts";

/** A page of sessions, and what a model has to know about it. */
export type ListReply = { readonly notice: string } & ListResponse;

/** Lists as many sessions as fit into about `maxCharacters`; the others are left to the next page. */
export function fitListReply(find: Find<ListResponse>, maxCharacters: number): Promise<ListReply> {
  return fitSessions(find, maxCharacters, [], withNotice);
}

/** The same reply for a model to read. */
export function listText({ sessions, next, similar_projects: similar }: ListReply): string {
  const lines = [
    quotedNotice,
    `${sessions.length} session(s), last active first.`,
    ...unknownProjectLines(similar),
    ...sessions.flatMap((session, at) => ["", ...sessionLines(session, at + 1)]),
    "",
  ];
  if (next !== undefined) {
    lines.push(`More sessions: repeat the call with "after": ${quoteValue(next)}`);
  }
  if (sessions.some(({ descendants }) => descendants > 0)) {
    lines.push('pond_list with "parent" set to a session_id lists its sub-agents.');
  }
  if (sessions.length > 0) {
    lines.push('pond_get with session_id shows a session; with "from_end": true, how it ended.');
  }
  return lines.join("\n").trimEnd();
}

function sessionLines(session: ListedSession, at: number): string[] {
  const { session_id: id, parent_session_id: parent, source_agent: agent, project } = session;
  const facts = [
    `session_id ${quoteValue(id)}`,
    `${quoteValue(agent)} in ${quoteValue(project)}`,
    `last active ${session.last_activity}`,
    `began ${session.created_at}`,
    `${session.messages} message(s)`,
    ...(session.descendants > 0 ? [`${session.descendants} sub-agent(s)`] : []),
    ...(parent === undefined ? [] : [`below session_id ${quoteValue(parent)}`]),
  ];
  const title = session.title === undefined ? [] : [quoteLines(session.title)];
  return [`${at}. ${facts.join(", ")}`, ...title];
}

function withNotice(response: ListResponse): ListReply {
  return {
    notice: structuredNotice,
    ...response,
    sessions: response.sessions.map(withShortProject),
  };
}
