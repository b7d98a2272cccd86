import { hash } from "node:crypto";
import { type Message, partsOf, partToWire, stringifyJson, toRfc3339 } from "@pond/canonical";
import { snapshot } from "./snapshot.ts";
import { sourceOf } from "./stored-event.ts";

/**
 * Remembers what the loops of a session said. The branches of a group, and loops that continue a
 * compacted context, repeat messages of others together with their times.
 */
export class RepeatDetector {
  readonly #loops: Map<string, string> = new Map();

  /** True if another loop said it at the same time, which makes it a copy. */
  isRepeat(message: Message, loopId: string): boolean {
    const first = this.#loops.get(digestOf(message));
    return first !== undefined && first !== loopId;
  }

  add(message: Message, loopId: string): void {
    const digest = digestOf(message);
    if (!this.#loops.has(digest)) this.#loops.set(digest, loopId);
  }
}

function digestOf(message: Message): string {
  return hash("sha256", `${toRfc3339(message.timestamp)} ${contentText(message)}`);
}

/** What was said, as text, without its time and its place in the session. */
function contentText(message: Message): string {
  const { rest = null } = sourceOf(message);
  const content =
    message.role === "system"
      ? message.content
      : partsOf(message).map((part) => {
          const { id: _, session_id: _session, message_id: _message, ...said } = partToWire(part);
          return snapshot(said);
        });
  return stringifyJson([message.role, content, rest]);
}
