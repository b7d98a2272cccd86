import type { JsonValue, MessageEvent, PartEvent } from "@pond/canonical";
import { type Extracted, type Span, splitText, textPart } from "@pond/canonical/adapter";
import { toolLoaded } from "../provenance.ts";
import { cutText } from "../spans.ts";

/** How to tell who wrote the texts of one record. */
export type Speaker = {
  /** Why the whole record is the harness's; undefined if its texts decide. */
  readonly injectedAs: string | undefined;
  /** False for a model, whose own words contain no injections. */
  readonly isHumanTurn: boolean;
  /** True if results of tools are in the same record. */
  readonly isBesideResult?: boolean;
  /** The plan that a record says it embeds. */
  readonly planContent?: string;
};

/** A part that waits for the message it will belong to. */
export type Draft = (message: MessageEvent, id: Extracted<string>) => PartEvent;

/** The parts of one text, cut where the harness and the human meet. `source` goes to the first. */
export function draftText(
  text: Extracted<string>,
  raw: string,
  speaker: Speaker,
  block: number | undefined,
  rest?: Extracted<JsonValue>,
): Draft[] {
  const spans = spansOf(raw, speaker);
  const pieces =
    spans.length === 1
      ? [text]
      : splitText(
          text,
          spans.slice(0, -1).map(({ end }) => end),
        );
  return pieces.map((piece, index) => {
    const kind = spans[index]?.kind;
    const provenance = kind === undefined ? "conversational" : "injected";
    const source = { block, kind, rest: index === 0 ? rest : undefined };
    return (message, id) => textPart(message, { id, provenance, text: piece, source });
  });
}

function spansOf(raw: string, speaker: Speaker): readonly Span[] {
  const { injectedAs, isHumanTurn, isBesideResult = false, planContent } = speaker;
  const end = raw.length;
  if (injectedAs !== undefined || !isHumanTurn) return [{ end, kind: injectedAs }];
  if (isBesideResult && toolLoaded.test(raw)) return [{ end, kind: "tool-loaded" }];
  return cutText(raw, planContent);
}
