import type { JsonObject, JsonValue } from "@pond/canonical";
import { isJsonObject, stringifyJson } from "@pond/canonical";
import {
  type Call,
  missingResultText,
  type Tally,
  toolName,
  wellFormed,
} from "@pond/canonical/foreign";
import { codexTools } from "../tools.ts";
import { writeOutput } from "./content.ts";

/**
 * A call and its output, either of a function with JSON or of a tool with plain text, such as a
 * patch.
 */
export function callItems(
  { part, callId: call_id, params: parsed, common, result }: Call,
  tally: Tally,
): { readonly call: JsonObject; readonly output: JsonObject } {
  const own = common && codexTools.write(common);
  const params = own?.params ?? parsed;
  const name = toolName(own?.name ?? part.name);
  const isKept = !own && name === part.name && !part.provider_executed;
  tally.count("tool_call", isKept ? "kept" : "translated");
  const isPlain = typeof params === "string";
  const call = isPlain
    ? { type: "custom_tool_call", status: "completed", call_id, name, input: wellFormed(params) }
    : { type: "function_call", name, arguments: argumentsOf(params), call_id };
  const answer = result && writeOutput(result.part);
  if (answer) tally.count("tool_result", answer.outcome);
  const output = {
    type: isPlain ? "custom_tool_call_output" : "function_call_output",
    call_id,
    output: answer?.output ?? missingResultText,
  };
  return { call, output };
}

function argumentsOf(params: JsonValue): string {
  return stringifyJson(isJsonObject(params) ? params : { input: params });
}
