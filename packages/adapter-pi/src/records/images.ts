import type { FilePart, JsonValue, Role } from "@pond/canonical";
import { allowedParts } from "@pond/canonical";
import { type Extracted, filePart, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import type { Speaker } from "../provenance.ts";
import type { Blobs } from "./blobs.ts";
import type { Draft, Place } from "./draft.ts";

/** What reading an image needs to know. */
export type ImageContext = {
  readonly role: Role;
  readonly speaker: Speaker;
  readonly blobs: Blobs;
};

/**
 * An image whose bytes are in the block, or in a file that the block refers to.
 *
 * @param fileName - Where it came from; a restore does not use it.
 */
export function readImage(
  block: SourceRecord,
  place: Place,
  { role, speaker, blobs }: ImageContext,
  fileName?: Extracted<string>,
): Draft[] | undefined {
  if (!allowedParts[role].includes("file")) return undefined;
  const blob = blobs.resolve(block, "data");
  const content = blob?.content ?? block.base64("data");
  if (content === undefined) return undefined;
  // The type that stands for none may be one that the source names.
  const isNamed = block.peek("mimeType") === genericType || undefined;
  const mediaType = block.string("mimeType");
  const { injectedAs: kind } = speaker;
  const init = {
    provenance: kind === undefined ? "conversational" : "injected",
    mediaType,
    fileName,
    content,
    source: { ...place, kind, isNamed, blob: blob?.ref, rest: block.rest() },
  } as const;
  return [(message, id) => filePart(message, { id, ...init })];
}

/** The fields of an image block; if its bytes were in a file of their own, the reference. */
export function imageFields(part: FilePart): Readonly<Record<string, JsonValue>> {
  const { blob, isNamed } = sourceOf(part);
  const hasType = part.media_type !== genericType || isNamed === true;
  const mimeType = hasType ? { mimeType: part.media_type } : {};
  return { data: typeof blob === "string" ? blob : dataOf(part), ...mimeType };
}

function dataOf({ data }: FilePart): string {
  switch (data.type) {
    case "url":
      return data.url;
    case "base64":
      return data.text;
    case "bytes": {
      const { buffer, byteOffset, byteLength } = data.bytes;
      return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
    }
  }
}

const genericType = "application/octet-stream";
