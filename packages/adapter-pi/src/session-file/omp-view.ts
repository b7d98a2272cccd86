import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/**
 * Messages as omp gives them to a model: without answers that failed or were interrupted and the
 * results of their calls, and without calls whose results are not on the path.
 */
export function ompView(messages: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(
    messages.flatMap(({ role, toolCallId }) => (role === "toolResult" ? [toolCallId] : [])),
  );
  const paired = messages.flatMap((message) => withoutUnansweredCalls(message, answered));
  const discarded = new Set(
    paired.filter((message, index) => isDiscarded(message, paired[index + 1])),
  );
  const discardedCalls = new Set(
    [...discarded].flatMap((message) => callsOf(message).map(({ id }) => id)),
  );
  return paired.filter((message) => {
    const { role, toolCallId } = message;
    const isDiscardedResult = role === "toolResult" && discardedCalls.has(toolCallId);
    return !isDiscardedResult && !discarded.has(message);
  });
}

function withoutUnansweredCalls(
  message: JsonObject,
  answered: ReadonlySet<JsonValue | undefined>,
): readonly JsonObject[] {
  const isUnanswered = ({ type, id }: JsonObject) => type === "toolCall" && !answered.has(id);
  if (message["role"] !== "assistant" || !blocksOf(message).some(isUnanswered)) return [message];
  const kept = blocksOf(message)
    .filter((block) => !isUnanswered(block))
    .flatMap(withoutSignature);
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

/** An answer whose thinking a human interrupted continues in the note after it. */
function isDiscarded(message: JsonObject, next: JsonObject | undefined): boolean {
  const { role, stopReason, retryRecovery } = message;
  if (role !== "assistant") return false;
  const isFailed = stopReason === "aborted" || stopReason === "error";
  const isContinued = next?.["customType"] === "interrupted-thinking";
  return Boolean(retryRecovery) || (isFailed && !isContinued);
}

/** A changed answer must not carry what was signed with it. */
function withoutSignature(block: JsonObject): readonly JsonObject[] {
  if (block["type"] === "redactedThinking") return [];
  if (block["type"] !== "thinking") return [block];
  const { thinkingSignature: _signature, ...rest } = block;
  return [rest];
}

function callsOf(message: JsonObject): readonly JsonObject[] {
  return blocksOf(message).filter(({ type }) => type === "toolCall");
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: JsonValue) => (isJsonObject(block) ? [block] : []));
}
