import { checkMessage, checkPart, checkSession } from "./check.ts";
import { ValidationError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { type Message, type MessageHeader, partsOf } from "./message.ts";
import type { FileContent, FilePart, Part } from "./part.ts";
import type { Session } from "./session.ts";
import { fromRfc3339, toRfc3339 } from "./timestamp.ts";

/** A session as JSON: its time is RFC 3339 text, to the microsecond. */
export type WireSession = Omit<Session, "created_at"> & { readonly created_at: string };

/** The content of a file part as JSON: bytes are base64 text. */
export type WireFileContent =
  | Exclude<FileContent, { readonly type: "bytes" }>
  | { readonly type: "bytes"; readonly base64: string };

/** A part as JSON. */
export type WirePart =
  | Exclude<Part, FilePart>
  | (Omit<FilePart, "data"> & { readonly data: WireFileContent });

/** A message as JSON, with its parts. The content of a system message is text. */
export type WireMessage = Omit<MessageHeader, "timestamp" | "content"> & {
  readonly timestamp: string;
  readonly content: string | readonly WirePart[];
};

/** Converts a session to JSON. */
export function sessionToWire(session: Session): WireSession {
  return { ...session, created_at: toRfc3339(session.created_at) };
}

/**
 * Converts JSON to a session.
 *
 * @throws {ValidationError} if the value is not a valid session.
 */
export function sessionFromWire(value: unknown): Session {
  return checkSession(withTime(value, "created_at", "session"));
}

/** Converts a message with its parts to JSON. */
export function messageToWire(message: Message): WireMessage {
  const content = message.role === "system" ? message.content : partsOf(message).map(partToWire);
  return { ...message, timestamp: toRfc3339(message.timestamp), content };
}

/**
 * Converts JSON to a message with its parts.
 *
 * @throws {ValidationError} if the value is not a valid message, or holds parts of another one.
 */
export function messageFromWire(value: unknown): Message {
  const message = withTime(value, "timestamp", "message");
  const { content } = message;
  return checkMessage(
    Array.isArray(content) ? { ...message, content: content.map(partFromWire) } : message,
  );
}

/** Converts a part to JSON. */
export function partToWire(part: Part): WirePart {
  if (part.type !== "file") return part;
  const { data } = part;
  return { ...part, data: data.type === "bytes" ? { type: "bytes", base64: base64(data) } : data };
}

/**
 * Converts JSON to a part.
 *
 * @throws {ValidationError} if the value is not a valid part.
 */
export function partFromWire(value: unknown): Part {
  const data = isJsonObject(value) ? value["data"] : undefined;
  if (!isJsonObject(value) || !isJsonObject(data)) return checkPart(value);
  const { type, base64: text, ...others }: JsonObject = data;
  if (type !== "bytes" || typeof text !== "string") return checkPart(value);
  const bytes = Buffer.from(text, "base64");
  // Decoding would skip what is not base64 and lose it silently.
  if (bytes.toString("base64") !== text)
    throw new ValidationError("part.data.base64", "not base64");
  return checkPart({ ...value, data: { ...others, type, bytes } });
}

function base64({ bytes }: { readonly bytes: Uint8Array }): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The fields of a wire object, its time decoded. */
function withTime(value: unknown, key: string, path: string): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw new ValidationError(path, "expected a JSON object");
  const text = value[key];
  const micros = typeof text === "string" ? fromRfc3339(text) : undefined;
  if (micros === undefined) throw new ValidationError(`${path}.${key}`, "expected RFC 3339 text");
  return { ...value, [key]: micros };
}
