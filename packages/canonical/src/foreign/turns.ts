import { type JsonValue, tryParseObject } from "../json.ts";
import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../message.ts";
import { partsOf } from "../message.ts";
import type { FilePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from "../part.ts";
import type {
  CommonCall,
  ContextImage,
  Meanings,
  NamedModel,
  RecordRules,
  SessionContent,
} from "../seam/codec.ts";
import { sourceOf } from "../seam/source-options.ts";
import { type Answer, Answers } from "./answers.ts";
import { hasVisibleText } from "./content.ts";
import { modelOf } from "./model-of.ts";
import { CallIds } from "./names.ts";
import type { Tally } from "./tally.ts";
import type { ImageBlock } from "./tool-result.ts";

/** What one side of the exchange contributed, in the order in which a model saw it. */
export type Turn = ContextTurn | UserTurn | AssistantTurn;

/** Given to the model but typed by no human: harness text, system text, results without a call. */
export type ContextTurn = {
  readonly kind: "context";
  readonly message: Message;
  readonly parts: readonly ContextPart[];
};

/** What the human typed, and the files sent with it. */
export type UserTurn = {
  readonly kind: "user";
  readonly message: UserMessage;
  readonly parts: readonly (TextPart | FilePart)[];
};

/**
 * One step of a model: what it said until something else was said or given, or another model spoke.
 */
export type AssistantTurn = {
  readonly kind: "assistant";
  /** The first message of the step; there may be several. */
  readonly message: AssistantMessage;
  /** Empty if the session names none. */
  readonly model: NamedModel;
  readonly parts: readonly AssistantPart[];
};

/** A piece of context. `orphan` is a result whose call is not in the session. */
export type ContextPart =
  | { readonly type: "system"; readonly text: string; readonly images: readonly ImageBlock[] }
  | TextPart
  | FilePart
  | { readonly type: "orphan"; readonly part: ToolResultPart };

/** A piece of a model's step. */
export type AssistantPart = TextPart | ReasoningPart | FilePart | Call;

/** A tool call together with its answer, wherever in the session that stands. */
export type Call = {
  readonly type: "call";
  readonly part: ToolCallPart;
  /** Unique in the session; letters, digits, `_` and `-`. */
  readonly callId: string;
  /** The parameters, parsed if the client writes an object as JSON text. */
  readonly params: JsonValue;
  /** What the call means in any client; undefined if it has no counterpart. */
  readonly common: CommonCall | undefined;
  /** Undefined if no answer was recorded. */
  readonly result: Answer | undefined;
};

/**
 * Turns a session into turns, for a writer of another client's files. The writer counts every part
 * that it gets. What is left out here is counted as dropped:
 *
 * - approvals, side files and records without a text, which no other client keeps;
 * - what the client's own rules say no model is to be told again.
 */
export function turnsOf(
  content: SessionContent,
  meanings: Meanings,
  tally: Tally,
): readonly Turn[] {
  const { source_agent: origin } = content.session;
  const rules = { ...defaultRules, ...meanings.recordRulesOf?.(origin) };
  const { live, undone, duplicates } = rules.course(content);
  for (const message of undone) {
    if (duplicates?.has(message))
      for (const { type } of partsOf(message)) tally.count(type, "translated");
    else countDropped(message, tally);
  }
  const readTool = (call: ToolCallPart) => meanings.readTool?.(origin, call);
  const turns = new Turns(live, { readTool, rules, tally });
  for (const message of live) turns.add(message);
  return turns.end();
}

/** The rules for the session's own content. */
type TurnRules = Required<Pick<RecordRules, "course" | "contextImages" | "contextText" | "model">>;

const defaultRules: TurnRules = {
  course: ({ messages }) => ({ live: messages, undone: [] }),
  contextText: ({ content }) => content,
  contextImages: () => [],
  model: modelOf,
};

function countDropped(message: Message, tally: Tally): void {
  if (message.role === "system") tally.count("system", "dropped");
  for (const { type } of partsOf(message)) tally.count(type, "dropped");
}

/** How to interpret the messages of one session. */
type Reading = {
  readonly readTool: (call: ToolCallPart) => CommonCall | undefined;
  readonly rules: TurnRules;
  readonly tally: Tally;
};

class Turns {
  readonly #turns: Turn[] = [];
  readonly #answers: Answers;
  readonly #callIds: CallIds = new CallIds();
  readonly #readTool: Reading["readTool"];
  readonly #rules: TurnRules;
  readonly #tally: Tally;
  /** The model that answers if a message names none. */
  #turnModel: NamedModel = {};
  /** The step that has not ended yet. */
  #step: (Omit<AssistantTurn, "kind" | "parts"> & { readonly parts: AssistantPart[] }) | undefined;
  /** True if a message of the open step has an answer in it. */
  #isAnswered = false;

  constructor(messages: readonly Message[], { readTool, rules, tally }: Reading) {
    this.#answers = new Answers(messages, rules.contextText);
    this.#readTool = readTool;
    this.#rules = rules;
    this.#tally = tally;
  }

  add(message: Message): void {
    switch (message.role) {
      case "system":
        this.#system(message);
        break;
      case "user":
        this.#user(message);
        break;
      case "assistant":
        this.#assistant(message);
        break;
      case "tool":
        this.#tool(message);
    }
  }

  end(): readonly Turn[] {
    this.#closeStep();
    return this.#turns;
  }

  /** A record that tells a model nothing, such as a token count, does not end a step either. */
  #system(message: SystemMessage): void {
    this.#turnModel = this.#modelOf(message);
    const text = this.#rules.contextText(message);
    if (hasVisibleText(text)) {
      const images = this.#rules.contextImages(message).map(imageBlock);
      this.#push({ kind: "context", message, parts: [{ type: "system", text, images }] });
    } else countDropped(message, this.#tally);
  }

  /** What the harness added and what a human typed become separate turns. */
  #user(message: UserMessage): void {
    // A file kept beside the session was never given to a model.
    if (sourceOf(message)["sidecar"] !== undefined) {
      countDropped(message, this.#tally);
      return;
    }
    const given = message.content.filter(({ provenance }) => provenance === "injected");
    const typed = message.content.filter(({ provenance }) => provenance === "conversational");
    if (given.length > 0) this.#push({ kind: "context", message, parts: given });
    if (typed.length > 0) this.#push({ kind: "user", message, parts: typed });
  }

  #assistant(message: AssistantMessage): void {
    // Some clients keep the answers in the message with the calls, and some record none. Either
    // way, what is said after a call belongs to the next step.
    const [first] = message.content;
    const hasCalled = this.#step?.parts.some(({ type }) => type === "call") ?? false;
    const isNext = this.#isAnswered || (hasCalled && first?.type !== "tool_call");
    if (isNext || this.#isByOtherModel(message)) this.#closeStep();
    for (const part of message.content) {
      switch (part.type) {
        case "tool_approval_request":
          this.#tally.count(part.type, "dropped");
          break;
        case "tool_result":
          this.#result(message, part);
          this.#isAnswered = true;
          break;
        case "tool_call":
          this.#addToStep(message, this.#call(part));
          break;
        default:
          this.#addContent(message, part);
      }
    }
  }

  /** True if the open step came from another model, or from a loop beside this one. */
  #isByOtherModel(message: AssistantMessage): boolean {
    if (this.#step === undefined) return false;
    const { message: first, model: known } = this.#step;
    const { model = known.model, provider = known.provider } = this.#modelOf(message);
    const isOtherLoop = sourceOf(first)["loop"] !== sourceOf(message)["loop"];
    return isOtherLoop || model !== known.model || provider !== known.provider;
  }

  /**
   * What the model says after an answer belongs to the next step; what the client added there is
   * context.
   */
  #addContent(message: AssistantMessage, part: TextPart | FilePart | ReasoningPart): void {
    if (part.type !== "reasoning" && part.provenance === "injected") {
      this.#push({ kind: "context", message, parts: [part] });
      return;
    }
    if (this.#isAnswered) this.#closeStep();
    this.#addToStep(message, part);
  }

  #tool(message: ToolMessage): void {
    this.#closeStep();
    for (const part of message.content) {
      if (part.type === "tool_result") this.#result(message, part);
      else this.#tally.count(part.type, "dropped");
    }
  }

  #call(part: ToolCallPart): Call {
    return {
      type: "call",
      part,
      callId: this.#callIds.next(part.call_id),
      params: parsedParams(part.params),
      common: this.#readTool(part),
      result: this.#answers.of(part),
    };
  }

  #result(message: Message, part: ToolResultPart): void {
    if (this.#answers.isOrphan(part)) {
      this.#push({ kind: "context", message, parts: [{ type: "orphan", part }] });
    }
  }

  #addToStep(message: AssistantMessage, part: AssistantPart): void {
    this.#step ??= { message, model: this.#modelOf(message), parts: [] };
    this.#step.parts.push(part);
  }

  #modelOf(message: Message): NamedModel {
    return { ...this.#turnModel, ...this.#rules.model(message) };
  }

  #push(turn: Turn): void {
    this.#closeStep();
    this.#turns.push(turn);
  }

  #closeStep(): void {
    if (this.#step) this.#turns.push({ kind: "assistant", ...this.#step });
    this.#step = undefined;
    this.#isAnswered = false;
  }
}

function imageBlock(image: ContextImage): ImageBlock {
  return { type: "image", ...image };
}

function parsedParams(params: JsonValue): JsonValue {
  // Broken JSON from a model stays text.
  return typeof params === "string" ? (tryParseObject(params) ?? params) : params;
}
