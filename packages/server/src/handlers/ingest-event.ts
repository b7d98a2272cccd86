import {
  type CanonicalEvent,
  isJsonObject,
  type JsonObject,
  type MessageHeader,
  messageFromWire,
  partFromWire,
  type Session,
  sessionFromWire,
  ValidationError,
} from "@pond/canonical";
import { maxIdChars } from "@pond/wire";

/** An event as far as it could be read. What a bad event says about its place limits the damage. */
export type ParsedEvent =
  | { readonly isValid: true; readonly value: CanonicalEvent; readonly sessionId: string }
  | {
      readonly isValid: false;
      readonly path: string;
      readonly reason: string;
      readonly kind: CanonicalEvent["kind"] | undefined;
      readonly sessionId: string | undefined;
      readonly messageId: string | undefined;
    };

const kinds: readonly string[] = ["session", "message", "part"] satisfies CanonicalEvent["kind"][];

/** Reads one event. Never throws because of its content. */
export function readEvent(value: unknown): ParsedEvent {
  try {
    return { isValid: true, ...decode(value) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { path, reason } = error.details;
    return { isValid: false, path, reason, ...idsOf(value) };
  }
}

function decode(value: unknown): { value: CanonicalEvent; sessionId: string } {
  if (!isJsonObject(value)) throw new ValidationError("event", "expected a JSON object");
  const kind = kindOf(value);
  if (kind === undefined) throw new ValidationError("kind", `is none of ${kinds.join(", ")}`);
  const other = Object.keys(value).find((key) => key !== "kind" && key !== kind);
  if (other !== undefined) throw new ValidationError(other, "there is no such field");
  const body = value[kind];
  switch (kind) {
    case "session": {
      const session = sessionOf(body);
      return { value: { kind, session }, sessionId: session.id };
    }
    case "message": {
      const message = headerOf(body);
      checkIds("message", [message.id, message.session_id]);
      return { value: { kind, message }, sessionId: message.session_id };
    }
    case "part": {
      const part = partFromWire(body);
      checkIds("part", [part.id, part.session_id, part.message_id]);
      return { value: { kind, part }, sessionId: part.session_id };
    }
  }
}

function sessionOf(body: unknown): Session {
  const session = sessionFromWire(body);
  const { id, parent_session_id = "", parent_message_id = "", source_agent, project } = session;
  checkIds("session", [id, parent_session_id, parent_message_id]);
  for (const [field, label] of Object.entries({ source_agent, project })) {
    // Labels are stored as plain text, which cannot hold half a character.
    if (!label.isWellFormed()) {
      throw new ValidationError(`session.${field}`, "holds a lone surrogate");
    }
    if (label.length > maxIdChars) {
      throw new ValidationError(`session.${field}`, `is longer than ${maxIdChars} characters`);
    }
  }
  return session;
}

/** A message without parts, which are events of their own. */
function headerOf(body: unknown): MessageHeader {
  if (!isJsonObject(body)) throw new ValidationError("message", "expected a JSON object");
  const isSystem = body["role"] === "system";
  if (!isSystem && Object.hasOwn(body, "content")) {
    throw new ValidationError("message.content", "its parts are events of their own");
  }
  const message = messageFromWire(isSystem ? body : { ...body, content: [] });
  if (message.role === "system") return message;
  const { content: _, ...header } = message;
  return header;
}

function checkIds(path: string, ids: readonly string[]): void {
  if (ids.every((id) => id.length <= maxIdChars)) return;
  throw new ValidationError(`${path}.id`, `an id is longer than ${maxIdChars} characters`);
}

function kindOf(event: JsonObject): CanonicalEvent["kind"] | undefined {
  const { kind } = event;
  return kind === "session" || kind === "message" || kind === "part" ? kind : undefined;
}

/** The session and message that a bad event belongs to, as far as it says so. */
function idsOf(value: unknown) {
  const kind = isJsonObject(value) ? kindOf(value) : undefined;
  const body = isJsonObject(value) && kind !== undefined ? value[kind] : undefined;
  const textAt = (key: string): string | undefined => {
    const text = isJsonObject(body) ? body[key] : undefined;
    const isId = typeof text === "string" && text !== "" && text.length <= maxIdChars;
    return isId && text.isWellFormed() ? text : undefined;
  };
  switch (kind) {
    case "session":
      return { kind, sessionId: textAt("id"), messageId: undefined };
    case "message":
      return { kind, sessionId: textAt("session_id"), messageId: textAt("id") };
    default:
      return { kind, sessionId: textAt("session_id"), messageId: textAt("message_id") };
  }
}
