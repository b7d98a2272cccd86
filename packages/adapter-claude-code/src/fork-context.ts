import type { Message } from "@pond/canonical";
import { carriedRecord } from "@pond/canonical/adapter";

/** What the log of a forked agent says of what it goes on from. */
export type Context = {
  /** Where it says so: its own rows follow. */
  readonly index: number;
  readonly session: string;
  /** The last row, by its id. */
  readonly last: string;
};

/** Undefined where a log holds all that was said in it. */
export function contextIn(messages: readonly Message[]): Context | undefined {
  for (const [index, message] of messages.entries()) {
    const { type, parentSessionId: session, parentLastUuid: last } = carriedRecord(message) ?? {};
    if (type !== "fork-context-ref") continue;
    if (typeof session === "string" && typeof last === "string") return { index, session, last };
  }
  return undefined;
}
