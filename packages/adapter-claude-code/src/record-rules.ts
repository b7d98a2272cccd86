import { type JsonValue, type Message, parsedObject, type Session } from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  type NamedModel,
  type RecordRules,
  restOf,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { Answers, inSteps, isSubAgent, modelOf, without } from "@pond/canonical/foreign";
import { attachedImages, attachedText, givenAgain } from "./attached-files.ts";
import { withoutLeft } from "./branches.ts";
import { agentPrefix, agentSuffix } from "./layout.ts";
import { restoreSidecar } from "./records/sidecar.ts";

/** What the client's records mean to models of other clients. */
export const claudeCodeRecords: RecordRules = {
  course,
  agentNames,
  givenText: attachedText,
  givenImages: attachedImages,
  model,
};

function course({ session, messages }: SessionContent): Course {
  return inSteps(messages, [
    (live) => without(live, sideChains(session, live)),
    withoutLeft,
    (live) => without(live, givenAgain(live)),
    (live) => without(live, withdrawnIn(live)),
  ]);
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

/**
 * The id of an agent, which its session's ends with, and that of the call: what answers it names the
 * agent, but not where the agent was interrupted.
 */
function agentNames({ session: { id }, messages }: SessionContent): readonly string[] {
  const name = id.slice(id.lastIndexOf("/") + 1);
  const agent = name.startsWith(agentPrefix) ? name.slice(agentPrefix.length) : id;
  const calls = messages.flatMap((message) => {
    const { path, bytes } = restoreSidecar(message) ?? {};
    const isDescriptor = path?.endsWith(agentSuffix) === true;
    const descriptor = isDescriptor ? parsedObject(Buffer.from(bytes ?? []).toString()) : undefined;
    const { toolUseId } = descriptor ?? {};
    return typeof toolUseId === "string" && toolUseId !== "" ? toolUseId : [];
  });
  return [agent, ...calls];
}

/** So the client calls the author of its own texts. */
const noModel = "<synthetic>";

function model(message: Message): NamedModel {
  const { model: name, ...named } = modelOf(message);
  return name === undefined || name === noModel ? named : { ...named, model: name };
}
