import { type JsonObject, type Message, stringifyJson, toRfc3339 } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
} from "@pond/canonical/adapter";
import {
  type AssistantPart,
  type Call,
  type ContextPart,
  copyUuid,
  derivedHex,
  type Family,
  familyOf,
  fileNote,
  hasVisibleText,
  resultText,
  Tally,
  type Turn,
  turnsOf,
} from "@pond/canonical/foreign";

/**
 * Writes sessions of other clients as sessions of this one: texts, calls with their results, notes.
 */
export function* writeForeign(
  lineage: Lineage,
  meanings: Meanings,
  parents?: readonly NativeParent[],
): Generator<RestoredFile> {
  const family = familyOf(lineage, parents);
  for (const content of [lineage.root, ...lineage.descendants]) {
    const tally = new Tally();
    const turns = turnsOf(content, meanings, tally);
    const records = [headOf(content, family), ...numbered(content, turns, tally)];
    const { id } = content.session;
    const lines = records.map((record) => `${stringifyJson(record)}\n`);
    const path = `${copyUuid("demo", id)}.jsonl`;
    yield { session: id, path, content: lines, fidelity: tally.fidelity() };
  }
}

function headOf({ session }: SessionContent, { parentOf, nativePath }: Family): JsonObject {
  const parent = parentOf(session);
  const isNative = parent && nativePath(parent) !== undefined;
  const above = parent ? { parent: isNative ? parent.id : copyUuid("demo", parent.id) } : {};
  const at = toRfc3339(session.created_at);
  return { id: copyUuid("demo", session.id), ...above, cwd: session.project, at };
}

function numbered(
  { session }: SessionContent,
  turns: readonly Turn[],
  tally: Tally,
): readonly JsonObject[] {
  const drafts = turns.flatMap((turn) => draftsOf(turn, tally));
  return drafts.map(({ message, record }, index) => {
    const id = derivedHex(session.id, String(index)).slice(0, 16);
    return { id, at: toRfc3339(message.timestamp), ...record };
  });
}

/** A record without id and time, and the message that gives it its time. */
type Draft = { readonly message: Message; readonly record: JsonObject };

type Counted = Parameters<Tally["count"]>[0];

function draftsOf(turn: Turn, tally: Tally): readonly Draft[] {
  const { message } = turn;
  const texts = (text: string, role: string, type: Counted): readonly Draft[] => {
    const isVisible = hasVisibleText(text);
    const isNote = role === "note";
    tally.count(type, isVisible ? (isNote ? "translated" : "kept") : "dropped");
    return isVisible ? [{ message, record: { role, text } }] : [];
  };
  if (turn.kind === "context")
    return turn.parts.flatMap((part) => texts(noteOf(part), "note", countedAs(part)));
  const said = (part: AssistantPart): readonly Draft[] => {
    switch (part.type) {
      case "text":
        return texts(part.text, message.role, "text");
      case "file":
        return texts(fileNote(part), "note", "file");
      case "reasoning":
        tally.count("reasoning", "dropped");
        return [];
      case "call":
        return callDrafts(message, part, tally);
    }
  };
  return turn.parts.flatMap(said);
}

function callDrafts(
  message: Message,
  { part, callId, result }: Call,
  tally: Tally,
): readonly Draft[] {
  const { name, params } = part;
  tally.count("tool_call", "kept");
  const call = { message, record: { role: "call", call: callId, name, params } };
  if (!result) return [call];
  tally.count("tool_result", "kept");
  const { is_failure: failed, result: answer } = result.part;
  const record = { role: "result", call: callId, failed, result: answer };
  return [call, { message: result.message, record }];
}

function noteOf(part: ContextPart): string {
  if (part.type === "orphan") return resultText(part.part);
  return part.type === "file" ? fileNote(part) : part.text;
}

function countedAs({ type }: ContextPart): Counted {
  return type === "orphan" ? "tool_result" : type;
}
