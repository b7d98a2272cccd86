import {
  type Message,
  type MessageHeader,
  partsOf,
  partToWire,
  sessionToWire,
  toRfc3339,
  type WirePart,
  type WireSession,
} from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";

/** @inline */
type WireHeader = Pick<MessageHeader, "id" | "session_id" | "options"> & {
  readonly timestamp: string;
} & (
    | { readonly role: "system"; readonly content: string }
    | { readonly role: "user" | "assistant" | "tool" }
  );

/** A canonical object in the form in which pond's API takes it (spec 7.6). */
export type WireEvent =
  | { readonly kind: "session"; readonly session: WireSession }
  | { readonly kind: "message"; readonly message: WireHeader }
  | { readonly kind: "part"; readonly part: WirePart };

/** The event that comes first for a session. */
export function sessionEvent({ session }: SessionContent): WireEvent {
  return { kind: "session", session: sessionToWire(session) };
}

/** The events of a message and its parts. */
export function messageEvents(message: Message): readonly WireEvent[] {
  return [
    { kind: "message", message: headerOf(message) },
    ...partsOf(message).map((part) => ({ kind: "part" as const, part: partToWire(part) })),
  ];
}

function headerOf(message: Message): WireHeader {
  const { id, session_id, options } = message;
  const common = { id, session_id, timestamp: toRfc3339(message.timestamp), options };
  return message.role === "system"
    ? { ...common, role: message.role, content: message.content }
    : { ...common, role: message.role };
}
