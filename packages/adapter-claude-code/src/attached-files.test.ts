import { type JsonObject, messageFromWire, type SystemMessage } from "@pond/canonical";
import { expect, it } from "vitest";
import { attachedText } from "./attached-files.ts";

function attached(attachment: JsonObject): SystemMessage {
  const options = { source: { record: { type: "attachment", attachment } } };
  const place = { id: "m", session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
  return messageFromWire({ ...place, role: "system", content: "", options }) as SystemMessage;
}

const file = (content: JsonObject): JsonObject => ({ type: "file", filename: "/w/a", content });

it.each<[string, JsonObject, string]>([
  [
    "a file",
    file({ type: "text", file: { filePath: "/w/a", content: "one\ntwo\n", numLines: 2 } }),
    "/w/a:\none\ntwo\n",
  ],
  ["a picture", file({ type: "image", file: { base64: "iVBORw0KGgo=" } }), "/w/a:\na picture"],
  [
    "a folder",
    { type: "directory", path: "/w", content: "a\nb", displayPath: "w" },
    "What is in the folder /w:\na\nb",
  ],
  ["a file of another shape", file({ type: "notebook", file: { cells: [] } }), ""],
  ["a file without a name", { type: "file", content: { file: { content: "x" } } }, ""],
  ["the harness's", { type: "date_change", newDate: "2026-03-02" }, ""],
])("a model is told %s", (_, attachment, text) => {
  expect(attachedText(attached(attachment))).toBe(text);
});
