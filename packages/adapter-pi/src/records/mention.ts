import type { JsonObject, Part } from "@pond/canonical";
import {
  type Extracted,
  objectAt,
  restOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import { type Draft, draftText, type Place } from "./draft.ts";
import { type ImageContext, imageFields, readImage } from "./images.ts";

/** A file that the user named: its path, its text, and its picture if it is an image. */
export function readMention(
  file: SourceRecord,
  place: Place,
  context: ImageContext,
): Draft[] | undefined {
  const texts = ["path", "content"].flatMap((field): Text[] => {
    const raw = file.peek(field);
    const text = raw === "" && field === "path" ? undefined : file.string(field);
    return text === undefined || typeof raw !== "string" ? [] : [{ field, raw, text }];
  });
  if (texts.length === 0) return undefined;
  const name = texts.find(({ field }) => field === "path")?.text;
  const image = file.record("image");
  const pictures = image && readImage(image, { ...place, field: "image" }, context, name);
  // The first part has what is left of everything.
  const drafts = texts.flatMap(({ field, raw, text }, index) => {
    const rest = index === 0 ? file.rest() : undefined;
    return draftText(text, raw, context.speaker, { ...place, field }, rest);
  });
  return [...drafts, ...(pictures ?? [])];
}

type Text = { readonly field: string; readonly raw: string; readonly text: Extracted<string> };

/** The file that a path, a text and a picture came from, as far as its parts were seen. */
export function restoreMention(part: Part, partial: JsonObject = {}): JsonObject {
  const source = sourceOf(part);
  if (part.type === "file") {
    const image = { ...objectAt(partial, "image"), ...imageFields(part) };
    return { ...partial, image: { ...image, ...restOf(source) } };
  }
  if (part.type !== "text") return partial;
  // In older stores only the content is a part.
  const field = source["field"] === "path" ? "path" : "content";
  return { ...partial, ...restOf(source), [field]: part.text };
}
