import type { JsonValue, MessageEvent, PartEvent } from "@pond/canonical";
import { type Extracted, splitText, textPart } from "@pond/canonical/adapter";
import type { Speaker } from "../provenance.ts";

/** A part that waits for the message it will belong to. */
export type Draft = (message: MessageEvent, id: Extracted<string>) => PartEvent;

/** The place of a value in its entry: position in a list of blocks, or the name of a field. */
export type Place = { readonly block?: number; readonly field?: string };

/** The parts of one text, cut where the harness and the human meet. `rest` goes to the first. */
export function draftText(
  text: Extracted<string>,
  raw: string,
  { injectedAs, cut }: Speaker,
  place: Place,
  rest?: Extracted<JsonValue>,
): Draft[] {
  const spans =
    injectedAs === undefined && cut ? cut(raw) : [{ end: raw.length, kind: injectedAs }];
  const cuts = spans.slice(0, -1).map(({ end }) => end);
  const pieces = cuts.length === 0 ? [text] : splitText(text, cuts);
  return pieces.map((piece, index) => {
    const kind = spans[index]?.kind;
    const provenance = kind === undefined ? "conversational" : "injected";
    const source = { ...place, kind, rest: index === 0 ? rest : undefined };
    return (message, id) => textPart(message, { id, provenance, text: piece, source });
  });
}
