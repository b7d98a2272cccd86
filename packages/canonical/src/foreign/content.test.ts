import { expect, it } from "vitest";
import { type FilePart, partFromWire } from "../index.ts";
import { dataUrlOf, fileBytesOf, fileNote } from "./content.ts";

function file(data: object, more: object = {}): FilePart {
  const ids = { id: "0", session_id: "s", message_id: "m", provenance: "conversational" };
  const part = partFromWire({
    ...ids,
    options: {},
    type: "file",
    media_type: "image/png",
    data,
    ...more,
  });
  if (part.type !== "file") throw new TypeError("no file");
  return part;
}

it.each<[string, object, string | undefined, string | undefined, string]>([
  [
    "bytes",
    { type: "bytes", base64: "aGk=" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "base64 in another form",
    { type: "base64", text: "aGk" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "a data URL",
    { type: "url", url: "data:image/png;base64,aGk=" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "an address",
    { type: "url", url: "https://a/b.png" },
    undefined,
    undefined,
    "[File: https://a/b.png]",
  ],
])("gives %s as bytes, as a data URL and as a note", (_, data, text, url, note) => {
  const part = file(data);
  const bytes = fileBytesOf(part);

  expect(bytes && Buffer.from(bytes).toString()).toBe(text);
  expect(dataUrlOf(part)).toBe(url);
  expect(fileNote(part)).toBe(note);
});

it("notes a file by its name", () => {
  const part = file({ type: "bytes", base64: "aGk=" }, { file_name: "thread.png" });

  expect(fileNote(part)).toBe("[File thread.png, image/png]");
});
