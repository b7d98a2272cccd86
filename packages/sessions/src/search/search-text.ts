import type { MessageHeader, Part } from "@pond/canonical";

/**
 * The text of a message that search sees (spec 8): its conversational text, and the names and types
 * of its conversational files. Null for system and tool messages and where nothing is left.
 */
export function searchText(
  message: Pick<MessageHeader, "role">,
  parts: readonly Part[],
): string | null {
  if (message.role === "system" || message.role === "tool") return null;
  const pieces = parts.flatMap((part) => {
    if (part.provenance !== "conversational") return [];
    if (part.type === "text") return [part.text];
    return part.type === "file" ? [`${part.file_name ?? ""} ${part.media_type}`.trim()] : [];
  });
  // The column is plain text: a lone surrogate is not a character that could be searched.
  const text = pieces.join("\n").toWellFormed();
  return text.trim() === "" ? null : text;
}
