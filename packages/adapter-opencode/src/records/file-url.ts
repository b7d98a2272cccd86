import type { FilePart } from "@pond/canonical";

/** The address that a file part came from. */
export function fileUrl({ data, media_type }: FilePart): string {
  if (data.type === "url") return data.url;
  const base64 = data.type === "base64" ? data.text : Buffer.from(data.bytes).toString("base64");
  return `data:${media_type};base64,${base64}`;
}
