import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/**
 * Messages as omp gives them to a model: without answers that failed or were interrupted and the
 * results of their calls, and without calls whose results are not on the path.
 */
export function ompView(messages: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(
    messages.flatMap(({ role, toolCallId }) => (role === "toolResult" ? [toolCallId] : [])),
  );
  const paired = messages.flatMap((message) => withoutLostCalls(message, answered));
  const dead = new Set(paired.filter((message, index) => isDead(message, paired[index + 1])));
  const deadCalls = new Set([...dead].flatMap((message) => callsOf(message).map(({ id }) => id)));
  return paired.filter((message) => {
    const { role, toolCallId } = message;
    const isOfDead = role === "toolResult" && deadCalls.has(toolCallId);
    return !isOfDead && !dead.has(message);
  });
}

function withoutLostCalls(
  message: JsonObject,
  answered: ReadonlySet<JsonValue | undefined>,
): readonly JsonObject[] {
  const isLost = ({ type, id }: JsonObject) => type === "toolCall" && !answered.has(id);
  if (message["role"] !== "assistant" || !blocksOf(message).some(isLost)) return [message];
  const kept = blocksOf(message)
    .filter((block) => !isLost(block))
    .flatMap(unsigned);
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

/** An answer whose thinking a human interrupted continues in the note after it. */
function isDead(message: JsonObject, next: JsonObject | undefined): boolean {
  const { role, stopReason, retryRecovery } = message;
  if (role !== "assistant") return false;
  const isFailed = stopReason === "aborted" || stopReason === "error";
  const isContinued = next?.["customType"] === "interrupted-thinking";
  return Boolean(retryRecovery) || (isFailed && !isContinued);
}

/** A changed answer must not carry what was signed with it. */
function unsigned(block: JsonObject): readonly JsonObject[] {
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
