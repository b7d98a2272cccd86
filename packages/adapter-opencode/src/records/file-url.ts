import type { FilePart } from "@pond/canonical";
import { dataUrlOf } from "@pond/canonical/foreign";

/** The address that a file part came from. */
export function fileUrl(part: FilePart): string {
  return dataUrlOf(part) ?? (part.data.type === "url" ? part.data.url : "");
}
