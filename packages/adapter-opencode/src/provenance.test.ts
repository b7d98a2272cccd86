import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { injectedFile, injectedMessage, injectedText } from "./provenance.ts";

const at = { adapter: "opencode", uri: "a.json", record: 1 };

it.each<[name: string, part: JsonObject, kind: string | undefined]>([
  ["a prompt", { text: "Why?" }, undefined],
  ["a prompt whose flags are off", { text: "Why?", synthetic: false, ignored: false }, undefined],
  ["a prompt with a flag of another type", { text: "Why?", synthetic: "yes" }, undefined],
  ["a text of the harness", { text: "x", synthetic: true }, "synthetic"],
  ["a notice for the user only", { text: "x", ignored: true }, "ignored"],
  ["a reminder without its flag", { text: "<system-reminder>x</system-reminder>\n" }, "reminder"],
  ["a prompt that quotes a reminder", { text: "What is <system-reminder>?" }, undefined],
  [
    "a note of a file that was read for the prompt",
    { text: 'Called the Read tool with the following input: {"filePath":"a"}' },
    "read",
  ],
  [
    "a note of a command that the user ran",
    { text: "The following tool was executed by the user" },
    "command",
  ],
])("classifies %s by its text part (`model-part-provenance`)", (_, part, kind) => {
  expect(injectedText(openRecord(at, part), "user")).toBe(kind);
});

it("takes an answer for the model's own words, whatever it begins with", () => {
  const part = openRecord(at, { text: "<system-reminder>x</system-reminder>" });

  expect(injectedText(part, "assistant")).toBeUndefined();
});

it.each([
  ["the user gave", {}, undefined],
  ["the harness repeats", { synthetic: true }, "synthetic"],
])("classifies a file that %s", (_, part, kind) => {
  expect(injectedFile(openRecord(at, part))).toBe(kind);
});

it.each([
  ["a prompt", { role: "user" }, ["text"], undefined],
  ["a compaction marker", { role: "user" }, ["compaction"], "compaction"],
  ["an answer", { role: "assistant" }, ["text"], undefined],
  ["a compaction's summary", { role: "assistant", summary: true }, ["text"], "compaction-summary"],
  [
    "a prompt with a summary of its changes",
    { role: "user", summary: { diffs: [] } },
    ["text"],
    undefined,
  ],
])("classifies %s by its message", (_, message, types, kind) => {
  expect(injectedMessage(openRecord(at, message), types)).toBe(kind);
});
