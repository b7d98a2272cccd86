import { expect, it } from "vitest";
import { type JsonObject, messageFromWire } from "../index.ts";
import { modelIn, modelOf } from "./model-of.ts";

const message = (role: string, source: JsonObject) =>
  messageFromWire({
    id: "m",
    session_id: "s",
    role,
    timestamp: "2026-03-01T09:00:00.000Z",
    options: { source },
    content: role === "system" ? "" : [],
  });

it.each<[string, JsonObject, JsonObject]>([
  [
    "beside a mark that its id is derived",
    { id: "content", rest: { message: { model: "gpt-5", provider: "openai" } } },
    { model: "gpt-5", provider: "openai" },
  ],
  [
    "as an object with an `id`",
    { rest: { model: { id: "kimi-k2", providerID: "nvidia" } } },
    { model: "kimi-k2", provider: "nvidia" },
  ],
  [
    "as an object with a `modelID`",
    { rest: { model: { modelID: "gpt-5", providerID: "openai" } } },
    { model: "gpt-5", provider: "openai" },
  ],
  ["nowhere, despite a mark of its id", { id: "item", rest: { type: "response_item" } }, {}],
])("finds the model that a message names %s", (_, source, model) => {
  expect(modelOf(message("assistant", source))).toEqual(model);
});

it("finds no model in a message that is not an answer", () => {
  expect(modelOf(message("system", { model: "o3", rest: { model: "o3" } }))).toEqual({});
});

it("takes the model and the provider each from the first place that has it", () => {
  expect(modelIn({ model: "" }, { model_id: "o3" }, { model: "o4", providerID: "openai" })).toEqual(
    {
      model: "o3",
      provider: "openai",
    },
  );
});
