import type {
  AssistantMessage,
  JsonObject,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from "@pond/canonical";
import { isJsonObject, partsOf } from "@pond/canonical";
import {
  fileNote,
  resultText,
  type Written,
  writeFile,
  writeResult,
  writeText,
} from "./content.ts";
import { CallIds, toolName } from "./names.ts";
import type { Tally } from "./tally.ts";

/** What one side of the exchange says, as blocks of the API. */
export type Turn = {
  readonly role: "user" | "assistant";
  /** The message it comes from; an assistant turn may hold several, and this is the first. */
  readonly message: Message;
  readonly blocks: readonly JsonObject[];
  /** Text no human typed; the client shows it to the model only. */
  readonly isMeta: boolean;
};

/** The turns of a session in order, every call answered right behind the turn that made it. */
export function turnsOf(messages: readonly Message[], tally: Tally): readonly Turn[] {
  const turns = new Turns(messages, tally);
  for (const message of messages) turns.add(message);
  return turns.end();
}

class Turns {
  readonly #turns: Turn[] = [];
  readonly #results: Map<string, { message: Message; part: ToolResultPart }[]> = new Map();
  readonly #answered: Set<Part> = new Set();
  readonly #callIds: CallIds = new CallIds();
  readonly #tally: Tally;
  /** The assistant's turn that has not ended yet, and the calls in it. */
  #open: { message: AssistantMessage; blocks: JsonObject[] } | undefined;
  #calls: { id: string; part: ToolCallPart }[] = [];

  constructor(messages: readonly Message[], tally: Tally) {
    this.#tally = tally;
    for (const message of messages) {
      for (const part of partsOf(message)) {
        if (part.type !== "tool_result") continue;
        const known = this.#results.get(part.call_id);
        if (known) known.push({ message, part });
        else this.#results.set(part.call_id, [{ message, part }]);
      }
    }
  }

  add(message: Message): void {
    switch (message.role) {
      case "system":
        this.#system(message, message.content);
        break;
      case "user":
        this.#close();
        this.#user(message);
        break;
      case "assistant":
        this.#assistant(message);
        break;
      case "tool":
        this.#close();
        for (const part of message.content) {
          if (part.type === "tool_result") this.#orphan(message, part);
          else this.#tally.count(part.type, "dropped");
        }
    }
  }

  end(): readonly Turn[] {
    this.#close();
    return this.#turns;
  }

  #system(message: Message, content: string): void {
    const { block, outcome } = writeText(content);
    this.#tally.count("system", block ? "translated" : outcome);
    if (block === undefined) return;
    this.#close();
    this.#turns.push({ role: "user", message, blocks: [block], isMeta: true });
  }

  /** What the harness added and what a human gave must not stand in one row. */
  #user(message: UserMessage): void {
    for (const provenance of ["injected", "conversational"] as const) {
      const isMeta = provenance === "injected";
      const blocks = message.content
        .filter((part) => part.provenance === provenance)
        .flatMap((part) => {
          const written = part.type === "text" ? writeText(part.text) : writeFile(part);
          const isMoved = isMeta && written.outcome === "kept";
          return this.#take(part, isMoved ? { ...written, outcome: "translated" } : written);
        });
      if (blocks.length > 0) this.#turns.push({ role: "user", message, blocks, isMeta });
    }
  }

  #assistant(message: AssistantMessage): void {
    const blocks = message.content.flatMap((part) => this.#assistantPart(message, part));
    if (blocks.length === 0) return;
    this.#open ??= { message, blocks: [] };
    this.#open.blocks.push(...blocks);
  }

  #assistantPart(
    message: AssistantMessage,
    part: AssistantMessage["content"][number],
  ): JsonObject[] {
    switch (part.type) {
      case "text":
        return this.#take(part, writeText(part.text));
      case "tool_call":
        return [this.#call(part)];
      case "tool_result":
        // A server's own tool answers inside the turn; its answer follows the turn here.
        if (!this.#calls.some((call) => call.part.call_id === part.call_id)) {
          this.#orphan(message, part);
        }
        return [];
      case "file":
        return this.#take(part, { block: fileNote(part), outcome: "dropped" });
      case "reasoning":
      case "tool_approval_request":
        // A signature of another provider is refused by the API, and thinking needs one.
        this.#tally.count(part.type, "dropped");
        return [];
    }
  }

  #call(part: ToolCallPart): JsonObject {
    const id = this.#callIds.next(part.call_id);
    this.#calls.push({ id, part });
    const name = toolName(part.name);
    const isObject = isJsonObject(part.params);
    const isKept = isObject && name === part.name && !part.provider_executed;
    this.#tally.count("tool_call", isKept ? "kept" : "translated");
    const input = isObject ? part.params : { input: part.params };
    return { type: "tool_use", id, name, input };
  }

  /** Ends the assistant's turn: its rows, then the answer to each of its calls. */
  #close(): void {
    const [open, calls] = [this.#open, this.#calls];
    this.#open = undefined;
    this.#calls = [];
    if (open === undefined) return;
    this.#turns.push({ role: "assistant", ...open, isMeta: false });
    // Where no answer was recorded, the one before it says when: rows are sorted by their time.
    let at: Message = open.message;
    for (const { id, part } of calls) {
      const result = this.#results.get(part.call_id)?.shift();
      if (result) this.#answered.add(result.part);
      const blocks = result
        ? this.#take(result.part, writeResult(id, result.part))
        : [{ type: "tool_result", tool_use_id: id, content: unanswered, is_error: true }];
      at = result?.message ?? at;
      this.#turns.push({ role: "user", message: at, blocks, isMeta: false });
    }
  }

  /** A result no call waits for: the API would refuse it, so its text is kept. */
  #orphan(message: Message, part: ToolResultPart): void {
    if (this.#answered.has(part)) return;
    const queue = this.#results.get(part.call_id) ?? [];
    this.#results.set(
      part.call_id,
      queue.filter((waiting) => waiting.part !== part),
    );
    const blocks = this.#take(part, { ...writeText(resultText(part)), outcome: "translated" });
    this.#close();
    this.#turns.push({ role: "user", message, blocks, isMeta: true });
  }

  #take(part: Part, { block, outcome }: Written): JsonObject[] {
    this.#tally.count(part.type, outcome);
    return block ? [block] : [];
  }
}

const unanswered = "No result of this call was recorded.";
