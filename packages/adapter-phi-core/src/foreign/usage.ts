import type { JsonObject } from "@pond/canonical";

/** Unknown usage of another client's answers, in the form that the library requires. */
export const noUsage: JsonObject = {
  input: 0,
  output: 0,
  reasoning: 0,
  cache_read: 0,
  cache_write: 0,
  total_tokens: 0,
};
