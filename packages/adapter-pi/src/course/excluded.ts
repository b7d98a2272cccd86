import { type JsonValue, type Message, messageOf, partsOf } from "@pond/canonical";
import { type Course, carriedRecord, objectOf } from "@pond/canonical/adapter";
import { Answers } from "@pond/canonical/foreign";
import { editedParts } from "./edited-parts.ts";
import type { EntryFields } from "./entry-fields.ts";
import { contextText, entryMessage, isExcludedFromContext } from "./model-input.ts";

/**
 * Separates what the clients keep from their models: commands whose output is only for the user,
 * answers that were replaced by others, and entries that an edit of the context removed. If an edit
 * gave an entry other content, that is live, and its former parts are excluded.
 */
export function withoutExcluded(messages: readonly Message[], fields: EntryFields): Course {
  const edits = editsOf(messages);
  const replaced = replacedAnswers(messages);
  const live: Message[] = [];
  const undone: Message[] = [];
  for (const message of messages) {
    const edit = edits.get(fields.get(message.id)?.["id"] ?? message.id);
    if (edit === null || replaced.has(message) || isExcludedFromContext(message))
      undone.push(message);
    else if (edit === undefined || message.role === "system") live.push(message);
    else {
      const parts = editedParts(message, edit);
      // An answer is the same part with other content.
      const ids = new Set(parts.map(({ id }) => id));
      const cut = partsOf(message).filter(({ id }) => !ids.has(id));
      live.push(messageOf(message, parts));
      if (cut.length > 0) undone.push(messageOf(message, cut));
    }
  }
  return { live, undone };
}

/** The new content of each edited entry, by its id; null if it was removed. */
function editsOf(messages: readonly Message[]): ReadonlyMap<JsonValue, JsonValue> {
  const edits = new Map<JsonValue, JsonValue>();
  for (const message of messages) {
    const { type, targetId = null, replacement } = carriedRecord(message) ?? {};
    if (type !== "context_edit" || replacement === undefined) continue;
    const { content } = objectOf(replacement);
    // The last one counts, even if it restores what an earlier one removed.
    if (replacement === null) edits.set(targetId, null);
    else if (typeof content === "string" || Array.isArray(content)) edits.set(targetId, content);
  }
  return edits;
}

/** Answers that were replaced by another attempt, with what tools said in them: omp marks them. */
function replacedAnswers(messages: readonly Message[]): ReadonlySet<Message> {
  const replaced = messages.filter((message) => Boolean(entryMessage(message)["retryRecovery"]));
  return new Answers(messages, contextText).withAnswersTo(replaced);
}
