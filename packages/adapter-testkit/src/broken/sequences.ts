import { isJsonObject, type MessageEvent, type MessageId, type ReadEvent } from "@pond/canonical";
import { type Change, withId } from "./readers.ts";

// Readers whose events depend on what comes after them, or come in an order of their own.

/** Notes in every message how many there are: the next record changes them all. */
export const countsTheRest: Change = async function* (events) {
  const all = await Array.fromAsync(events);
  for (const event of all) {
    if (event.kind !== "message") yield event;
    else {
      const { source } = event.message.options;
      const options = { source: { ...(isJsonObject(source) ? source : {}), of: all.length } };
      yield { ...event, message: { ...event.message, options } };
    }
  }
};

/** Numbers its parts from the end. */
export const countsDown: Change = async function* (events) {
  const all = await Array.fromAsync(events);
  for (const [at, event] of all.entries()) {
    yield event.kind === "part" ? withId(event, String(all.length - at)) : event;
  }
};

/** Names its messages by their line. */
export const namesByLine: Change = async function* (events) {
  let line = 1;
  for await (const event of events) {
    if (event.kind === "message") {
      line += 1;
      yield { ...event, message: { ...event.message, id: `line-${line}` as MessageId } };
    } else if (event.kind === "part") {
      const part = { ...event.part, message_id: `line-${line}` as MessageId };
      yield { ...event, part };
    } else yield event;
  }
};

/** Forgets everything before the last two messages, as if the client had cut it off. */
export const keepsLastTwoMessages: Change = inOrder((messages) => messages.slice(-2));

export const newestFirst: Change = inOrder((messages) => messages.toReversed());

export const byTime: Change = inOrder((messages) =>
  messages.toSorted(([one], [other]) => (one.message.timestamp < other.message.timestamp ? -1 : 1)),
);

type MessageEvents = readonly [MessageEvent, ...ReadEvent[]];

function inOrder(order: (messages: readonly MessageEvents[]) => readonly MessageEvents[]): Change {
  return async function* (events) {
    const messages: [MessageEvent, ...ReadEvent[]][] = [];
    for await (const event of events) {
      if (event.kind === "message") messages.push([event]);
      else if (event.kind === "part") messages.at(-1)?.push(event);
      else yield event;
    }
    for (const message of order(messages)) yield* message;
  };
}
