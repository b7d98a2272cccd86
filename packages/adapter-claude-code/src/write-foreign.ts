import type { JsonObject, Session, SessionId } from "@pond/canonical";
import type { Lineage, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { agentId, sessionUuid } from "./foreign/names.ts";
import { lineOf, type RowPlace, rowsOf } from "./foreign/rows.ts";
import { Tally } from "./foreign/tally.ts";
import { type Turn, turnsOf } from "./foreign/turns.ts";
import { projectSlug } from "./layout.ts";

/**
 * Sessions of other clients as sessions this one resumes: the conversation, every call with its
 * answer, images; without foreign thinking. Forks stand by themselves, sub-agents below the
 * session that started them.
 */
export function* writeForeign({ root, descendants }: Lineage): Generator<RestoredFile> {
  const family = new Map([root, ...descendants].map((content) => [content.session.id, content]));
  for (const content of family.values()) {
    const { session } = content;
    const main = mainOf(family, content);
    const folder = `projects/${projectSlug(main.project)}`;
    const uuid = sessionUuid(main.id);
    if (main.id === session.id) {
      yield file(content, `${folder}/${uuid}.jsonl`, { session, sessionUuid: uuid });
      continue;
    }
    const agent = agentId(session.id);
    const path = `${folder}/${uuid}/subagents/agent-${agent}`;
    const place = { session, sessionUuid: uuid, agentId: agent };
    yield file(content, `${path}.jsonl`, place);
    const meta = JSON.stringify(descriptor(family, content, main));
    yield { session: session.id, path: `${path}.meta.json`, content: [meta] };
  }
}

type Family = ReadonlyMap<SessionId, SessionContent>;

/** The session whose folder a session's file belongs to: itself, or whose agent it is. */
function mainOf(family: Family, content: SessionContent): Session {
  let { session } = content;
  const seen = new Set<SessionId>();
  for (let above = parentOf(family, session); above; above = parentOf(family, session)) {
    if (seen.has(session.id)) return session;
    seen.add(session.id);
    session = above;
  }
  return session;
}

/** The session that started this one as its agent; a fork has a cut-point and stands by itself. */
function parentOf(family: Family, session: Session): Session | undefined {
  if (session.parent_session_id === undefined || session.parent_message_id !== undefined) {
    return undefined;
  }
  return family.get(session.parent_session_id)?.session;
}

function file(content: SessionContent, path: string, place: RowPlace): RestoredFile {
  const tally = new Tally();
  const turns = turnsOf(content.messages, tally);
  return {
    session: content.session.id,
    path,
    content: { [Symbol.iterator]: () => lines(turns, place) },
    fidelity: tally.fidelity(),
  };
}

function* lines(turns: readonly Turn[], place: RowPlace): Generator<string> {
  for (const row of rowsOf(turns, place)) yield lineOf(row);
}

/** What the client keeps beside an agent's file. */
function descriptor(
  family: Family,
  { session, messages }: SessionContent,
  main: Session,
): JsonObject {
  const first = messages.find(({ role }) => role === "user");
  const [part] = first?.role === "user" ? first.content : [];
  const description = part?.type === "text" ? { description: part.text.slice(0, 80) } : {};
  const parent = parentOf(family, session);
  const nested = parent && parent.id !== main.id ? { parentAgentId: agentId(parent.id) } : {};
  return { agentType: "general-purpose", ...description, ...nested };
}
