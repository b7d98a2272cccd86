import { expect, it } from "vitest";
import { type JsonObject, messageFromWire } from "../index.ts";
import { modelOf, turnModelOf } from "./model-of.ts";

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
    "beside the mark of an id that its adapter derived",
    { id: "content", rest: { message: { model: "gpt-5", provider: "openai" } } },
    { model: "gpt-5", provider: "openai" },
  ],
  [
    "as an object with an id",
    { rest: { model: { id: "kimi-k2", providerID: "nvidia" } } },
    { model: "kimi-k2", provider: "nvidia" },
  ],
  [
    "as an object with a model's id",
    { rest: { model: { modelID: "gpt-5", providerID: "openai" } } },
    { model: "gpt-5", provider: "openai" },
  ],
  ["nowhere, beside the mark of an id", { id: "item", rest: { type: "response_item" } }, {}],
  ["as none, in a text of the client", { rest: { message: { model: "<synthetic>" } } }, {}],
])("finds the model that a message names %s", (_, source, model) => {
  expect(modelOf(message("assistant", source))).toEqual(model);
});

it("finds the model that Codex names once for a turn, and in no other record", () => {
  const carrier = (type: string) =>
    message("system", { record: { type, payload: { model: "o3" } } });

  expect(turnModelOf(carrier("turn_context"))).toEqual({ model: "o3" });
  expect(turnModelOf(carrier("event_msg"))).toEqual({});
  expect(turnModelOf(message("system", {}))).toEqual({});
});
