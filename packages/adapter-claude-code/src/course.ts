import type { JsonValue, Message, Session } from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  restOf,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import {
  Answers,
  courseByRules,
  courseWithout,
  courseWithoutDuplicates,
  isSubAgent,
} from "@pond/canonical/foreign";
import { reattachedFiles } from "./attached-files.ts";
import { withoutAbandoned } from "./branches.ts";
import { contextIn } from "./fork-context.ts";
import { isTypedInResult } from "./records/typed-in-result.ts";

/**
 * Separates what the client continues from what it abandoned or took back, and from the messages of
 * its agents that it keeps there.
 */
export function course({ session, messages }: SessionContent): Course {
  // What a fork continues was separated in the session it belongs to.
  const own = contextIn(messages)?.index ?? 0;
  const { live, ...separated } = courseByRules(messages.slice(own), [
    (rest) => courseWithout(rest, sideChains(session, rest)),
    withoutAbandoned,
    (rest) => courseWithout(rest, reattachedFiles(rest)),
    (rest) => courseWithout(rest, retractedMessages(rest)),
    // A model hears them in the result.
    (rest) => courseWithoutDuplicates(rest, isTypedInResult),
  ]);
  return { live: [...messages.slice(0, own), ...live], ...separated };
}

/**
 * Answers that were replaced by another attempt, with what tools said in them: if a model refused,
 * the client names them afterwards.
 */
function retractedMessages(messages: readonly Message[]): ReadonlySet<Message> {
  const retractedIds = new Set<JsonValue>(
    messages.flatMap((message) => {
      const uuids = carriedRecord(message)?.["retractedMessageUuids"];
      return Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === "string") : [];
    }),
  );
  const withdrawn = messages.filter((message) => {
    const { continues = null } = sourceOf(message);
    const { uuid = null } = restOf(sourceOf(message));
    return [message.id, continues, uuid].some((id) => retractedIds.has(id));
  });
  return new Answers(messages).withAnswersTo(withdrawn);
}

/**
 * The conversations of sub-agents inside the log of the session that started them. An agent's own
 * session keeps all of them, even if only its messages show that it is one: the side chain then
 * covers the whole log.
 */
function sideChains(session: Session, messages: readonly Message[]): ReadonlySet<Message> {
  if (isSubAgent(session)) return new Set();
  const agents = new Set<Message>();
  let isAgents = false;
  for (const message of messages) {
    const source = sourceOf(message);
    // `author` marks only prompts; this field is in all messages except the second of one record.
    if (source["continues"] === undefined) isAgents = restOf(source)["isSidechain"] === true;
    if (isAgents) agents.add(message);
  }
  const hasOwn = messages.some((message) => !agents.has(message) && isInput(message));
  return hasOwn ? agents : new Set();
}

/** True for what a human or the harness provided; false for a file kept beside the session. */
function isInput(message: Message): boolean {
  return message.role === "user" && sourceOf(message)["sidecar"] === undefined;
}
