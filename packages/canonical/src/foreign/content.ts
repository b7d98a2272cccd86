import type { FilePart } from "../part.ts";
import { base64Bytes } from "./base64.ts";

/**
 * The bytes of a file part, also from a data URL. Undefined if the bytes are elsewhere, if there
 * are none, or if what stands in their place is not base64.
 */
export function fileBytesOf({ data }: FilePart): Uint8Array | undefined {
  switch (data.type) {
    case "bytes":
      return data.bytes.length > 0 ? data.bytes : undefined;
    case "base64":
      return base64Bytes(data.text);
    case "url":
      return dataUrlBytes(data.url);
  }
}

/** Decodes a data URL, in base64 or with percent escapes; undefined for any other address. */
export function dataUrlBytes(url: string): Uint8Array | undefined {
  const [, head, body] = /^data:([^,]*),(.*)$/is.exec(url) ?? [];
  if (head === undefined || body === undefined) return undefined;
  const bytes = body.includes("%") ? decodePercent(body) : Buffer.from(body);
  if (/;\s*base64\s*$/i.test(head)) return base64Bytes(bytes.toString("latin1"));
  return bytes.length > 0 ? bytes : undefined;
}

function decodePercent(text: string): Buffer {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++, length++) {
    const [byte = 0, high = 0, low = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const escaped = byte === percentSign ? hexDigit(high) * 16 + hexDigit(low) : Number.NaN;
    bytes[length] = Number.isNaN(escaped) ? byte : escaped;
    if (!Number.isNaN(escaped)) at += 2;
  }
  return bytes.subarray(0, length);
}

const percentSign = 0x25;

/** The value of a hexadecimal digit; NaN for any other character. */
function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** True if the session has only the address of the file. */
export function hasOnlyUrl({ data }: FilePart): boolean {
  return data.type === "url" && !/^data:/i.test(data.url);
}

/**
 * The media type of a file. If the source names none, an image is recognized by its first bytes.
 */
export function mediaTypeOf(part: FilePart): string {
  if (part.media_type !== "" && part.media_type !== "application/octet-stream") {
    return part.media_type;
  }
  const bytes = fileBytesOf(part)?.subarray(0, 12) ?? [];
  const start = Buffer.from(bytes).toString("latin1");
  return imageSignatures.find(([pattern]) => pattern.test(start))?.[1] ?? part.media_type;
}

const imageSignatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
];

/** The file as a data URL in base64; undefined whenever {@link fileBytesOf} is. */
export function dataUrlOf(part: FilePart): string | undefined {
  const bytes = fileBytesOf(part);
  if (bytes === undefined) return undefined;
  return `data:${mediaTypeOf(part)};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** A line that says which file stood here. */
export function fileNote(part: FilePart): string {
  const { data } = part;
  if (data.type === "url" && hasOnlyUrl(part)) return `[File: ${data.url}]`;
  return namedFileNote(mediaTypeOf(part), part.file_name);
}

/** The same line for a file that is not a part of its own but stands in a tool's answer. */
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

/** False for a text in which nothing can be seen; APIs refuse it. */
export function hasVisibleText(text: string): boolean {
  return text.trim() !== "";
}

/** The first `count` characters of a text, never cut inside a character. */
export function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, 2 * count)].slice(0, count).join("");
}

/** The text with U+FFFD for each lone surrogate, because no API takes those. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
