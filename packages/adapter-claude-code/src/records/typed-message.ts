import type { CanonicalEvent } from "@pond/canonical";
import { type Extracted, messageEvent, positionId, suffixedId } from "@pond/canonical/adapter";
import type { Envelope, Reading } from "./envelope.ts";
import { draftText } from "./text.ts";

/** What a human typed: as an extracted value, and as plain text for decisions. */
export type Typed = { readonly text: Extracted<string>; readonly raw: string };

/**
 * Makes a message of its own from what a human typed, if that stands in a carried record or in the
 * result of a tool.
 */
export function typedMessage(
  { id, timestamp }: Envelope,
  typed: readonly Typed[],
  reading: Reading,
  isInResult = false,
): CanonicalEvent[] {
  const message = messageEvent(reading.session, "user", {
    id: suffixedId(id, isInResult ? "said" : "text"),
    timestamp,
    source: { continues: id, ...(isInResult && { said: "in-result" }) },
    records: 0,
  });
  const speaker = { injectedAs: undefined, isHumanTurn: true };
  const drafts = typed.flatMap(({ text, raw }) => draftText(text, raw, speaker, undefined));
  return [message, ...drafts.map((draft, index) => draft(message, positionId(index)))];
}
