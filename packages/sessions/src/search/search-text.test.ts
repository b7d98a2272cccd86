import type { MessageHeader, Part } from "@pond/canonical";
import { expect, it } from "vitest";
import { searchText } from "./search-text.ts";

const back = { id: "0", session_id: "s", message_id: "m", options: {} };
const text = (text: string, provenance = "conversational") =>
  ({ ...back, type: "text", provenance, text }) as Part;
const file = (fields: object) =>
  ({
    ...back,
    type: "file",
    provenance: "conversational",
    media_type: "image/png",
    ...fields,
  }) as Part;
const call = {
  ...back,
  type: "tool_call",
  provenance: "conversational",
  name: "x",
} as unknown as Part;

const header = (role: string) => ({ role, content: "text" }) as MessageHeader;

it.each<[string, string, Part[], string | null]>([
  ["joins the texts of a message", "user", [text("one"), text("two")], "one\ntwo"],
  [
    "includes the names and types of files",
    "user",
    [text("see"), file({ file_name: "a.png" })],
    "see\na.png image/png",
  ],
  ["includes the type of a file without a name", "user", [file({})], "image/png"],
  ["leaves out text that the harness injected", "user", [text("x", "injected"), text("y")], "y"],
  ["leaves out tool calls", "assistant", [call, text("done")], "done"],
  ["is null for a message with only a tool call", "assistant", [call], null],
  ["is null for blank text", "user", [text(" \n")], null],
  ["is null for system messages", "system", [], null],
  ["is null for tool messages", "tool", [text("x")], null],
  ["replaces half of a surrogate pair", "user", [text("a\ud800b")], "a\ufffdb"],
])("%s (spec 8)", (_, role, parts, expected) => {
  expect(searchText(header(role), parts)).toBe(expected);
});
