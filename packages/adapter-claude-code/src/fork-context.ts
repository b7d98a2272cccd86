import type { Message } from "@pond/canonical";
import { carriedRecord } from "@pond/canonical/adapter";

/** What the log of a forked agent says about the context that it continues. */
export type Context = {
  /** The index of the record that says so; the agent's own rows follow. */
  readonly index: number;
  readonly session: string;
  /** The id of the last row. */
  readonly last: string;
};

/** Undefined for a log that holds everything that was said in its session. */
export function contextIn(messages: readonly Message[]): Context | undefined {
  for (const [index, message] of messages.entries()) {
    const { type, parentSessionId: session, parentLastUuid: last } = carriedRecord(message) ?? {};
    if (type !== "fork-context-ref") continue;
    if (typeof session === "string" && typeof last === "string") return { index, session, last };
  }
  return undefined;
}
