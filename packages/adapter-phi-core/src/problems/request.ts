import { thinkingLevel } from "./config.ts";
import { spoken } from "./messages.ts";
import {
  anything,
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  option,
  type Shape,
  smallCount,
  tagged,
  text,
} from "./shape.ts";

const provenance = tagged("kind", {
  "system-prompt": object({}),
  "identity-block": object({ name: text, order: smallCount }),
  "memory-tier": object({ tier: text, record_id: text }),
  "loop-turn": object({
    turn_index: count,
    role: oneOf("user-message", "assistant-response", "tool-call-request", "tool-call-result"),
    message_index: count,
  }),
  steering: object({}),
  "follow-up": object({}),
  unknown: object({}),
});

/** What a provider was sent in a turn, if a program keeps that. */
export const requestPayload: Shape = object({
  system_prompt: text,
  messages: list(spoken),
  provenance: list(provenance),
  tools: list(object({ name: text, description: text, parameters: anything })),
  model_id: text,
  thinking_level: thinkingLevel,
  max_tokens: option(smallCount),
  temperature: option(number),
  response_format: tagged("kind", {
    text: object({}),
    "json-object": object({}),
    "json-schema": object({ schema: anything, name: text, strict: flag }),
  }),
});
