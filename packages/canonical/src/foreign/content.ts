import type { FilePart } from "../part.ts";

/** The bytes of a file, also of one that stands in a data URL; undefined where they are elsewhere. */
export function fileBytesOf({ data }: FilePart): Uint8Array | undefined {
  switch (data.type) {
    case "bytes":
      return data.bytes;
    case "base64":
      return Buffer.from(data.text, "base64");
    case "url": {
      const inline = /^data:[^,]*;base64,(.*)$/s.exec(data.url)?.[1];
      return inline === undefined ? undefined : Buffer.from(inline, "base64");
    }
  }
}

/** The file as a data URL; undefined where its bytes are elsewhere. */
export function dataUrlOf(part: FilePart): string | undefined {
  if (part.data.type === "url" && part.data.url.startsWith("data:")) return part.data.url;
  const bytes = fileBytesOf(part);
  if (bytes === undefined) return undefined;
  return `data:${part.media_type};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** A line that says which file stood here. */
export function fileNote({ media_type, file_name, data }: FilePart): string {
  if (data.type === "url" && !data.url.startsWith("data:")) return `[File: ${data.url}]`;
  return namedFileNote(media_type, file_name);
}

/** The same of a file that stands in no part of its own, but in the answer of a tool. */
export function namedFileNote(mediaType: string, name: string | undefined): string {
  return `[File ${name ?? "without a name"}, ${mediaType}]`;
}

/** True for an image of a type that every provider's API takes. */
export function isApiImage(mediaType: string): boolean {
  return imageTypes.includes(mediaType);
}

const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** True for a type whose files can be given to a model as text. */
export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

/** False for a text that APIs refuse because nothing in it can be seen. */
export function hasVisibleText(text: string): boolean {
  return text.trim() !== "";
}

/** The text with U+FFFD for each lone surrogate, which no API takes. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
