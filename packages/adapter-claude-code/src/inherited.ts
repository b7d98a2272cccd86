import type { Message } from "@pond/canonical";
import { type InheritedHistory, type SessionContent, sourceOf } from "@pond/canonical/adapter";
import { attachedText } from "./attached-files.ts";
import { course } from "./course.ts";
import { contextIn } from "./fork-context.ts";
import { uuidOf } from "./log-tree.ts";

/**
 * What a forked agent continues: what the main session told its model up to the row that the fork
 * names, without what it had abandoned by then.
 */
export function inherited(
  { messages }: SessionContent,
  known: readonly SessionContent[],
): InheritedHistory {
  const context = contextIn(messages);
  if (context === undefined) return { pieces: [] };
  const main = known.find(({ session }) => session.id === context.session);
  if (main === undefined) return { pieces: [], missing: [context.session] };
  const before = messagesUpTo(context.last, main.messages);
  if (before.length === 0) return { pieces: [], missing: [] };
  const { live } = course({ session: main.session, messages: before });
  // Its records, such as its title, are its own.
  const given = live.filter((message) => message.role !== "system" || attachedText(message) !== "");
  return { pieces: [{ session: main.session, messages: given }] };
}

/**
 * The messages up to a row, including all messages of that row's record; none if the row is
 * missing.
 */
function messagesUpTo(last: string, messages: readonly Message[]): readonly Message[] {
  const index = messages.findIndex((message) => uuidOf(message) === last);
  if (index < 0) return [];
  const id = messages[index]?.id;
  const end = messages.findIndex((each, at) => at > index && sourceOf(each)["continues"] !== id);
  return messages.slice(0, end < 0 ? messages.length : end);
}
