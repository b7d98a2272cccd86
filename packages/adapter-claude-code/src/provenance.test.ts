import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { injectedAssistant, injectedCommand, injectedUser } from "./provenance.ts";

const at = { adapter: "claude-code", uri: "a.jsonl", record: 1 };

const text = (said: string) => ({ content: [{ type: "text", text: said }] });

it.each<[name: string, record: JsonObject, kind: string | undefined]>([
  ["a prompt", {}, undefined],
  ["a prompt of human origin", { origin: { kind: "human" } }, undefined],
  ["a prompt with flags that are false", { isMeta: false, isCompactSummary: false }, undefined],
  ["a meta row", { isMeta: true }, "meta"],
  ["a meta row marked as human", { isMeta: true, origin: { kind: "human" } }, "meta"],
  ["a compact summary", { isCompactSummary: true }, "compact-summary"],
  ["a row shown only in the transcript", { isVisibleInTranscriptOnly: true }, "transcript-only"],
  ["text from a tool", { sourceToolUseID: "toolu_1" }, "tool-text"],
  ["a task notification", { origin: { kind: "task-notification" } }, "task-notification"],
  ["a message from a peer", { origin: { kind: "peer", from: "b" } }, "peer"],
  ["a message from a coordinator", { origin: { kind: "coordinator" } }, "coordinator"],
  ["a row of unknown origin", { origin: { kind: "x-new" } }, "x-new"],
  ["a row whose origin has no kind", { origin: {} }, undefined],
  ["a row whose origin is a string", { origin: "human" }, undefined],
  ["a row whose meta flag is a string", { isMeta: "yes" }, undefined],
  ["a prompt from a phone", { origin: { kind: "remote" } }, undefined],
  ["an accepted suggestion", { origin: { kind: "suggestion" } }, undefined],
  [
    "a typed prompt of unknown origin",
    { promptSource: "typed", origin: { kind: "x-new" } },
    undefined,
  ],
  [
    "a queued prompt of unknown origin",
    { promptSource: "queued", origin: { kind: "x-new" } },
    undefined,
  ],
  ["a meta row marked as typed", { promptSource: "typed", isMeta: true }, "meta"],
  ["a prompt from the SDK", { promptSource: "sdk", origin: { kind: "human" } }, undefined],
  ["a row from the client itself", { promptSource: "system" }, "system"],
  [
    "a row from the client itself with a peer's origin",
    { promptSource: "system", origin: { kind: "peer" } },
    "peer",
  ],
  ["a row in a human's turn", { turnOrigin: "human" }, undefined],
  ["a row in a program's turn", { turnOrigin: "sdk" }, undefined],
  [
    "a row of human origin in a scheduled turn",
    { turnOrigin: "scheduled", origin: { kind: "human" } },
    "scheduled",
  ],
  [
    "a typed prompt in a scheduled turn",
    { turnOrigin: "scheduled", promptSource: "typed" },
    undefined,
  ],
  ["a row in a turn of unknown origin", { turnOrigin: "x-new" }, "x-new"],
])("classifies %s by its record (`model-part-provenance`)", (_, record, kind) => {
  expect(injectedUser(openRecord(at, record))).toBe(kind);
});

const summary = "Your task is to create a detailed summary of the conversation so far";

it.each([
  ["a request for a summary", "acompact-0a1b2c", summary, "helper-prompt"],
  [
    "a request for a summary without tool calls",
    "acompact-0a1b2c",
    `CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n${summary}`,
    "helper-prompt",
  ],
  [
    "a request for a suggestion",
    "aprompt_suggestion-0a1b2c",
    "[SUGGESTION MODE: Suggest]",
    "helper-prompt",
  ],
  ["a copy of a human's prompt", "acompact-0a1b2c", "why does the shuttle stop?", undefined],
  ["the same words to an agent that is not a helper", "a0a1b2c", summary, undefined],
])(
  "tells the client's own prompt to a helper agent from other text: %s",
  (_, agentId, content, kind) => {
    const record = { isSidechain: true, agentId, message: { role: "user", content } };

    expect(injectedUser(openRecord(at, record))).toBe(kind);
  },
);

