import type { JsonObject, Part } from "@pond/canonical";
import { objectAt, restOf, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import { type Draft, draftText, type Place } from "./draft.ts";
import { type ImageContext, imageFields, readImage } from "./images.ts";

/** A file the user named: its text, and its picture where it is an image. */
export function readMention(
  file: SourceRecord,
  place: Place,
  context: ImageContext,
): Draft[] | undefined {
  const raw = file.peek("content");
  const text = file.string("content");
  if (text === undefined || typeof raw !== "string") return undefined;
  const image = file.record("image");
  const pictures = image ? readImage(image, { ...place, field: "image" }, context) : undefined;
  // The first part has what is left of all.
  return [...draftText(text, raw, context.speaker, place, file.rest()), ...(pictures ?? [])];
}

/** The file that a text and a picture came from, as far as its parts were seen. */
export function restoreMention(part: Part, begun: JsonObject = {}): JsonObject {
  if (part.type === "file") {
    const image = { ...objectAt(begun, "image"), ...imageFields(part) };
    return { ...begun, image: { ...image, ...restOf(sourceOf(part)) } };
  }
  return part.type === "text" ? { ...restOf(sourceOf(part)), content: part.text } : begun;
}
