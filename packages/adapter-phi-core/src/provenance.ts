import { isJsonObject, type JsonValue, type Provenance } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";

/** The position of a user's message. */
export type MessagePosition = {
  readonly loopId: string;
  /** True in the first message of its loop. */
  readonly isFirst: boolean;
};

/**
 * Says for each block of a user's message whether a human gave it, or the library or another model
 * wrote it (formats, section 7). A notice and a task are written as whole messages; a warning is
 * appended to what was typed.
 */
export function provenanceOfBlocks(
  message: SourceRecord,
  { loopId, isFirst }: MessagePosition,
): (block: SourceRecord, index: number) => Provenance {
  const content = message.peek("content");
  const opening = Array.isArray(content) ? openingOf(content) : "";
  const isTask = isFirst && /\.sub\.\d+$/.test(loopId);
  const isSelection = isFirst && !loopId.includes(".") && isSelectionPrompt(opening);
  if (isTask || isSelection || isNotice(opening)) return () => "injected";
  return (block, index) => {
    const text = block.peek("text");
    return index > 0 && typeof text === "string" && isAppended(text)
      ? "injected"
      : "conversational";
  };
}

function openingOf([first]: readonly JsonValue[]): string {
  const text = isJsonObject(first) ? first["text"] : undefined;
  return typeof text === "string" ? text : "";
}

function isNotice(text: string): boolean {
  return (
    /^\[Agent stopped: .*\]$/s.test(text) ||
    text.startsWith("[Summary] ") ||
    /^\[Context compacted: \d+ messages removed/.test(text) ||
    text.startsWith(contextMark)
  );
}

/** True for a text that an input filter appends to a prompt. */
function isAppended(text: string): boolean {
  return /^\[Warning: .*\]$/s.test(text) || isNotice(text);
}

/** True for a text that asks a model to choose among the answers of parallel branches. */
function isSelectionPrompt(text: string): boolean {
  const hasOpening =
    text.startsWith("Prior conversation context:") || text.startsWith("Original query:");
  return hasOpening && /number/i.test(text.slice(-300));
}

/** Precedes what another client's harness gave; written by restores into this client. */
export const contextMark = "[Restored context] ";
