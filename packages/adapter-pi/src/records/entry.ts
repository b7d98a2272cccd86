import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { carriedRecord, objectAt, type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import { importedFrom } from "../imported.ts";
import type { Era, NormalizedEntry } from "../migration.ts";
import { customSpeaker, speakerOf } from "../provenance.ts";
import { readCarrier } from "./carrier.ts";
import { readCommand, restoreFields } from "./commands.ts";
import { restoreEnvelope } from "./envelope.ts";
import type { Reading } from "./reading.ts";
import { readSystem, restoreSystem } from "./system.ts";
import { readToolResult, restoreResult } from "./tool-result.ts";
import { readTurn, restoreContent } from "./turn.ts";

/** The events of one entry. An entry that maps to no message, or is unknown, is carried whole. */
export function readEntry(entry: NormalizedEntry, reading: Reading): CanonicalEvent[] {
  const { record } = entry;
  const type = record.peek("type");
  if (type === "custom_message") {
    const turn = { holder: record, key: "content", role: "user" } as const;
    return readTurn(entry, { ...turn, speaker: customSpeaker(record) }, reading);
  }
  const message = type === "message" ? record.record("message") : undefined;
  const read = message && readMessage(entry, message, reading);
  return read ?? readCarrier(entry, reading);
}

function readMessage(
  entry: NormalizedEntry,
  holder: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const { isHook } = entry;
  const role = isHook ? "custom" : holder.peek("role");
  if (typeof role !== "string") return undefined;
  const { agent, prompts } = reading;
  const client = importedFrom(entry.record);
  const imported = client === undefined ? undefined : prompts[client];
  const speaker = speakerOf(role, holder, { isHook, agent, imported });
  const turn = { holder, key: "content", role: "user", speaker } as const;
  switch (role) {
    case "user":
    case "developer":
    case "hookMessage":
    case "custom":
      return readTurn(entry, { ...turn, facts: { isHook: isHook || undefined } }, reading);
    case "assistant":
      return readTurn(entry, { ...turn, role }, reading);
    case "fileMention":
      return readTurn(entry, { ...turn, key: "files" }, reading);
    case "toolResult":
      return readToolResult(entry, holder, reading);
    case "bashExecution":
      return readCommand(entry, holder, ["command", "output"], speaker, reading);
    case "pythonExecution":
      return readCommand(entry, holder, ["code", "output"], speaker, reading);
    case "system":
      return readSystem(entry, holder, reading);
    default:
      return undefined;
  }
}

/** The entry that a message came from. */
export function restoreEntry(message: Message, { hookRole }: Pick<Era, "hookRole">): JsonObject {
  const carried = carriedRecord(message);
  if (carried) return carried;
  const fields = restoreEnvelope(message);
  if (fields["type"] === "custom_message") {
    const content = restoreContent(message, "content");
    return content === undefined ? fields : { ...fields, content };
  }
  const holder = objectAt(fields, "message");
  const role = sourceOf(message)["isHook"] === true ? { role: hookRole } : {};
  return { ...fields, message: { ...role, ...holder, ...restoreMessage(message, holder) } };
}

function restoreMessage(message: Message, { role }: JsonObject): JsonObject {
  if (message.role === "tool") return restoreResult(message);
  if (message.role === "system") return restoreSystem(message);
  const key = role === "fileMention" ? "files" : "content";
  const content = restoreContent(message, key);
  return content === undefined ? restoreFields(message) : { [key]: content };
}
