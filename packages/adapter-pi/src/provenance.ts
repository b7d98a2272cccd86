import type { SourceRecord, TextSplitter } from "@pond/canonical/adapter";
import { cutPrompt, cutReminder, cutSkill } from "./spans.ts";

/** Who wrote the texts of one entry (`model-part-provenance`). */
export type Speaker = {
  /** Why all of it is the harness's; undefined if a human or a model spoke. */
  readonly injectedAs: string | undefined;
  /** If one text holds the words of both: how to tell them apart. */
  readonly cut?: TextSplitter;
};

/** Messages that fill a place in the conversation but are no conversation, by their role. */
const injectedRoles: Readonly<Record<string, string>> = {
  developer: "developer",
  custom: "custom",
  hookMessage: "custom",
  fileMention: "file-mention",
  bashExecution: "bash",
  pythonExecution: "python",
  toolResult: "tool-result",
  branchSummary: "branch-summary",
  compactionSummary: "compaction",
};

/** For the log of a sub-agent: whether its task, which another agent gave it, is still to come. */
export class AgentTask {
  #isNext = true;

  /** True for the first prompt, if nothing was answered before it. */
  isGivenIn(role: string): boolean {
    const isGiven = this.#isNext && role === "user";
    if (role === "user" || role === "assistant") this.#isNext = false;
    return isGiven;
  }
}

/** What is known about a message besides its fields. */
type SpeakerContext = {
  readonly isHook: boolean;
  readonly agent?: AgentTask | undefined;
  /** How to cut the prompts of the client that it was imported from. */
  readonly imported?: TextSplitter | undefined;
};

/** Who speaks in a message of this role. */
export function speakerOf(
  role: string,
  message: SourceRecord,
  { isHook, agent, imported }: SpeakerContext,
): Speaker {
  const isTask = agent?.isGivenIn(role) === true;
  if (isHook || role === "custom" || role === "hookMessage") return customSpeaker(message);
  if (role === "user" && imported) return { injectedAs: undefined, cut: imported };
  if (role === "user") return userSpeaker(message, agent && { isTask });
  if (role === "assistant" && imported && isNotice(message)) return { injectedAs: "synthetic" };
  const injectedAs = Object.hasOwn(injectedRoles, role) ? injectedRoles[role] : undefined;
  return { injectedAs };
}

/** True for Claude Code's notice, in a model's place, that a request failed. */
function isNotice(message: SourceRecord): boolean {
  return message.peek("model") === "<synthetic>" && message.peek("stopReason") === "error";
}

function userSpeaker(
  message: SourceRecord,
  agent: { readonly isTask: boolean } | undefined,
): Speaker {
  if (message.peek("synthetic") === true) return { injectedAs: "synthetic" };
  const attribution = message.peek("attribution");
  if (attribution === "agent") return { injectedAs: "agent" };
  if (agent === undefined || attribution !== undefined) {
    return { injectedAs: undefined, cut: cutPrompt };
  }
  // The first releases of omp did not say who speaks; a user may continue the log of an agent.
  return agent.isTask ? { injectedAs: "agent" } : { injectedAs: undefined, cut: cutReminder };
}

/**
 * Who speaks in what an extension or the client itself sends to the model: they do, even if they
 * send it for a user, except for the two kinds that the client takes for a turn of the user's. Of a
 * skill that a user called, only the arguments are the user's.
 */
export function customSpeaker(record: SourceRecord): Speaker {
  const type = record.peek("customType");
  const kind = typeof type === "string" && type !== "" ? type : "custom";
  const isFromUser = record.peek("attribution") === "user";
  if (isFromUser && kind === "collab-prompt") return { injectedAs: undefined };
  if (!isFromUser || kind !== "skill-prompt") return { injectedAs: kind };
  const details = record.record("details");
  const args = details?.peek("args");
  return typeof args === "string" && args !== ""
    ? { injectedAs: undefined, cut: (text) => cutSkill(text, args) }
    : { injectedAs: kind };
}
