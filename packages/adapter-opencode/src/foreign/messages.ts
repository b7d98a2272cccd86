import type { JsonObject, Message, Session } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import type { NamedModel } from "@pond/canonical/adapter";
import type {
  AssistantPart,
  AssistantTurn,
  ContextPart,
  Tally,
  Turn,
} from "@pond/canonical/foreign";
import { millisOf } from "../records/envelope.ts";
import { Ids, type SourceIds } from "./names.ts";
import { assistantParts, type BarePart, userParts } from "./parts.ts";
import { groupTurns, type TurnGroup } from "./turn-groups.ts";

/** A message as the client exports it. */
export type WrittenMessage = { readonly info: JsonObject; readonly parts: readonly JsonObject[] };

/** The model that a session ran on, under the client's names. */
type ModelName = { readonly providerID: string; readonly modelID: string };

type SourcedPart = { readonly part: BarePart; readonly source: SourceIds };

/** The turns of a session as messages of 1.x, in an order that every release agrees on. */
export function messagesOf(
  turns: readonly Turn[],
  session: Session,
  id: string,
  tally: Tally,
): readonly WrittenMessage[] {
  const writer = new MessageWriter(session, id, tally);
  const groups = groupTurns(turns);
  for (const [index, group] of groups.entries())
    writer.add(group, nextAssistantTurn(groups, index));
  return writer.written;
}

/** The next step of the model, because a prompt names the model that is to answer it. */
function nextAssistantTurn(groups: readonly TurnGroup[], from: number): AssistantTurn | undefined {
  for (let index = from; index < groups.length; index++) {
    const group = groups[index];
    if (group?.role === "assistant") return group.turn;
  }
  return undefined;
}

class MessageWriter {
  readonly written: WrittenMessage[] = [];
  readonly #session: Session;
  readonly #id: string;
  readonly #tally: Tally;
  readonly #ids: Ids;
  #model: ModelName;
  #lastMs: number;
  /** The prompt that answers refer to. */
  #prompt: string | undefined;

  constructor(session: Session, id: string, tally: Tally) {
    this.#session = session;
    this.#id = id;
    this.#tally = tally;
    this.#ids = new Ids(session.id);
    this.#lastMs = millisOf(session.created_at);
    this.#model = { providerID: session.source_agent, modelID: "unknown" };
  }

  add(group: TurnGroup, answer: AssistantTurn | undefined): void {
    const atMs = this.#time(group);
    const source = [group.message.id];
    if (answer) this.#model = modelName(answer.model, this.#model);
    if (group.role === "user") {
      const parts = group.turns.flatMap((turn) => {
        return turn.parts.flatMap((part) => {
          const written = userParts(part, turn.kind === "user", this.#tally);
          return withSource(written, sourceIdsOf(part, turn.message));
        });
      });
      if (parts.length > 0) this.#user(parts, source, atMs);
      return;
    }
    const { turn } = group;
    const parts = turn.parts.flatMap((part) => {
      const written = assistantParts(part, atMs, this.#tally);
      return withSource(written, sourceIdsOf(part, turn.message));
    });
    if (parts.length === 0) return;
    if (this.#prompt === undefined) {
      this.#user([{ part: opening(this.#session), source }], source, atMs);
    }
    this.#assistant(parts, source, atMs);
  }

  /** Never before the message above, because the order is by time. */
  #time({ message }: TurnGroup): number {
    this.#lastMs = Math.max(this.#lastMs, millisOf(message.timestamp));
    return this.#lastMs;
  }

  #user(parts: readonly SourcedPart[], source: SourceIds, atMs: number): void {
    const id = this.#ids.message(source);
    this.#prompt = id;
    this.#push(parts, {
      id,
      sessionID: this.#id,
      role: "user",
      time: { created: atMs },
      agent,
      model: this.#model,
    });
  }

  #assistant(parts: readonly SourcedPart[], source: SourceIds, atMs: number): void {
    const ends = parts.map(({ part }) => endOf(part) ?? atMs);
    const hasCalls = parts.some(({ part }) => part.type === "tool");
    const reason = hasCalls ? "tool-calls" : "stop";
    const finish = { type: "step-finish", reason, cost: 0, tokens: noTokens };
    const start = { type: "step-start" };
    this.#push([{ part: start, source }, ...parts, { part: finish, source }], {
      id: this.#ids.message(source),
      sessionID: this.#id,
      role: "assistant",
      time: { created: atMs, completed: Math.max(...ends) },
      parentID: this.#prompt ?? "",
      ...this.#model,
      mode: agent,
      agent,
      path: { cwd: this.#session.project, root: this.#session.project },
      cost: 0,
      tokens: noTokens,
      finish: reason,
    });
  }

  #push(parts: readonly SourcedPart[], info: JsonObject & { readonly id: string }): void {
    const placed = parts.map((part) => this.#place(part, info.id));
    this.written.push({ info, parts: placed });
  }

  #place({ part, source }: SourcedPart, messageID: string): JsonObject {
    const isEnd = part.type === "step-finish";
    const id = isEnd ? this.#ids.end(source) : this.#ids.part(source);
    const place = { id, sessionID: this.#id, messageID };
    const { state } = part;
    if (!isJsonObject(state) || !Array.isArray(state["attachments"])) return { ...place, ...part };
    // A file that a tool returned is a part with an id, too.
    const attachments = state["attachments"].filter(isJsonObject).map((file, index) => {
      return { ...place, id: this.#ids.file(index, source), ...file };
    });
    return { ...place, ...part, state: { ...state, attachments } };
  }
}

function withSource(parts: readonly BarePart[], source: SourceIds): readonly SourcedPart[] {
  return parts.map((part) => ({ part, source }));
}

/** Ids of parts may repeat in other messages. */
function sourceIdsOf(piece: ContextPart | AssistantPart, message: Message): SourceIds {
  if (piece.type === "system") return [message.id];
  const { message_id, id } = "part" in piece ? piece.part : piece;
  return [message_id, id];
}

/** Every answer needs a prompt that it answers. */
function opening({ source_agent }: Session): BarePart {
  const text = `This session was restored from ${source_agent}.`;
  return { type: "text", text, synthetic: true };
}

function endOf({ state }: BarePart): number | undefined {
  const time = isJsonObject(state) ? state["time"] : undefined;
  const end = isJsonObject(time) ? time["end"] : undefined;
  return typeof end === "number" ? end : undefined;
}

/** The client looks a model up by its provider, which some clients do not name. */
function modelName({ model, provider }: NamedModel, known: ModelName): ModelName {
  if (model === undefined) return known;
  const guess = providers.find(([start]) => model.startsWith(start))?.[1];
  return { providerID: provider ?? guess ?? known.providerID, modelID: model };
}

const providers: readonly (readonly [start: string, provider: string])[] = [
  ["claude", "anthropic"],
  ["gpt", "openai"],
  ["o1", "openai"],
  ["o3", "openai"],
  ["o4", "openai"],
  ["codex", "openai"],
  ["gemini", "google"],
];

const agent = "build";
const noTokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
