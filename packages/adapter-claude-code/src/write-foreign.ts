import type { JsonObject } from "@pond/canonical";
import type { Lineage, Meanings, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import {
  copyUuid,
  type Family,
  familyOf,
  Tally,
  titleOf,
  turnsOf,
  wellFormedJson,
} from "@pond/canonical/foreign";
import { type ApiMessage, apiMessagesOf } from "./foreign/api-messages.ts";
import { agentId } from "./foreign/names.ts";
import { type RowPlace, rowsOf } from "./foreign/rows.ts";
import { projectSlug } from "./layout.ts";
import { origin } from "./origin.ts";

/**
 * Writes sessions of other clients as sessions that this client resumes: the conversation, every
 * call with its answer, and images, but no foreign thinking. Forks become sessions of their own;
 * sub-agents are written below the session that started them.
 */
export function* writeForeign(lineage: Lineage, meanings: Meanings): Generator<RestoredFile> {
  const family = familyOf(lineage);
  for (const content of [lineage.root, ...lineage.descendants]) {
    const { session } = content;
    const main = family.mainOf(session);
    const folder = `projects/${projectSlug(main.project)}`;
    const uuid = copyUuid(origin, main.id);
    if (main.id === session.id) {
      yield file(content, `${folder}/${uuid}.jsonl`, { session, sessionUuid: uuid }, meanings);
      continue;
    }
    const agent = agentId(session.id);
    const path = `${folder}/${uuid}/subagents/agent-${agent}`;
    const place = { session, sessionUuid: uuid, agentId: agent };
    yield file(content, `${path}.jsonl`, place, meanings);
    const meta = JSON.stringify(descriptor(family, content));
    yield { session: session.id, path: `${path}.meta.json`, content: [meta] };
  }
}

function file(
  content: SessionContent,
  path: string,
  place: RowPlace,
  meanings: Meanings,
): RestoredFile {
  const tally = new Tally();
  const turns = turnsOf(content, meanings, tally);
  const apiMessages = turns.flatMap((turn) => [...apiMessagesOf(turn, tally)]);
  const title = titleOf(content.messages);
  return {
    session: content.session.id,
    path,
    content: { [Symbol.iterator]: () => lines(apiMessages, { ...place, title }) },
    fidelity: tally.fidelity(),
  };
}

function* lines(apiMessages: readonly ApiMessage[], place: RowPlace): Generator<string> {
  for (const row of rowsOf(apiMessages, place)) yield `${wellFormedJson(row)}\n`;
}

/** What the client keeps beside an agent's file. */
function descriptor(family: Family, { session, messages }: SessionContent): JsonObject {
  const first = messages.find(({ role }) => role === "user");
  const [part] = first?.role === "user" ? first.content : [];
  const description = part?.type === "text" ? { description: part.text.slice(0, 80) } : {};
  const parent = family.parentOf(session);
  const isNested = parent !== undefined && family.parentOf(parent) !== undefined;
  const nested = isNested ? { parentAgentId: agentId(parent.id) } : {};
  return { agentType: "general-purpose", ...description, ...nested };
}
