import type { CanonicalEvent, JsonObject, SystemMessage } from "@pond/canonical";
import { objectAt, type SourceRecord, sourceOf, systemMessageEvent } from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import { takeEnvelope } from "./envelope.ts";
import type { Reading } from "./reading.ts";

/**
 * A system prompt or a change of it: its text, or that of its single block. Undefined for any other
 * shape, which is carried.
 */
export function readSystem(
  entry: NormalizedEntry,
  holder: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const raw = holder.peek("content");
  if (typeof raw !== "string" && !isOneText(raw)) return undefined;
  const [block] = (typeof raw === "string" ? undefined : holder.records("content")) ?? [];
  const content = block ? block.requireString("text") : holder.requireString("content");
  const { id, timestamp, facts } = takeEnvelope(entry, reading);
  const source = { ...facts, block: block?.rest(), rest: entry.record.rest() };
  return [systemMessageEvent(reading.session, { id, timestamp, content, source })];
}

function isOneText(content: unknown): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block] = content;
  return typeof block === "object" && block !== null && typeof block.text === "string";
}

/** The content of the message that a system prompt came from. */
export function restoreSystem(message: SystemMessage): JsonObject {
  const source = sourceOf(message);
  if (source["block"] === undefined) return { content: message.content };
  return { content: [{ ...objectAt(source, "block"), text: message.content }] };
}
