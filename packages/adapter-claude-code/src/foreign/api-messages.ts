import type { JsonObject, Message } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import {
  type AssistantPart,
  type AssistantTurn,
  asTranslated,
  type Call,
  type ContextPart,
  fileNote,
  missingResultText,
  orphanBlocks,
  type ResultBlock,
  type Tally,
  type Turn,
  toolName,
} from "@pond/canonical/foreign";
import { claudeCodeTools } from "../tools.ts";
import { resultBlock, writeFile, writeResult, writeText } from "./content.ts";

/** What one side says, as blocks of the API. */
export type ApiMessage = {
  readonly role: "user" | "assistant";
  readonly message: Message;
  /** Undefined for a user's, and if the session names none. */
  readonly model?: string | undefined;
  readonly blocks: readonly JsonObject[];
  /** True for text that no human typed; the client shows it only to the model. */
  readonly isMeta: boolean;
};

/**
 * A turn in the form that the API takes: every call is answered right after the turn that made it.
 */
export function* apiMessagesOf(turn: Turn, tally: Tally): Generator<ApiMessage> {
  if (turn.kind === "assistant") {
    yield* assistantMessages(turn, tally);
    return;
  }
  const isMeta = turn.kind === "context";
  const blocks = isMeta
    ? turn.parts.flatMap((part) => contextBlocks(part, tally))
    : turn.parts.flatMap((part) => {
        const written = part.type === "text" ? writeText(part.text) : writeFile(part);
        return tally.take(part.type, written);
      });
  if (blocks.length > 0) yield { role: "user", message: turn.message, blocks, isMeta };
}

function contextBlocks(part: ContextPart, tally: Tally): JsonObject[] {
  switch (part.type) {
    case "system":
      return [
        ...tally.take("system", asTranslated(writeText(part.text))),
        ...blocksOf(part.images),
      ];
    case "orphan":
      // The API would refuse a result that no call waits for, so its content stands by itself.
      tally.count("tool_result", "translated");
      return blocksOf(orphanBlocks(part.part));
    case "text":
      return tally.take(part.type, asTranslated(writeText(part.text)));
    case "file":
      return tally.take(part.type, asTranslated(writeFile(part)));
  }
}

function blocksOf(blocks: readonly ResultBlock[]): JsonObject[] {
  return blocks.map(resultBlock).filter((block) => block !== undefined);
}

function* assistantMessages(turn: AssistantTurn, tally: Tally): Generator<ApiMessage> {
  const { message, parts } = turn;
  const blocks = parts.flatMap((part) => assistantBlocks(part, tally));
  if (blocks.length === 0) return;
  yield { role: "assistant", message, model: turn.model.model, blocks, isMeta: false };
  // If no answer was recorded, the previous one gives the time, because rows are sorted by time.
  let at: Message = message;
  for (const part of parts) {
    if (part.type !== "call") continue;
    at = part.result?.message ?? at;
    yield { role: "user", message: at, blocks: answer(part, tally), isMeta: false };
  }
}

function assistantBlocks(part: AssistantPart, tally: Tally): JsonObject[] {
  switch (part.type) {
    case "text":
      return tally.take(part.type, writeText(part.text));
    case "call":
      return [callBlock(part, tally)];
    case "file":
      return tally.take(part.type, {
        block: { type: "text", text: fileNote(part) },
        outcome: "dropped",
      });
    case "reasoning":
      // The API refuses a signature of another provider, and thinking needs one.
      tally.count(part.type, "dropped");
      return [];
  }
}

function callBlock({ part, callId, params: parsed, common }: Call, tally: Tally): JsonObject {
  const own = common && claudeCodeTools.write(common);
  const { name, params } = own ?? { name: part.name, params: parsed };
  const isObject = isJsonObject(params);
  const isKept =
    !own &&
    isObject &&
    params === part.params &&
    name === toolName(name) &&
    !part.provider_executed;
  tally.count("tool_call", isKept ? "kept" : "translated");
  const input = isObject ? params : { input: params };
  return { type: "tool_use", id: callId, name: toolName(name), input };
}

function answer({ part, callId, result }: Call, tally: Tally): JsonObject[] {
  if (result) return tally.take("tool_result", writeResult(callId, result.part));
  // The answer to a tool that the provider ran is in what the model said next.
  const is_error = !part.provider_executed;
  return [{ type: "tool_result", tool_use_id: callId, content: missingResultText, is_error }];
}
