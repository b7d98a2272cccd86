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

/** What a provider is sent. In the loop tree it is read leniently: any value is accepted. */
export const spoken: Shape = tagged("role", {
  user: object({ content, timestamp: count }),
  assistant: object({
    content,
    stopReason,
    model: text,
    provider: text,
    usage,
    timestamp: count,
    error_message: option(text),
  }),
  toolResult: object({
    toolCallId: text,
    toolName: text,
    content,
    isError: flag,
    timestamp: count,
  }),
});

const extension = object({ role: text, kind: text, data: anything });

/** A message of a loop: what was said, or else a record of the program's own. */
export const message: Shape = (value, place, report) => {
  const found: string[] = [];
  spoken(value, place, (where) => found.push(where));
  if (found.length === 0) return;
  const isExtension = isJsonObject(value) && typeof fieldOf(value, "kind") === "string";
  const shape = isExtension ? extension : spoken;
  shape(value, place, report);
};
