import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { injectedAssistant, injectedCommand, injectedUser } from "./provenance.ts";

const at = { adapter: "claude-code", uri: "a.jsonl", record: 1 };

const text = (said: string) => ({ content: [{ type: "text", text: said }] });

it.each<[name: string, record: JsonObject, kind: string | undefined]>([
  ["a prompt", {}, undefined],
  ["a prompt that says who typed it", { origin: { kind: "human" } }, undefined],
  ["a prompt with flags that are off", { isMeta: false, isCompactSummary: false }, undefined],
  ["a meta row", { isMeta: true }, "meta"],
  ["a meta row said to be human", { isMeta: true, origin: { kind: "human" } }, "meta"],
  ["a compact summary", { isCompactSummary: true }, "compact-summary"],
  ["a row for the transcript only", { isVisibleInTranscriptOnly: true }, "transcript-only"],
  ["a text produced by a tool", { sourceToolUseID: "toolu_1" }, "tool-text"],
  ["a notification", { origin: { kind: "task-notification" } }, "task-notification"],
  ["a peer", { origin: { kind: "peer", from: "b" } }, "peer"],
  ["a coordinator", { origin: { kind: "coordinator" } }, "coordinator"],
  ["an origin nobody knows yet", { origin: { kind: "x-new" } }, "x-new"],
  ["an origin without a kind", { origin: {} }, undefined],
  ["an origin of another shape", { origin: "human" }, undefined],
  ["a flag of another type", { isMeta: "yes" }, undefined],
  ["a prompt from a phone", { origin: { kind: "remote" } }, undefined],
  ["an accepted suggestion", { origin: { kind: "suggestion" } }, undefined],
  [
    "a typed prompt that another sent on",
    { promptSource: "typed", origin: { kind: "x-new" } },
    undefined,
  ],
  [
    "a queued prompt that another sent on",
    { promptSource: "queued", origin: { kind: "x-new" } },
    undefined,
  ],
  ["a meta row said to be typed", { promptSource: "typed", isMeta: true }, "meta"],
  ["a program's prompt", { promptSource: "sdk", origin: { kind: "human" } }, undefined],
  ["a row of the client", { promptSource: "system" }, "system"],
  [
    "a row of the client that says more",
    { promptSource: "system", origin: { kind: "peer" } },
    "peer",
  ],
  ["a human's turn", { turnOrigin: "human" }, undefined],
  ["a program's turn", { turnOrigin: "sdk" }, undefined],
  [
    "a turn that a clock began",
    { turnOrigin: "scheduled", origin: { kind: "human" } },
    "scheduled",
  ],
  ["a prompt typed in such a turn", { turnOrigin: "scheduled", promptSource: "typed" }, undefined],
  ["a turn nobody knows yet", { turnOrigin: "x-new" }, "x-new"],
])("classifies %s by its record (`model-part-provenance`)", (_, record, kind) => {
  expect(injectedUser(openRecord(at, record))).toBe(kind);
});

const summary = "Your task is to create a detailed summary of the conversation so far";

it.each([
  ["a summary", "acompact-0a1b2c", summary, "helper-prompt"],
  [
    "a summary without tools",
    "acompact-0a1b2c",
    `CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n${summary}`,
    "helper-prompt",
  ],
  ["a suggestion", "aprompt_suggestion-0a1b2c", "[SUGGESTION MODE: Suggest]", "helper-prompt"],
  ["what a human said before", "acompact-0a1b2c", "why does the shuttle stop?", undefined],
  ["the same words of another agent", "a0a1b2c", summary, undefined],
])(
  "tells the client's own prompt to a helper agent from other text: %s",
  (_, agentId, content, kind) => {
    const record = { isSidechain: true, agentId, message: { role: "user", content } };

    expect(injectedUser(openRecord(at, record))).toBe(kind);
  },
);

it.each<[name: string, record: JsonObject, kind: string | undefined]>([
  ["the client's call to an agent that it starts by itself", {}, "warmup"],
  ["one in blocks", { message: { role: "user", ...text("Warmup") } }, "warmup"],
  ["the word in a main log", { isSidechain: false }, undefined],
  ["the word later on", { parentUuid: "u1" }, undefined],
  ["a prompt that begins with it", { message: { role: "user", content: "Warmup now" } }, undefined],
])("classifies %s by its place in the log", (_, fields, kind) => {
  const message = { role: "user", content: "Warmup" };
  const record = { isSidechain: true, parentUuid: null, message, ...fields };

  expect(injectedUser(openRecord(at, record))).toBe(kind);
});

it.each<[name: string, attachment: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a queued prompt", { commandMode: "prompt" }, {}, undefined],
  ["one typed by a human", { commandMode: "prompt", origin: { kind: "human" } }, {}, undefined],
  ["one of a peer", { commandMode: "prompt", origin: { kind: "peer" } }, {}, "peer"],
  ["one from a phone", { commandMode: "prompt", origin: { kind: "remote" } }, {}, undefined],
  ["a meta prompt", { commandMode: "prompt", isMeta: true }, {}, "meta"],
  ["a prompt in a meta row", { commandMode: "prompt" }, { isMeta: true }, "meta"],
  ["a notification", { commandMode: "task-notification" }, {}, "task-notification"],
  ["a command without a mode", {}, {}, "queued-command"],
])("classifies %s by its attachment", (_, attachment, record, kind) => {
  expect(injectedCommand(openRecord(at, record), openRecord(at, attachment))).toBe(kind);
});

it.each<[name: string, message: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a model", { model: "claude-opus-4-6" }, {}, undefined],
  ["a filler", { model: "<synthetic>", ...text("No response requested.") }, {}, "synthetic"],
  ["a filler as a plain text", { model: "<synthetic>", content: "(no content)" }, {}, "synthetic"],
  ["a filler without words", { model: "<synthetic>", ...text("") }, {}, "synthetic"],
  [
    "a filler of a build that marks errors",
    { model: "<synthetic>", ...text("No response requested.") },
    { isApiErrorMessage: false },
    "synthetic",
  ],
  ["a filler without content", { model: "<synthetic>", content: [] }, {}, "synthetic"],
  [
    "an interruption",
    { model: "<synthetic>", ...text("[Request interrupted by user]") },
    {},
    "synthetic",
  ],
  [
    "what the model had said when it was interrupted",
    { model: "<synthetic>", ...text("The warp breaks because") },
    { isApiErrorMessage: false },
    undefined,
  ],
  [
    "an error that only names its kind",
    { model: "<synthetic>", ...text("Prompt is too long") },
    { error: "invalid_request" },
    "synthetic",
  ],
  ["an error", { model: "<synthetic>" }, { isApiErrorMessage: true }, "synthetic"],
  [
    "an error that an old build does not mark",
    { model: "<synthetic>", ...text("API Error: Request was aborted.") },
    {},
    "synthetic",
  ],
  ["an error under a model's name", { model: "m" }, { isApiErrorMessage: true }, "synthetic"],
])("classifies %s in an assistant row", (_, message, record, kind) => {
  expect(injectedAssistant(openRecord(at, record), openRecord(at, message))).toBe(kind);
});
