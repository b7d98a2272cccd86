import type { JsonValue, Message, Session } from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  restOf,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { Answers, inSteps, isSubAgent, without, withoutRetold } from "@pond/canonical/foreign";
import { givenAgain } from "./attached-files.ts";
import { withoutLeft } from "./branches.ts";
import { contextIn } from "./fork-context.ts";
import { isSaidInResult } from "./records/said-in-result.ts";

/** Parts what the client goes on from, and what it left, took back or keeps there of its agents. */
export function course({ session, messages }: SessionContent): Course {
  // What a fork goes on from was parted in the session it is of.
  const own = contextIn(messages)?.index ?? 0;
  const { live, ...parted } = inSteps(messages.slice(own), [
    (rest) => without(rest, sideChains(session, rest)),
    withoutLeft,
    (rest) => without(rest, givenAgain(rest)),
    (rest) => without(rest, withdrawnIn(rest)),
    // A model hears them in the result.
    (rest) => withoutRetold(rest, isSaidInResult),
  ]);
  return { live: [...messages.slice(0, own), ...live], ...parted };
}

/**
 * Answers in whose place another one was tried, with what tools said: where a model refused, the
 * client names them behind them.
 */
function withdrawnIn(messages: readonly Message[]): ReadonlySet<Message> {
  const retracted = new Set<JsonValue>(
    messages.flatMap((message) => {
      const uuids = carriedRecord(message)?.["retractedMessageUuids"];
      return Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === "string") : [];
    }),
  );
  const withdrawn = messages.filter((message) => {
    const { continues = null } = sourceOf(message);
    const { uuid = null } = restOf(sourceOf(message));
    return [message.id, continues, uuid].some((id) => retracted.has(id));
  });
  return new Answers(messages).withAnswersTo(withdrawn);
}

/**
 * The conversations of sub-agents in the log of the session that started them. An agent's own
 * session keeps all of it, also where nothing but its messages says that it is one: then the side
 * chain goes from end to end.
 */
function sideChains(session: Session, messages: readonly Message[]): ReadonlySet<Message> {
  if (isSubAgent(session)) return new Set();
  const agents = new Set<Message>();
  let isAgents = false;
  for (const message of messages) {
    const source = sourceOf(message);
    // `author` marks prompts alone; this stands at all messages but the second of one record.
    if (source["continues"] === undefined) isAgents = restOf(source)["isSidechain"] === true;
    if (isAgents) agents.add(message);
  }
  const hasOwn = messages.some((message) => !agents.has(message) && isInput(message));
  return hasOwn ? agents : new Set();
}

/** True for what a human or the harness gave; not for a file kept beside the session. */
function isInput(message: Message): boolean {
  return message.role === "user" && sourceOf(message)["sidecar"] === undefined;
}
