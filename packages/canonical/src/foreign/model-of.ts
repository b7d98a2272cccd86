import type { JsonObject } from "../json.ts";
import type { Message } from "../message.ts";
import { carriedRecord, objectAt, restOf, sourceOf } from "../seam/source-options.ts";

/** The model an answer came from, and who served it, as far as its source says. */
export type NamedModel = { readonly model?: string; readonly provider?: string };

/** The model a message names, wherever its adapter left it. */
export function modelOf(message: Message): NamedModel {
  const source = sourceOf(message);
  const rest = restOf(source);
  const model = objectAt(rest, "model");
  const named = modelIn([source, rest, objectAt(rest, "message"), model]);
  const id = named.model === undefined ? firstText([model], ["id"]) : undefined;
  return { ...named, ...(id !== undefined && { model: id }) };
}

/** The model that answers from here on, where the client names it once for a turn: Codex does. */
export function turnModelOf(message: Message): NamedModel {
  const record = carriedRecord(message);
  return record?.["type"] === "turn_context" ? modelIn([objectAt(record, "payload")]) : {};
}

function modelIn(places: readonly JsonObject[]): NamedModel {
  const model = firstText(places, ["model", "modelID", "modelId", "model_id"]);
  const provider = firstText(places, ["provider", "providerID", "model_provider"]);
  return {
    // So Claude Code calls the author of its own texts.
    ...(model !== undefined && model !== "<synthetic>" && { model }),
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
