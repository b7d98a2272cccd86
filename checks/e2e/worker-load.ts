import { createHash } from "node:crypto";
import type { IngestEvent } from "@pond/client";

/** The load that many clients send at once, the same in every run. */
export type Load = {
  readonly clients: number;
  /** Requests of each client, without repeated ones. */
  readonly rounds: number;
  /** Messages of a session in one request. */
  readonly messages: number;
};

/** One request, and how its sessions are found. */
export type Round = { readonly events: readonly IngestEvent[]; readonly said: readonly Said[] };

/** A word that only this session holds, in the texts of this request. */
type Said = { readonly sessionId: string; readonly marker: string };

/** Two clients next to each other use different servers. */
const partnerOf = (client: number): number => client - (client % 2);

/**
 * The messages that a client sends in a round: the next ones of a session of its own, which
 * continues for three rounds, and in every other round those of a session that its partner sends,
 * too, and that also continues.
 */
export function roundOf(load: Load, client: number, round: number): Round {
  const own = piece(load, `own-${client}-${Math.floor(round / 3)}`, round % 3);
  if (round % 2 === 0) return { events: own.events, said: [own.said] };
  const number = Math.floor(round / 4);
  const shared = piece(load, `shared-${partnerOf(client)}-${number}`, (round >> 1) % 2);
  return { events: [...own.events, ...shared.events], said: [own.said, shared.said] };
}

/** Everything, session by session, as one client would send it. */
export function wholeOf(load: Load): ReadonlyMap<string, readonly Round[]> {
  const pieces = new Map<string, Map<string, Round>>();
  for (let client = 0; client < load.clients; client += 1) {
    for (let round = 0; round < load.rounds; round += 1) {
      const { events, said } = roundOf(load, client, round);
      for (const each of said) {
        const known = pieces.get(each.sessionId) ?? new Map<string, Round>();
        const own = events.filter((event) => sessionOf(event) === each.sessionId);
        pieces.set(each.sessionId, known.set(each.marker, { events: own, said: [each] }));
      }
    }
  }
  return new Map([...pieces].map(([id, rounds]) => [id, [...rounds.values()]]));
}

function sessionOf(event: IngestEvent): string {
  switch (event.kind) {
    case "session":
      return event.session.id;
    case "message":
      return event.message.session_id;
    case "part":
      return event.part.session_id;
  }
}

function piece({ messages }: Load, id: string, number: number) {
  const marker = wordOf(`${id}-${number}`);
  const session = {
    ...{ id, source_agent: "claude-code", project: "/work/demo", options: {} },
    created_at: time(0),
  };
  const from = number * messages;
  const said = Array.from({ length: messages }, (_, at) => message(id, from + at, marker));
  const events: IngestEvent[] = [{ kind: "session", session }, ...said.flat()];
  return { events, said: { sessionId: id, marker } };
}

/** A message and its part; a message of a model also has a tool call. */
function message(session_id: string, at: number, marker: string): IngestEvent[] {
  const [id, role] = [`${session_id}/${at}`, at % 2 === 0 ? "user" : "assistant"] as const;
  const header = { id, session_id, role, timestamp: time(at), options: {} } as const;
  const part = { session_id, message_id: id, provenance: "conversational", options: {} } as const;
  const text = `${marker} ${at}: ${"the lock file of the build is stale ".repeat(1 + (at % 7))}`;
  const said = { ...part, id: `${id}/0`, type: "text", text } as const;
  const call = { type: "tool_call", call_id: `c-${at}`, name: "Bash" } as const;
  const called = { ...call, params: { command: `ls ${at}` }, provider_executed: false };
  return [
    { kind: "message", message: header },
    { kind: "part", part: said },
    ...(role === "user"
      ? []
      : [{ kind: "part", part: { ...part, ...called, id: `${id}/1` } } as const]),
  ];
}

function time(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 20, 10, 0, seconds)).toISOString();
}

/** A word that shares no beginning with a word of another text. */
function wordOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return digest.replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
}
