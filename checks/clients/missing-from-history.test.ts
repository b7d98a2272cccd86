import { sampleLineage } from "@pond/adapter-testkit";
import { partsOf } from "@pond/canonical";
import { expect, test } from "vitest";
import { missingFromHistory } from "./missing-from-history.ts";
import type { HistoryItem } from "./model-history.ts";

const { root } = sampleLineage();
const [typed = ""] = root.messages
  .flatMap(partsOf)
  .flatMap((part) =>
    part.type === "text" && part.provenance === "conversational" ? [part.text] : [],
  );

/** The history of a model that hears the whole sample session. */
const all: readonly HistoryItem[] = [
  { type: "text", text: `Some reminder.\n${typed}` },
  { type: "image" },
  { type: "text", text: "Let me look." },
  { type: "call", id: "call-1", name: "read_file", params: { path: "heddle.txt" } },
  { type: "result", id: "call-1", text: '{"text":"bent\\u0000"}', isFailure: false },
  { type: "call", id: "web-1", name: "read_file", params: [] },
  { type: "result", id: "web-1", text: "null" },
  { type: "text", text: "It is bent." },
];

test("finds nothing missing in a history that holds the whole session", () => {
  expect(missingFromHistory(root, all, "claude-code")).toEqual([]);
});

test.each(all.map((each, index) => ({ ...each, index })))(
  "notices when $type $index is missing from the history",
  ({ index }) => {
    expect(missingFromHistory(root, all.toSpliced(index, 1), "claude-code")).not.toEqual([]);
  },
);

test.each<[string, number, HistoryItem]>([
  ["another name", 3, { type: "call", id: "call-1", name: "look", params: { path: "heddle.txt" } }],
  ["other parameters", 3, { type: "call", id: "call-1", name: "read_file", params: {} }],
  ["another result", 4, { type: "result", id: "call-1", text: "straight" }],
  [
    "a failure",
    4,
    { type: "result", id: "call-1", text: '{"text":"bent\\u0000"}', isFailure: true },
  ],
])("notices a tool call changed to have %s", (_, index, changed) => {
  expect(missingFromHistory(root, all.with(index, changed), "claude-code")).not.toEqual([]);
});

test("notices a history in another order", () => {
  expect(missingFromHistory(root, all.toReversed(), "claude-code")).not.toEqual([]);
});
