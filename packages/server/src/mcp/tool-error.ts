import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ErrorCode, WireError } from "@pond/wire";

/** What a model can do about an error. */
const remedies: Readonly<Partial<Record<ErrorCode, string>>> = {
  validation_failed: "Correct the arguments as the message says, and call again.",
  not_found: "Take ids from pond_search, pond_list or the message, and copy them exactly.",
  storage_unavailable: "Call again in a moment.",
  conflict: "Call again.",
};

/**
 * An error as the result of a tool, so that the model reads it: the body of the wire, and a remedy.
 */
export function toolError(error: WireError): CallToolResult {
  const isEmpty = error.details["kind"] === "store_not_found";
  const remedy = isEmpty ? "The user fills the store with `pond sync`." : remedies[error.code];
  const texts = [JSON.stringify(error.toBody()), ...(remedy === undefined ? [] : [remedy])];
  return { isError: true, content: texts.map((text) => ({ type: "text", text })) };
}
