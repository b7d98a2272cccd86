import type { JsonObject } from "../json.ts";
import type { Message } from "../message.ts";
import { objectAt, restOf, sourceOf } from "../seam/source-options.ts";

/** The model an answer came from, and who served it, as far as its source says. */
export type NamedModel = { readonly model?: string; readonly provider?: string };

/** The model a message names, wherever its adapter left it. */
export function modelOf(message: Message): NamedModel {
  const source = sourceOf(message);
  const rest = restOf(source);
  const places = [source, rest, objectAt(rest, "message"), objectAt(rest, "model")];
  const model = firstText(places, ["model", "modelID", "modelId", "model_id", "id"]);
  const provider = firstText(places, ["provider", "providerID", "model_provider"]);
  return { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
}

function firstText(places: readonly JsonObject[], keys: readonly string[]): string | undefined {
  for (const place of places) {
    for (const key of keys) {
      const value = place[key];
      if (typeof value === "string" && value !== "") return value;
    }
  }
  return undefined;
}
