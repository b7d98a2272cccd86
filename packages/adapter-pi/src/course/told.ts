import type { JsonObject, Message, SystemMessage } from "@pond/canonical";
import { carriedRecord, objectAt, restOf, sourceOf } from "@pond/canonical/adapter";
import { hasVisibleText } from "@pond/canonical/foreign";

/** What a record tells a model: of a branch that was left, what it came to. */
export function givenText(message: SystemMessage): string {
  return summaryIn(message) ?? message.content;
}

/**
 * True for what a session can go on from alone: a turn, a command that the user ran, what an
 * extension said, the summary of a branch that was left; a system prompt is none of them.
 */
export function isTold(message: Message): boolean {
  if (message.role === "system") return hasVisibleText(summaryIn(message) ?? "");
  return message.role !== "tool" && message.content.length > 0 && !isForTheUserAlone(message);
}

/** A command behind `!!` or `$$`: the model sees neither it nor its output. */
export function isForTheUserAlone(message: Message): boolean {
  return entryMessage(message)["excludeFromContext"] === true;
}

/** What an entry holds as its message, without what canonical fields took. */
export function entryMessage(message: Message): JsonObject {
  return objectAt(restOf(sourceOf(message)), "message");
}

function summaryIn(message: SystemMessage): string | undefined {
  const { type, summary } = carriedRecord(message) ?? {};
  return type === "branch_summary" && typeof summary === "string" ? summary : undefined;
}
