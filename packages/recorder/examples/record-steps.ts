// Reports what the AI SDK does to a loop of @pond/recorder: for generateText, streamText and its
// agents.
import type { JsonObject, JsonValue } from "@pond/canonical";
import type { LoopHandle, MessageDraft, Usage } from "@pond/recorder";
import type {
  ContentPart,
  LanguageModelCallEndEvent,
  LanguageModelUsage,
  ProviderMetadata,
  StepResult,
  ToolExecutionEndEvent,
  ToolExecutionStartEvent,
  ToolSet,
} from "ai";

/** Callbacks that record each step as a turn. */
export type StepRecorder = {
  readonly callbacks: {
    onStepStart(event: unknown): void;
    onLanguageModelCallEnd(event: LanguageModelCallEndEvent): void;
    onToolExecutionStart(event: ToolExecutionStartEvent): void;
    onToolExecutionEnd(event: ToolExecutionEndEvent): void;
    onStepEnd(step: Pick<StepResult<ToolSet>, "usage">): void;
  };
  /** The SDK swallows what a callback throws. @throws The first such error. */
  check(): void;
};

export function recordSteps(loop: LoopHandle): StepRecorder {
  const thrown: unknown[] = [];
  /** Answers of tools that were called, and finished, while the model was still speaking. */
  let early: MessageDraft[] | undefined;
  const guarded =
    <Event>(record: (event: Event) => void) =>
    (event: Event): void => {
      try {
        record(event);
      } catch (error) {
        thrown.push(error);
      }
    };

  return {
    callbacks: {
      onStepStart: guarded(() => {
        early = [];
        loop.startTurn();
      }),
      // Recorded before any tool runs, so that a crash in a tool leaves the call that started it.
      onLanguageModelCallEnd: guarded((event) => {
        loop.say(answerOf(event));
        for (const draft of early ?? []) loop.say(draft);
        early = undefined;
      }),
      onToolExecutionStart: guarded(({ toolCall }) => {
        loop.startTool(callOf(toolCall), toJson(toolCall.input));
      }),
      onToolExecutionEnd: guarded(({ toolCall, toolOutput }) => {
        const call = callOf(toolCall);
        const is_failure = toolOutput.type === "tool-error";
        const result = is_failure ? String(toolOutput.error) : toJson(toolOutput.output);
        // The tool's answer is said once, as the model is told it.
        loop.endTool(call, { is_failure });
        const part = { type: "tool_result", ...call, is_failure, result } as const;
        const answer: MessageDraft = { role: "tool", content: [part] };
        if (early) early.push(answer);
        else loop.say(answer);
      }),
      onStepEnd: guarded(({ usage }) => loop.endTurn(usageOf(usage))),
    },
    check() {
      if (thrown.length > 0) throw thrown[0];
    },
  };
}

function callOf({
  toolCallId,
  toolName,
}: {
  readonly toolCallId: string;
  readonly toolName: string;
}) {
  return { call_id: toolCallId, name: toolName };
}

function answerOf({
  content,
  modelId,
  provider,
  usage,
  finishReason,
  providerMetadata,
}: LanguageModelCallEndEvent): MessageDraft {
  const others = content.filter((part) => toPart(part) === undefined).map(toJson);
  // Sources and other content that the model has no word for stay as the SDK gave them.
  const metadata = {
    ...(others.length > 0 && { content: others }),
    ...(providerMetadata && { providerMetadata: toJson(providerMetadata) }),
  };
  return {
    role: "assistant",
    content: content.flatMap((part) => toPart(part) ?? []),
    model: modelId,
    provider,
    usage: usageOf(usage),
    stop_reason: finishReason,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

type AssistantPart = Exclude<
  Extract<MessageDraft, { role: "assistant" }>["content"],
  string
>[number];

function toPart(part: ContentPart<ToolSet>): AssistantPart | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: part.text, ...optionsOf(part) };
    case "file":
      return {
        type: "file",
        media_type: part.file.mediaType,
        data: { type: "bytes", bytes: part.file.uint8Array },
        ...optionsOf(part),
      };
    case "tool-call":
      return {
        type: "tool_call",
        ...callOf(part),
        params: toJson(part.input),
        provider_executed: part.providerExecuted ?? false,
        ...optionsOf(part),
      };
    case "tool-result":
      return {
        type: "tool_result",
        ...callOf(part),
        result: toJson(part.output),
        ...optionsOf(part),
      };
    case "tool-error":
      return {
        type: "tool_result",
        ...callOf(part),
        is_failure: true,
        result: String(part.error),
        ...optionsOf(part),
      };
    default:
      return undefined;
  }
}

/** Data that a provider wants to see again, such as the signature of a thought. */
function optionsOf({ providerMetadata }: { readonly providerMetadata?: ProviderMetadata }): {
  readonly options?: JsonObject;
} {
  return providerMetadata ? { options: JSON.parse(JSON.stringify(providerMetadata)) } : {};
}

function usageOf(usage: LanguageModelUsage): Usage {
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails } = usage;
  return known({
    input: inputTokens,
    output: outputTokens,
    reasoning: outputTokenDetails.reasoningTokens,
    cache_read: inputTokenDetails.cacheReadTokens,
    cache_write: inputTokenDetails.cacheWriteTokens,
    total_tokens: totalTokens,
  });
}

/** The counts that the provider reported. */
function known(counts: Readonly<Record<keyof Usage, number | undefined>>): Usage {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

/** Tools take and return any value; undefined becomes null. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? "null");
}
