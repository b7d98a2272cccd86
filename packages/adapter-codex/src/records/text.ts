import type { Provenance } from "@pond/canonical";
import { type SourceRecord, splitText, textPart } from "@pond/canonical/adapter";
import { cutText, type Speaker } from "../spans.ts";
import type { Draft, ElementPlace } from "./content.ts";

/**
 * The text at `key` as parts: one, or one for each run of the same provenance (spec 6.5, rule 1).
 * Undefined if there is no text.
 */
export function draftText(
  element: SourceRecord,
  key: string,
  speaker: Speaker,
  { block }: ElementPlace,
): readonly Draft[] | undefined {
  const raw = element.peek(key);
  const text = element.string(key);
  if (text === undefined || typeof raw !== "string") return undefined;
  const spans = cutText(raw, speaker);
  const rest = element.rest();
  const pieces = splitText(
    text,
    spans.slice(0, -1).map(({ end }) => end),
  );
  return pieces.map((piece, index): Draft => {
    const kind = spans[index]?.kind;
    const provenance: Provenance = kind === undefined ? "conversational" : "injected";
    const source = { block, kind, ...(index === 0 && { rest }) };
    return (message, id) => textPart(message, { id, provenance, text: piece, source });
  });
}
