import type { Message, SystemMessage } from "@pond/canonical";
import { carriedRecord } from "@pond/canonical/adapter";
import { hasVisibleText, isTurn } from "@pond/canonical/foreign";

/** What a record tells a model: of a branch that was left, what it came to. */
export function givenText(message: SystemMessage): string {
  return summaryIn(message) ?? message.content;
}

/** True for a turn, and for the summary of a branch that was left; a system prompt is neither. */
export function isTold(message: Message): boolean {
  return message.role === "system" ? hasVisibleText(summaryIn(message) ?? "") : isTurn(message);
}

function summaryIn(message: SystemMessage): string | undefined {
  const { type, summary } = carriedRecord(message) ?? {};
  return type === "branch_summary" && typeof summary === "string" ? summary : undefined;
}
