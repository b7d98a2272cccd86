import type { FilePart } from "@pond/canonical";
import { fileBytesOf } from "@pond/canonical/foreign";

/** The address that a file part came from. */
export function fileUrl(part: FilePart): string {
  if (part.data.type === "url") return part.data.url;
  const base64 = Buffer.from(fileBytesOf(part) ?? []).toString("base64");
  return `data:${part.media_type};base64,${base64}`;
}
