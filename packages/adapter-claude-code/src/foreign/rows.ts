import type { JsonObject, Session } from "@pond/canonical";
import { derivedHex, derivedUuid, type SessionTitle } from "@pond/canonical/foreign";
import type { ApiMessage } from "./api-messages.ts";

/** The fields that every row of one file shares. */
export type RowPlace = {
  readonly session: Session;
  /** The id of the main session, which an agent's rows carry as well. */
  readonly sessionUuid: string;
  /** Set in a sub-agent's file. */
  readonly agentId?: string;
  readonly title?: SessionTitle | undefined;
};

/**
 * The rows of a file in order. Each is the child of the one before, because a gap would cut the
 * history.
 */
export function* rowsOf(
  apiMessages: readonly ApiMessage[],
  place: RowPlace,
): Generator<JsonObject> {
  const write = new RowWriter(place);
  // Not every build finds a file that begins with another record.
  if (apiMessages[0]?.role !== "user") yield write.opening();
  for (const [index, apiMessage] of apiMessages.entries())
    yield* write.messageRows(apiMessage, index);
  if (place.agentId !== undefined) return;
  if (place.title) yield write.title(place.title);
  yield write.lastPrompt(apiMessages);
}

class RowWriter {
  readonly #place: RowPlace;
  #parent: string | null = null;

  constructor(place: RowPlace) {
    this.#place = place;
  }

  opening(): JsonObject {
    const { session } = this.#place;
    const content = `This session was restored from ${session.source_agent}.`;
    const message = { role: "user", content };
    return this.#row("user", session.created_at, ["opening"], { message, isMeta: true });
  }

  *messageRows(apiMessage: ApiMessage, index: number): Generator<JsonObject> {
    const { message, blocks, isMeta } = apiMessage;
    if (apiMessage.role === "user") {
      const [only] = blocks;
      const isPlain = blocks.length === 1 && only?.["type"] === "text";
      const content = isPlain ? (only["text"] ?? "") : blocks;
      yield this.#row("user", message.timestamp, [message.id, String(index)], {
        message: { role: "user", content },
        ...(isMeta && { isMeta }),
      });
      return;
    }
    const hasCalls = blocks.some(({ type }) => type === "tool_use");
    const id = `msg_${derivedHex(this.#place.session.id, message.id, String(index)).slice(0, 24)}`;
    for (const [at, block] of blocks.entries()) {
      const isLast = at === blocks.length - 1;
      yield this.#row("assistant", message.timestamp, [message.id, String(index), String(at)], {
        message: {
          id,
          type: "message",
          role: "assistant",
          model: modelIn(apiMessage) ?? this.#place.session.source_agent,
          content: [block],
          stop_reason: isLast ? (hasCalls ? "tool_use" : "end_turn") : null,
          stop_sequence: null,
          usage: noUsage,
        },
      });
    }
  }

  title({ text, isChosen }: SessionTitle): JsonObject {
    const { sessionUuid: sessionId } = this.#place;
    if (isChosen) return { type: "custom-title", customTitle: text, sessionId };
    return { type: "ai-title", aiTitle: text, sessionId };
  }

  /**
   * What the client's list shows for a session without a title. The client reads it at the end of
   * the file.
   */
  lastPrompt(apiMessages: readonly ApiMessage[]): JsonObject {
    const typed = apiMessages.findLast(({ role, isMeta, blocks }) => {
      return role === "user" && !isMeta && blocks[0]?.["type"] === "text";
    });
    const text = String(typed?.blocks[0]?.["text"] ?? this.#place.session.source_agent);
    const lastPrompt = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    const { sessionUuid } = this.#place;
    return { type: "last-prompt", lastPrompt, leafUuid: this.#parent, sessionId: sessionUuid };
  }

  #row(
    type: "user" | "assistant",
    timestamp: bigint,
    names: readonly string[],
    fields: JsonObject,
  ): JsonObject {
    const { session, sessionUuid, agentId } = this.#place;
    const uuid = derivedUuid(session.id, ...names);
    const parentUuid = this.#parent;
    this.#parent = uuid;
    return {
      parentUuid,
      isSidechain: agentId !== undefined,
      ...(agentId !== undefined && { agentId }),
      userType: "external",
      entrypoint: "cli",
      cwd: session.project,
      sessionId: sessionUuid,
      version,
      gitBranch: "",
      type,
      ...fields,
      uuid,
      timestamp: new Date(Number(timestamp / 1000n)).toISOString(),
    };
  }
}

/**
 * The model of an answer, as the client's API spells it. The client continues with the last name
 * that it takes for a Claude; another provider's name for it would be refused. With any other name
 * it uses its default.
 */
function modelIn({ model }: ApiMessage): string | undefined {
  return model !== undefined && apiModel.test(model) ? model : undefined;
}

/** For example `claude-opus-4-6`, and among older ones `claude-3-opus-20240229`. */
const apiModel =
  /^claude-(?:[a-z]+-\d+(?:-\d{1,2})?(?:-\d{8})?|3(?:-\d)?-[a-z]+-(?:\d{8}|latest))$/;

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The release whose form these rows have. */
const version = "2.1.220";
