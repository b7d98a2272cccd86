import type { FileContent, FilePart, JsonObject } from "@pond/canonical";
import {
  filePart,
  type KeyOrders,
  openRecord,
  restOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";
import { injectionKindOf, type Speaker } from "../spans.ts";
import type { Draft, ElementPlace } from "./content.ts";

/** The field with the file's address, by content element. */
const urlFields: ReadonlyMap<string, string> = new Map([
  ["input_image", "image_url"],
  ["input_audio", "audio_url"],
]);

/** An image or a recording; undefined if the element is neither, or its address is not text. */
export function readMedia(
  element: SourceRecord,
  type: string,
  speaker: Speaker,
  { block }: ElementPlace,
): readonly Draft[] | undefined {
  const field = urlFields.get(type);
  const url = field === undefined ? undefined : element.peek(field);
  if (field === undefined || typeof url !== "string") return undefined;

  const [, mediaType, base64] = dataUrl.exec(url) ?? [];
  const inline = openRecord(element.at, mediaType === undefined ? {} : { mediaType, base64 });
  const address = element.url(field);
  const content = inline.base64("base64") ?? address;
  if (content === undefined) return undefined;
  const kind = injectionKindOf(speaker);
  const init = {
    provenance: kind === undefined ? "conversational" : "injected",
    mediaType: inline.string("mediaType"),
    content,
    source: { block, kind, rest: element.rest() },
  } as const;
  return [(message, id) => filePart(message, { id, ...init })];
}

/** The one form of a data URL that can be restored from its media type and its bytes. */
const dataUrl = /^data:([^;,]+);base64,(.*)$/s;

/** The content element that a file part came from. */
export function restoreMedia(part: FilePart, orders: KeyOrders): JsonObject {
  const rest = restOf(sourceOf(part));
  const field = urlFields.get(String(rest["type"])) ?? "image_url";
  return orders.join(rest, { [field]: mediaUrl(part) });
}

function mediaUrl(part: FilePart): string {
  const { data, media_type } = part;
  return data.type === "url" ? data.url : `data:${media_type};base64,${base64Of(data)}`;
}

/** The original base64 text, or one for the same bytes. */
export function base64Of(data: Exclude<FileContent, { readonly type: "url" }>): string {
  if (data.type === "base64") return data.text;
  return Buffer.from(data.bytes).toString("base64");
}
