import { expect, it } from "vitest";
import { type FilePart, partFromWire } from "../index.ts";
import { dataUrlOf, fileBytesOf, fileNote, firstCharacters, mediaTypeOf } from "./content.ts";

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
    "file bytes",
    { type: "bytes", base64: "aGk=" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "base64 without padding",
    { type: "base64", text: "aGk" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "a base64 data URL",
    { type: "url", url: "data:image/png;base64,aGk=" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "a data URL with escapes in its base64",
    { type: "url", url: "data:image/png;base64,aGk%3D" },
    "hi",
    "data:image/png;base64,aGk=",
    "[File without a name, image/png]",
  ],
  [
    "a data URL that is not base64",
    { type: "url", url: "DATA:image/png;charset=utf-8,h%69%20é%" },
    "hi é%",
    "data:image/png;base64,aGkgw6kl",
    "[File without a name, image/png]",
  ],
  [
    "a data URL without content",
    { type: "url", url: "data:image/png" },
    undefined,
    undefined,
    "[File without a name, image/png]",
  ],
  ...[
    { type: "bytes", base64: "" },
    { type: "base64", text: "[image data removed]" },
    { type: "base64", text: "blob:sha256:f0f0" },
    // Lenient decoders read a byte of it.
    { type: "base64", text: "aG" },
    { type: "url", url: "data:image/png;base64," },
    { type: "url", url: "data:image/png;base64,removed%21" },
    { type: "url", url: "data:image/png," },
  ].map((data): [string, object, undefined, undefined, string] => [
    `data without content (${JSON.stringify(data)})`,
    data,
    undefined,
    undefined,
    "[File without a name, image/png]",
  ]),
  [
    "a web address",
    { type: "url", url: "https://a/b.png" },
    undefined,
    undefined,
    "[File: https://a/b.png]",
  ],
])("gives the bytes and the data URL, if any, and the note of %s", (_, data, text, url, note) => {
  const part = file(data);
  const bytes = fileBytesOf(part);

  expect(bytes && Buffer.from(bytes).toString()).toBe(text);
  expect(dataUrlOf(part)).toBe(url);
  expect(fileNote(part)).toBe(note);
});

it("notes a file by its name if it has one", () => {
  const part = file({ type: "bytes", base64: "aGk=" }, { file_name: "thread.png" });

  expect(fileNote(part)).toBe("[File thread.png, image/png]");
});

it.each<[string, string, string]>([
  ["\x89PNG\r\n\x1a\n", "application/octet-stream", "image/png"],
  ["\xff\xd8\xff\xe0", "", "image/jpeg"],
  ["GIF89a", "", "image/gif"],
  ["RIFF\x00\n\x00\x00WEBPVP8 ", "application/octet-stream", "image/webp"],
  ["RIFF\x00\n\x00\x00WAVEfmt ", "application/octet-stream", "application/octet-stream"],
  ["GIF89a", "image/png", "image/png"],
])("takes the bytes %j of stated type %j for %s", (bytes, media_type, type) => {
  const base64 = Buffer.from(bytes, "latin1").toString("base64");
  const part = file({ type: "bytes", base64 }, { media_type });

  expect(mediaTypeOf(part)).toBe(type);
  expect(fileNote(part)).toBe(`[File without a name, ${type}]`);
  expect(dataUrlOf(part)).toBe(`data:${type};base64,${base64}`);
});

it.each([
  ["abc", 2, "ab"],
  ["abc", 3, "abc"],
  ["a🧵🧵", 2, "a🧵"],
  ["🧵🧵", 9, "🧵🧵"],
])("cuts %s to %d characters without splitting one in half", (text, count, start) => {
  expect(firstCharacters(text, count)).toBe(start);
});
