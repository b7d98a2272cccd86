import type { CanonicalEvent } from "@pond/canonical";
import { type Extracted, messageEvent, positionId, secondId } from "@pond/canonical/adapter";
import type { Envelope, Reading } from "./envelope.ts";
import { draftText } from "./text.ts";

/** What a human typed, as a source gives it, and to decide by. */
export type Typed = { readonly text: Extracted<string>; readonly raw: string };

/**
 * What a human typed that stands in a record which is carried whole, or in the result of a tool: a
 * message of its own.
 */
export function typedBehind(
  { id, timestamp }: Envelope,
  typed: readonly Typed[],
  reading: Reading,
  isInResult = false,
): CanonicalEvent[] {
  const message = messageEvent(reading.session, "user", {
    id: secondId(id, isInResult ? "said" : "text"),
    timestamp,
    source: { continues: id, ...(isInResult && { said: "in-result" }) },
    records: 0,
  });
  const speaker = { injectedAs: undefined, isHumanTurn: true };
  const drafts = typed.flatMap(({ text, raw }) => draftText(text, raw, speaker, undefined));
  return [message, ...drafts.map((draft, index) => draft(message, positionId(index)))];
}
