import type { JsonObject, SystemMessage } from "@pond/canonical";
import { carriedRecord, objectAt } from "@pond/canonical/adapter";

/**
 * What a record of the client tells a model: the files and folders that a user named with `@`, and
 * what a compaction gave again of files that were read.
 */
export function attachedText(message: SystemMessage): string {
  const attachment = objectAt(carriedRecord(message) ?? {}, "attachment");
  const { type, filename, path } = attachment;
  const name = typeof filename === "string" ? filename : path;
  const text = textOf(attachment);
  if (typeof name !== "string" || text === undefined) return message.content;
  return type === "directory" ? `What is in the folder ${name}:\n${text}` : `${name}:\n${text}`;
}

function textOf(attachment: JsonObject): string | undefined {
  const { type, content } = attachment;
  if (type === "directory") return typeof content === "string" ? content : undefined;
  if (type !== "file") return undefined;
  const held = objectAt(attachment, "content");
  const { content: text } = objectAt(held, "file");
  if (held["type"] === "image") return "a picture";
  return typeof text === "string" ? text : undefined;
}
