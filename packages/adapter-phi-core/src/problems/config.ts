import { flag, number, object, oneOf, option, type Shape, smallCount, text } from "./shape.ts";

/** How much a model is to think. */
export const thinkingLevel: Shape = oneOf("off", "minimal", "low", "medium", "high");

/** The model and settings that a loop ran with. */
export const configSnapshot: Shape = object({
  model: text,
  provider: text,
  config_id: option(text),
  name: option(text),
  api: option(
    oneOf(
      "anthropic_messages",
      "open_ai_completions",
      "open_ai_responses",
      "azure_open_ai_responses",
      "google_generative_ai",
      "google_vertex",
      "bedrock_converse_stream",
    ),
  ),
  base_url: option(text),
  reasoning: option(flag),
  context_window: option(smallCount),
  max_tokens: option(smallCount),
  thinking_level: option(thinkingLevel),
  temperature: option(number),
});
