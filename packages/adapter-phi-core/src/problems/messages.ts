import { isJsonObject } from "@pond/canonical";
import {
  anything,
  count,
  fallback,
  fieldOf,
  flag,
  list,
  object,
  oneOf,
  option,
  type Shape,
  tagged,
  text,
} from "./shape.ts";

/** Token counts. */
export const usage: Shape = object({
  input: count,
  output: count,
  reasoning: fallback(count),
  cache_read: fallback(count),
  cache_write: fallback(count),
  total_tokens: fallback(count),
});

export const turnId: Shape = object({ loopId: text, turnIndex: count });

/** Blocks of any message. */
export const content: Shape = list(
  tagged("type", {
    text: object({ text }),
    image: object({ data: text, mimeType: text }),
    thinking: object({ thinking: text, signature: option(text) }),
    toolCall: object({ id: text, name: text, arguments: anything }),
  }),
);

const stopReason = oneOf(
  "stop",
  "length",
  "toolUse",
  "error",
  "aborted",
  "maxTurns",
  "userStop",
  "handoff",
  "guardRail",
  "contextCompacted",
  "paused",
);

const tag = object({
  kind: oneOf("lesson", "finding", "outcome", "checkpoint"),
  text,
  created_at_turn: count,
  abandoned_node_ids: fallback(list(count)),
});

const placed = {
  turnId: option(turnId),
  nodeId: option(count),
  parentId: option(count),
  tags: fallback(list(tag)),
};

const spoken = tagged("role", {
  user: object({ content, timestamp: count, ...placed }),
  assistant: object({
    content,
    stopReason,
    model: text,
    provider: text,
    usage,
    timestamp: count,
    error_message: option(text),
    ...placed,
  }),
  toolResult: object({
    toolCallId: text,
    toolName: text,
    content,
    isError: flag,
    timestamp: count,
    ...placed,
  }),
});

const extension = object({ role: text, kind: text, data: anything });

/** A message of a loop: what was said, or a record of the program's own. */
export const message: Shape = (value, place, report) => {
  const isExtension = isJsonObject(value) && typeof fieldOf(value, "kind") === "string";
  const shape = isExtension ? extension : spoken;
  shape(value, place, report);
};
