import type { SourceRecord } from "@pond/canonical/adapter";
import { type Cut, cutPrompt, cutSkill } from "./spans.ts";

/** Who wrote the texts of one entry (`model-part-provenance`). */
export type Speaker = {
  /** Why all of it is the harness's; undefined where a human or a model spoke. */
  readonly injectedAs: string | undefined;
  /** Where one text holds the words of both, how to tell them apart. */
  readonly cut?: Cut;
};

/** What fills a place in the conversation and is no conversation, by the role of the message. */
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

/** Who speaks in a message of this role. */
export function speakerOf(role: string, message: SourceRecord, isHook: boolean): Speaker {
  if (isHook || role === "custom" || role === "hookMessage") return customSpeaker(message);
  if (role === "user") return userSpeaker(message);
  const injectedAs = Object.hasOwn(injectedRoles, role) ? injectedRoles[role] : undefined;
  return { injectedAs };
}

function userSpeaker(message: SourceRecord): Speaker {
  if (message.peek("synthetic") === true) return { injectedAs: "synthetic" };
  if (message.peek("attribution") === "agent") return { injectedAs: "agent" };
  return { injectedAs: undefined, cut: cutPrompt };
}

/**
 * Who speaks in what an extension sends to the model: the extension, unless it says that a user
 * does. Of a skill that a user called only the arguments are the user's.
 */
export function customSpeaker(record: SourceRecord): Speaker {
  const type = record.peek("customType");
  const kind = typeof type === "string" && type !== "" ? type : "custom";
  if (record.peek("attribution") !== "user") return { injectedAs: kind };
  if (kind !== "skill-prompt") return { injectedAs: undefined };
  const details = record.record("details");
  const args = details?.peek("args");
  return typeof args === "string" && args !== ""
    ? { injectedAs: undefined, cut: (text) => cutSkill(text, args) }
    : { injectedAs: kind };
}
