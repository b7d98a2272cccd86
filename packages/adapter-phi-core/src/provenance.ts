import type { Provenance } from "@pond/canonical";

/** Where a user's text stands. */
export type TextPlace = {
  readonly loopId: string;
  /** True in the first message of its loop. */
  readonly isFirstMessage: boolean;
  /** True in the first block of its message. */
  readonly isFirstBlock: boolean;
};

/** Whether a human typed a text, or the library or another model wrote it (formats, section 7). */
export function provenanceOf(text: string, place: TextPlace): Provenance {
  const { loopId, isFirstMessage, isFirstBlock } = place;
  const isTask = isFirstMessage && /\.sub\.\d+$/.test(loopId);
  const isWarning = !isFirstBlock && /^\[Warning: .*\]$/s.test(text);
  const isJudged = !loopId.includes(".") && isFirstMessage && isJudgement(text);
  return isTask || isWarning || isJudged || isNotice(text) ? "injected" : "conversational";
}

function isNotice(text: string): boolean {
  return (
    /^\[Agent stopped: .*\]$/s.test(text) ||
    text.startsWith("[Summary] ") ||
    /^\[Context compacted: \d+ messages removed/.test(text) ||
    text.startsWith(contextMark)
  );
}

/** What asks a model to choose among the answers of parallel branches. */
function isJudgement(text: string): boolean {
  const begins =
    text.startsWith("Prior conversation context:") || text.startsWith("Original query:");
  return begins && /number/i.test(text.slice(-300));
}

/** Stands before what another client's harness gave; written by restores into this client. */
export const contextMark = "[Restored context] ";
