import type { JsonObject, Message, SystemMessage } from "@pond/canonical";
import { carriedRecord, objectAt, restOf, sourceOf } from "@pond/canonical/adapter";
import { hasVisibleText } from "@pond/canonical/foreign";

/** What a record tells a model: for an abandoned branch, its summary. */
export function contextText(message: SystemMessage): string {
  return summaryIn(message) ?? message.content;
}

/**
 * True for a message that alone suffices to continue a session: a turn, a command that the user
 * ran, a message of an extension, the summary of an abandoned branch. A system prompt does not.
 */
export function isVisibleToModel(message: Message): boolean {
  if (message.role === "system") return hasVisibleText(summaryIn(message) ?? "");
  return message.role !== "tool" && message.content.length > 0 && !isExcludedFromContext(message);
}

/** A command after `!!` or `$$`: the model sees neither it nor its output. */
export function isExcludedFromContext(message: Message): boolean {
  return entryMessage(message)["excludeFromContext"] === true;
}

/** The message in an entry, without what canonical fields took. */
export function entryMessage(message: Message): JsonObject {
  return objectAt(restOf(sourceOf(message)), "message");
}

function summaryIn(message: SystemMessage): string | undefined {
  const { type, summary } = carriedRecord(message) ?? {};
  return type === "branch_summary" && typeof summary === "string" ? summary : undefined;
}
