import type { CanonicalEvent, JsonObject, Message } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import { type SourceRecord, sourceOf } from "@pond/canonical/adapter";
import type { NormalizedEntry } from "../migration.ts";
import type { Speaker } from "../provenance.ts";
import { draftText } from "./draft.ts";
import type { Reading } from "./reading.ts";
import { messageOf, textOf } from "./turn.ts";

/** A command that a user had the client run, and its output: a part for each. */
export function readCommand(
  entry: NormalizedEntry,
  message: SourceRecord,
  fields: readonly string[],
  speaker: Speaker,
  reading: Reading,
): CanonicalEvent[] {
  const drafts = fields.flatMap((field) => {
    const raw = message.peek(field);
    const text = message.string(field);
    if (text === undefined || typeof raw !== "string") return [];
    return draftText(text, raw, speaker, { field });
  });
  return messageOf(entry, { role: "user" }, drafts, reading);
}

/** The fields that the parts of a message came from. */
export function restoreFields(message: Message): JsonObject {
  const fields = partsOf(message).flatMap((part) => {
    const { field } = sourceOf(part);
    return typeof field === "string" && part.type === "text" ? [[field, textOf(part)]] : [];
  });
  return Object.fromEntries(fields);
}
