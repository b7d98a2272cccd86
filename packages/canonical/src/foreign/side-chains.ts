import type { Message } from "../message.ts";
import type { SessionContent } from "../seam/codec.ts";
import { restOf, sourceOf } from "../seam/source-options.ts";
import { isSubAgent } from "./family.ts";

/** A session's own conversation, and those of sub-agents that its client logged inside it. */
export type Strands = { readonly own: readonly Message[]; readonly agents: readonly Message[] };

/**
 * Takes the conversations of sub-agents out of the session that started them. An agent's own
 * session keeps all of it, also where nothing but its messages says that it is one: then the side
 * chain goes from end to end.
 */
export function partSideChains({ session, messages }: SessionContent): Strands {
  if (isSubAgent(session)) return { own: messages, agents: [] };
  const own: Message[] = [];
  const agents: Message[] = [];
  let isAgents = false;
  for (const message of messages) {
    const source = sourceOf(message);
    // `author` marks prompts alone; this stands at all messages but the second of one record.
    if (source["continues"] === undefined) isAgents = restOf(source)["isSidechain"] === true;
    (isAgents ? agents : own).push(message);
  }
  return own.some(isInput) ? { own, agents } : { own: messages, agents: [] };
}

/** True for what a human or the harness gave; not for a file kept beside the session. */
function isInput(message: Message): boolean {
  return message.role === "user" && sourceOf(message)["sidecar"] === undefined;
}
