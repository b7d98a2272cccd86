import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { adapters, meaningsOf } from "@pond/adapters";
import { type Message, messageFromWire, sessionFromWire } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { writeFiles } from "@pond/sessions";
import type { RetrievalSet, SetMessage, SetSession } from "./set.ts";

const firstMs = Date.parse("2026-01-05T09:00:00Z");
const minuteMs = 60_000;

/** Sessions on disk, as their clients would have left them. */
export type ClientHomes = {
  /** The clients' homes, by adapter. */
  readonly homes: ReadonlyMap<string, string>;
  /** Sessions by the folder they were held in: the only name that every client keeps. */
  readonly byProject: ReadonlyMap<string, SetSession>;
};

/**
 * Writes the sessions of all sets as sessions of the clients, each client in turn, with the writers
 * that restore uses.
 */
export async function writeClientHomes(
  sets: readonly RetrievalSet[],
  folder: string,
): Promise<ClientHomes> {
  const homes = new Map(adapters.map(({ origin }) => [origin, join(folder, origin)]));
  for (const home of homes.values()) mkdirSync(home, { recursive: true });
  const byProject = new Map<string, SetSession>();
  const meanings = meaningsOf();
  let turn = 0;
  for (const [at, { sessions }] of sets.entries()) {
    const children = Map.groupBy(sessions, ({ parent }) => parent);
    for (const session of children.get(undefined) ?? []) {
      const project = `/home/ada/set-${at}/work-${turn}`;
      const adapter = adapters[turn % adapters.length];
      if (adapter === undefined) continue;
      const startMs = firstMs + turn * minuteMs;
      const content = (each: SetSession): SessionContent => contentOf(each, project, startMs);
      const descendants = (children.get(session.id) ?? []).map(content);
      const lineage = { root: content(session), descendants };
      await writeFiles(
        [...adapter.to.writeForeign(lineage, meanings)],
        join(folder, adapter.origin),
      );
      byProject.set(project, session);
      turn += 1;
    }
  }
  return { homes, byProject };
}

function contentOf(
  { id, date, parent, messages }: SetSession,
  project: string,
  startMs: number,
): SessionContent {
  const beganMs = date === undefined ? startMs : Date.parse(date);
  const session = sessionFromWire({
    id: `${project}/${id}`,
    source_agent: "bench",
    created_at: timeOf(beganMs),
    project,
    options: {},
    ...(parent !== undefined && { parent_session_id: `${project}/${parent}` }),
  });
  const said = messages.flatMap((message, index) =>
    wireMessages(message, String(index)).map((wire) => ({ ...wire, index })),
  );
  return {
    session,
    messages: said.map(({ index, content, ...head }): Message => {
      const message = { ...head, session_id: session.id, options: {} };
      const parts = content.map((part, at) => {
        const place = { id: String(at), session_id: session.id, message_id: head.id };
        return { ...place, options: {}, ...part };
      });
      const timestamp = timeOf(beganMs + index * 20_000);
      return messageFromWire({ ...message, timestamp, content: parts });
    }),
  };
}

type Wire = { readonly id: string; readonly role: string; readonly content: readonly object[] };

function wireMessages(message: SetMessage, id: string): Wire[] {
  if ("text" in message) {
    const { role, text } = message;
    return [{ id, role, content: [{ type: "text", provenance: "conversational", text }] }];
  }
  const call = { call_id: `call-${id}`, name: "Bash", provenance: "conversational" };
  const params = { command: message.shell };
  const result = { ...call, provenance: "injected", result: message.output, is_failure: false };
  return [
    {
      id,
      role: "assistant",
      content: [{ type: "tool_call", ...call, params, provider_executed: false }],
    },
    { id: `${id}-answer`, role: "tool", content: [{ type: "tool_result", ...result }] },
  ];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
