import * as v from "valibot";
import { ValidationError } from "./errors.ts";
import { isPlainHeader, isPlainPart, isPlainSession } from "./guards.ts";
import type { AssistantMessage, ToolMessage, UserMessage } from "./message.ts";
import { allowedParts, type Message, type MessageHeader, messageHeaderSchema } from "./message.ts";
import { type Part, partSchema } from "./part.ts";
import { type Session, sessionSchema } from "./session.ts";

// The schemas say what is valid and why a value is not. The guards accept nearly every valid value
// in a tenth of the time, and never one that a schema refuses.

/**
 * Returns the value as a session.
 *
 * @throws {ValidationError} if it is not a valid session.
 */
export function checkSession(value: unknown): Session {
  return isPlainSession(value) ? value : parse(sessionSchema, value, "session");
}

/**
 * Returns the value as a message header.
 *
 * @throws {ValidationError} if it is not a valid message header.
 */
export function checkHeader(value: unknown): MessageHeader {
  return isPlainHeader(value) ? value : parse(messageHeaderSchema, value, "message");
}

/**
 * Returns the value as a part.
 *
 * @throws {ValidationError} if it is not a valid part.
 */
export function checkPart(value: unknown): Part {
  return isPlainPart(value) ? value : parse(partSchema, value, "part");
}

/**
 * Checks that the part belongs to the message and that the message's role allows its type (spec
 * 4.6).
 *
 * @throws {ValidationError} if it does not.
 */
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
 * Joins a header and its parts into a message.
 *
 * @throws {ValidationError} if a part belongs to another message, or the role allows no part of its
 * type.
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

/**
 * Returns the value as a message with its parts.
 *
 * @throws {ValidationError} if it is not a valid message, or one of its parts belongs to another
 * one.
 */
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
  throw new ValidationError(path === null ? name : `${name}.${path}`, reasonOf(issue));
}

function reasonOf({ path, expected, message }: v.BaseIssue<unknown>): string {
  if (path?.at(-1)?.origin !== "key") return message;
  return expected === "never" ? "there is no such field" : "it is missing";
}
