import { messageOf } from "../check.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Message, partsOf } from "../message.ts";
import { carriedRecord, objectAt, objectOf, restOf, sourceOf } from "../seam/source-options.ts";
import { Answers } from "./answers.ts";
import { editedParts } from "./edited-parts.ts";
import type { Records } from "./fields-by-message.ts";
import type { Course } from "./undone.ts";

/**
 * Takes out what clients keep from their models: commands whose output is for the user alone,
 * answers that were withdrawn for others, entries that an edit of the context struck out.
 * Where an edit gave an entry other content, that is live, and the parts it had before are withheld.
 */
export function partWithheld(messages: readonly Message[], records: Records): Course {
  const edits = editsOf(messages);
  const withdrawn = withdrawnIn(messages);
  const live: Message[] = [];
  const undone: Message[] = [];
  for (const message of messages) {
    const edit = edits.get(records.get(message.id)?.["id"] ?? message.id);
    if (edit === null || withdrawn.has(message) || isForTheUserAlone(message)) undone.push(message);
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

/** The new content of each entry that was edited, by its id; null where it was struck out. */
function editsOf(messages: readonly Message[]): ReadonlyMap<JsonValue, JsonValue> {
  const edits = new Map<JsonValue, JsonValue>();
  for (const message of messages) {
    const { type, targetId = null, replacement } = carriedRecord(message) ?? {};
    if (type !== "context_edit" || replacement === undefined) continue;
    const { content } = objectOf(replacement);
    // The last one holds, also where it gives back what an earlier one struck out.
    if (replacement === null) edits.set(targetId, null);
    else if (typeof content === "string" || Array.isArray(content)) edits.set(targetId, content);
  }
  return edits;
}

/** A command behind `!!` or `$$`: the model sees neither it nor its output. */
function isForTheUserAlone(message: Message): boolean {
  return entryMessage(message)["excludeFromContext"] === true;
}

/**
 * Answers in whose place another one was tried, with what tools said: omp marks them, and Claude Code
 * names them behind them, where a model refused.
 */
function withdrawnIn(messages: readonly Message[]): ReadonlySet<Message> {
  const retracted = new Set<JsonValue>(
    messages.flatMap((message) => {
      const uuids = carriedRecord(message)?.["retractedMessageUuids"];
      return Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === "string") : [];
    }),
  );
  const withdrawn = new Set(
    messages.filter((message) => {
      const { continues = null } = sourceOf(message);
      const { uuid = null } = restOf(sourceOf(message));
      const isNamed = [message.id, continues, uuid].some((id) => retracted.has(id));
      return isNamed || Boolean(entryMessage(message)["retryRecovery"]);
    }),
  );
  if (withdrawn.size === 0) return withdrawn;
  const answers = new Answers(messages);
  for (const part of [...withdrawn].flatMap(partsOf)) {
    const answer = part.type === "tool_call" ? answers.of(part) : undefined;
    if (answer) withdrawn.add(answer.message);
  }
  return withdrawn;
}

/** What an entry of pi holds as its message, without what canonical fields took. */
function entryMessage(message: Message): JsonObject {
  return objectAt(restOf(sourceOf(message)), "message");
}
