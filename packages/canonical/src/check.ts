import * as v from "valibot";
import { ValidationError } from "./errors.ts";
import { isPlainHeader, isPlainPart, isPlainSession } from "./guards.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "./message.ts";
import { allowedParts, type Message, type MessageHeader, messageHeaderSchema } from "./message.ts";
import { type Part, partSchema } from "./part.ts";
import { type Session, sessionSchema } from "./session.ts";

// The schemas say what is valid and why something is not. The guards say yes to nearly every
// value in a tenth of the time, and never to one that a schema refuses.

/** @throws {ValidationError} where the value is no session. */
export function checkSession(value: unknown): Session {
  return isPlainSession(value) ? value : parse(sessionSchema, value, "session");
}

/** @throws {ValidationError} where the value is no message header. */
export function checkHeader(value: unknown): MessageHeader {
  return isPlainHeader(value) ? value : parse(messageHeaderSchema, value, "message");
}

/** @throws {ValidationError} where the value is no part. */
export function checkPart(value: unknown): Part {
  return isPlainPart(value) ? value : parse(partSchema, value, "part");
}

/** @throws {ValidationError} where the part does not belong in the message (spec 4.6). */
export function checkPlace(part: Part, message: MessageHeader): void {
  if (part.session_id !== message.session_id) {
    throw new ValidationError("part.session_id", `is not that of message ${message.id}`);
  }
  if (part.message_id !== message.id) {
    throw new ValidationError("part.message_id", `is not ${message.id}`);
  }
  if (!allowedParts[message.role].includes(part.type)) throw misplaced(part.type, message);
}

/**
 * The message that a header and its parts make.
 *
 * @throws {ValidationError} where a part belongs elsewhere or the role allows none of its type.
 */
export function messageOf(header: MessageHeader, parts: readonly Part[]): Message {
  for (const part of parts) checkPlace(part, header);
  switch (header.role) {
    case "system":
      return header;
    case "user":
      if (parts.every(isUserPart)) return { ...header, content: parts };
      break;
    case "assistant":
      if (parts.every(isAssistantPart)) return { ...header, content: parts };
      break;
    case "tool":
      if (parts.every(isToolPart)) return { ...header, content: parts };
  }
  throw misplaced("unknown", header);
}

/** @throws {ValidationError} where the value is no message, or one of its parts is not its own. */
export function checkMessage(value: unknown): Message {
  if (typeof value !== "object" || value === null || !("content" in value)) {
    throw new ValidationError("message", "expected an object with content");
  }
  const { content, ...header } = value;
  return Array.isArray(content)
    ? messageOf(checkHeader(header), content.map(checkPart))
    : messageOf(checkHeader(value), []);
}

const isUserPart = (part: Part): part is UserMessage["content"][number] =>
  allowedParts.user.includes(part.type);
const isAssistantPart = (part: Part): part is AssistantMessage["content"][number] =>
  allowedParts.assistant.includes(part.type);
const isToolPart = (part: Part): part is ToolMessage["content"][number] =>
  allowedParts.tool.includes(part.type);

function misplaced(type: string, { role }: MessageHeader): ValidationError {
  return new ValidationError("part.type", `a ${role} message holds no ${type} part`);
}

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown, name: string): T {
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  const [issue] = issues;
  const path = v.getDotPath(issue);
  throw new ValidationError(path === null ? name : `${name}.${path}`, issue.message);
}
