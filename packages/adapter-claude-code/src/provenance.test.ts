import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { injectedAssistant, injectedCommand, injectedUser } from "./provenance.ts";

const at = { adapter: "claude-code", uri: "a.jsonl", record: 1 };

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
])("tells %s apart by its record (`model-part-provenance`)", (_, record, kind) => {
  expect(injectedUser(openRecord(at, record))).toBe(kind);
});

it.each<[name: string, attachment: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a queued prompt", { commandMode: "prompt" }, {}, undefined],
  ["one typed by a human", { commandMode: "prompt", origin: { kind: "human" } }, {}, undefined],
  ["one of a peer", { commandMode: "prompt", origin: { kind: "peer" } }, {}, "peer"],
  ["a meta prompt", { commandMode: "prompt", isMeta: true }, {}, "meta"],
  ["a prompt in a meta row", { commandMode: "prompt" }, { isMeta: true }, "meta"],
  ["a notification", { commandMode: "task-notification" }, {}, "task-notification"],
  ["a command without a mode", {}, {}, "queued-command"],
])("tells %s apart by its attachment", (_, attachment, record, kind) => {
  expect(injectedCommand(openRecord(at, record), openRecord(at, attachment))).toBe(kind);
});

it.each<[name: string, message: JsonObject, record: JsonObject, kind: string | undefined]>([
  ["a model", { model: "claude-opus-4-6" }, {}, undefined],
  ["a filler", { model: "<synthetic>" }, {}, "synthetic"],
  ["an error", { model: "<synthetic>" }, { isApiErrorMessage: true }, "synthetic"],
  ["an error under a model's name", { model: "m" }, { isApiErrorMessage: true }, "synthetic"],
])("tells %s apart in the assistant's place", (_, message, record, kind) => {
  expect(injectedAssistant(openRecord(at, record), openRecord(at, message))).toBe(kind);
});