it.each<[name: string, record: JsonObject, kind: string | undefined]>([
  ["an agent's warm-up prompt", {}, "warmup"],
  [
    "a warm-up prompt in content blocks",
    { message: { role: "user", ...text("Warmup") } },
    "warmup",
  ],
  ["the warm-up word in a main log", { isSidechain: false }, undefined],
  ["the warm-up word in a later row", { parentUuid: "u1" }, undefined],
  [
    "a prompt that begins with the warm-up word",
    { message: { role: "user", content: "Warmup now" } },
    undefined,
  ],
])("classifies %s by its place in the log", (_, fields, kind) => {
  const message = { role: "user", content: "Warmup" };
  const record = { isSidechain: true, parentUuid: null, message, ...fields };

  expect(injectedUser(openRecord(at, record))).toBe(kind);
});

it.each<[name: string, attachment: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a queued prompt", { commandMode: "prompt" }, {}, undefined],
  [
    "a queued prompt of human origin",
    { commandMode: "prompt", origin: { kind: "human" } },
    {},
    undefined,
  ],
  ["a queued prompt from a peer", { commandMode: "prompt", origin: { kind: "peer" } }, {}, "peer"],
  [
    "a queued prompt from a phone",
    { commandMode: "prompt", origin: { kind: "remote" } },
    {},
    undefined,
  ],
  ["a queued meta prompt", { commandMode: "prompt", isMeta: true }, {}, "meta"],
  ["a queued prompt in a meta row", { commandMode: "prompt" }, { isMeta: true }, "meta"],
  ["a queued task notification", { commandMode: "task-notification" }, {}, "task-notification"],
  ["a queued command without a mode", {}, {}, "queued-command"],
])("classifies %s by its attachment", (_, attachment, record, kind) => {
  expect(injectedCommand(openRecord(at, record), openRecord(at, attachment))).toBe(kind);
});

it.each<[name: string, message: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a model's answer", { model: "claude-opus-4-6" }, {}, undefined],
  ["a filler", { model: "<synthetic>", ...text("No response requested.") }, {}, "synthetic"],
  [
    "a filler that is a plain string",
    { model: "<synthetic>", content: "(no content)" },
    {},
    "synthetic",
  ],
  ["an empty filler", { model: "<synthetic>", ...text("") }, {}, "synthetic"],
  [
    "a filler of a build that marks errors",
    { model: "<synthetic>", ...text("No response requested.") },
    { isApiErrorMessage: false },
    "synthetic",
  ],
  ["a filler without content blocks", { model: "<synthetic>", content: [] }, {}, "synthetic"],
  [
    "an interruption",
    { model: "<synthetic>", ...text("[Request interrupted by user]") },
    {},
    "synthetic",
  ],
  [
    "text from an interrupted answer",
    { model: "<synthetic>", ...text("The warp breaks because") },
    { isApiErrorMessage: false },
    undefined,
  ],
  [
    "an error marked only by its kind",
    { model: "<synthetic>", ...text("Prompt is too long") },
    { error: "invalid_request" },
    "synthetic",
  ],
  ["an error", { model: "<synthetic>" }, { isApiErrorMessage: true }, "synthetic"],
  [
    "an unmarked error of an old build",
    { model: "<synthetic>", ...text("API Error: Request was aborted.") },
    {},
    "synthetic",
  ],
  ["an error under a model's name", { model: "m" }, { isApiErrorMessage: true }, "synthetic"],
])("classifies %s in an assistant row", (_, message, record, kind) => {
  expect(injectedAssistant(openRecord(at, record), openRecord(at, message))).toBe(kind);
});
