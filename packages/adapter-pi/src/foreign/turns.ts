import type { JsonObject, JsonValue, Message } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import type { Meanings, SessionContent, Tools } from "@pond/canonical/adapter";
import {
  type AssistantPart,
  type AssistantTurn,
  asTranslated,
  type Call,
  type ContextPart,
  type ContextTurn,
  missingResultText,
  orphanBlocks,
  type Tally,
  type Turn,
  toolName,
  turnsOf,
  type UserTurn,
  type WrittenPart,
} from "@pond/canonical/foreign";
import type { Dialect } from "../dialect.ts";
import { resultBlock, writeFile, writeResult, writeText } from "./content.ts";
import type { LogWriter } from "./log.ts";
import { modelUsed } from "./model.ts";

/** What writing the turns of one session needs. */
export type TurnContext = {
  readonly dialect: Dialect;
  readonly tools: Tools;
  readonly meanings: Meanings;
  readonly tally: Tally;
  readonly log: LogWriter;
};

/** Writes the conversation of a session of another client. */
export function writeTurns(content: SessionContent, context: TurnContext): void {
  const writer = new TurnWriter(content.session.source_agent, context);
  const turns = turnsOf(content, context.meanings, context.tally);
  // The model is known from the beginning, as in a session of the client's own.
  const first = turns.find((turn) => turn.kind === "assistant");
  const { log } = context;
  if (first) {
    log.setModel(content.session.created_at, modelUsed(first.model, undefined, writer.origin));
  }
  for (const turn of turns) writer.write(turn);
}

class TurnWriter {
  readonly origin: string;
  readonly #context: TurnContext;
  /** True if something is in the user's place. */
  #hasPrompt = false;

  constructor(origin: string, context: TurnContext) {
    this.origin = origin;
    this.#context = context;
  }

  write(turn: Turn): void {
    switch (turn.kind) {
      case "context":
        this.#writeContext(turn);
        break;
      case "user":
        this.#writePrompt(turn);
        break;
      case "assistant":
        this.#writeAssistant(turn);
    }
  }

  #writeContext({ message, parts }: ContextTurn): void {
    const content = parts.flatMap((part) => this.#contextBlocks(part));
    if (content.length > 0) this.#addContext(message, content);
  }

  #addContext({ timestamp }: Message, content: readonly JsonObject[]): void {
    this.#hasPrompt = true;
    this.#context.log.context(timestamp, content);
  }

  #contextBlocks(part: ContextPart): JsonObject[] {
    switch (part.type) {
      case "system":
        return [
          ...this.#context.tally.take("system", asTranslated(writeText(part.text))),
          ...part.images.map(resultBlock),
        ];
      case "orphan":
        this.#context.tally.count("tool_result", "translated");
        return orphanBlocks(part.part).map(resultBlock);
      case "text":
        return this.#context.tally.take(part.type, writeText(part.text));
      case "file":
        return this.#context.tally.take(part.type, writeFile(part));
    }
  }

  #writePrompt({ message, parts }: UserTurn): void {
    const content = parts.flatMap((part) =>
      this.#context.tally.take(
        part.type,
        part.type === "text" ? writeText(part.text) : writeFile(part),
      ),
    );
    if (content.length === 0) return;
    this.#hasPrompt = true;
    this.#context.log.prompt(message.timestamp, content);
  }

  #writeAssistant({ message, model, parts }: AssistantTurn): void {
    const { log } = this.#context;
    const calls: WrittenCall[] = [];
    const content = parts.flatMap((part) => this.#assistantBlocks(part, calls));
    if (content.length === 0) return;
    // Providers refuse a conversation that begins with an answer.
    if (!this.#hasPrompt) this.#addContext(message, [opening(this.origin)]);
    const used = modelUsed(model, log.model, this.origin);
    log.setModel(message.timestamp, used);
    const stopReason = calls.length > 0 ? "toolUse" : "stop";
    const fields = { role: "assistant", content, ...used, usage: noUsage, stopReason };
    log.message(message.timestamp, fields);
    // If no answer was recorded, the previous one gives the time.
    let at: Message = message;
    for (const { part, name } of calls) {
      at = part.result?.message ?? at;
      log.message(at.timestamp, this.#toolResult(part, name));
    }
  }

  #assistantBlocks(part: AssistantPart, calls: WrittenCall[]): JsonObject[] {
    switch (part.type) {
      case "call": {
        const call = this.#writeCall(part);
        calls.push(call);
        return [call.block];
      }
      case "text":
        return this.#context.tally.take(part.type, writeText(part.text));
      case "reasoning": {
        const { block, outcome } = writeText(part.text);
        // A signature is only valid for another client's requests; without one, it is plain text to
        // a provider.
        const thinking = block && { type: "thinking", thinking: block["text"] ?? "" };
        return this.#context.tally.take(part.type, { block: thinking, outcome });
      }
      case "file":
        return this.#context.tally.take(part.type, this.#imageOrPlaceholder(writeFile(part)));
    }
  }

  /** pi has no place for an image that a model drew. */
  #imageOrPlaceholder({ block, outcome }: WrittenPart): WrittenPart {
    const isImage = block?.["type"] === "image";
    if (!isImage || this.#context.dialect.hasBlobs) return { block, outcome };
    return { block: { type: "text", text: `[Image, ${block["mimeType"]}]` }, outcome: "dropped" };
  }

  #writeCall(part: Call): WrittenCall {
    const { tools, tally } = this.#context;
    const { name, params, provider_executed: isProviderExecuted } = part.part;
    const written = part.common && tools.write(part.common);
    const legal = toolName(written?.name ?? name);
    const given = written?.params ?? part.params;
    const input = isJsonObject(given) ? given : { input: given };
    const isSame =
      legal === name && written === undefined && input === params && !isProviderExecuted;
    tally.count("tool_call", isSame ? "kept" : "translated");
    return {
      part,
      name: legal,
      block: { type: "toolCall", id: part.callId, name: legal, arguments: input },
    };
  }

  #toolResult(
    { part, callId, result }: Call,
    toolName: string,
  ): Readonly<Record<string, JsonValue>> {
    const place = { role: "toolResult", toolCallId: callId, toolName };
    if (result === undefined) {
      // The answer to a tool that the provider ran is in what the model said next.
      const isError = !part.provider_executed;
      return { ...place, content: [{ type: "text", text: missingResultText }], isError };
    }
    const { content, outcome } = writeResult(result.part);
    this.#context.tally.count("tool_result", outcome);
    return { ...place, content, isError: result.part.is_failure };
  }
}

function opening(origin: string): JsonObject {
  return { type: "text", text: `This session was restored from ${origin}.` };
}

type WrittenCall = { readonly part: Call; readonly name: string; readonly block: JsonObject };

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
