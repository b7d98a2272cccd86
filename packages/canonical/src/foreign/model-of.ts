import type { JsonObject } from "../json.ts";
import type { Message } from "../message.ts";
import type { NamedModel } from "../seam/codec.ts";
import { objectAt, restOf, sourceOf } from "../seam/source-options.ts";

/** The model that an answer names, wherever its adapter left it. Other messages name none. */
export function modelOf(message: Message): NamedModel {
  if (message.role !== "assistant") return {};
  const source = sourceOf(message);
  const rest = restOf(source);
  const model = objectAt(rest, "model");
  const named = modelIn(source, rest, objectAt(rest, "message"), model);
  const id = named.model === undefined ? firstText([model], ["id"]) : undefined;
  return { ...named, ...(id !== undefined && { model: id }) };
}

/** The model named in the first of these objects that names one, under any key that clients use. */
export function modelIn(...places: readonly JsonObject[]): NamedModel {
  const model = firstText(places, ["model", "modelID", "modelId", "model_id"]);
  const provider = firstText(places, ["provider", "providerID", "model_provider"]);
  return {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
  };
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
