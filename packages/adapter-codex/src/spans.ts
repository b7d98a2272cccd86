import { injectedText, type Label, promptStart, provenanceOf } from "./provenance.ts";
import type { Author } from "./records/envelope.ts";

/** A run of one text: who spoke is the same from the end of the span before to `end`. */
export type Span = {
  /** Offset behind the last code unit. */
  readonly end: number;
  /** Which injection it is; undefined where somebody spoke. */
  readonly kind: string | undefined;
};

/** Who stands in the user's place, and what the client says of what stands there. */
export type Place = Label & { readonly author: Author };

/** Which injection everything in such a place is; undefined where a human may have written it. */
export function injectedPlace({ author, ...label }: Place): string | undefined {
  if (provenanceOf(label) === "injected") return label.kind ?? label.from;
  // A review, a compaction or a guardian has no human to talk to.
  return author === "harness" ? "harness" : undefined;
}

/** Cuts a text in the user's place where harness and human meet (spec 6.5, rule 1). */
export function cutText(text: string, place: Place): readonly Span[] {
  const isSaid = provenanceOf(place) === "conversational";
  const whole = injectedPlace(place) ?? (isSaid ? undefined : injectedText(text));
  const start = whole === undefined ? promptStart(text) : 0;
  if (start === 0) return [{ end: text.length, kind: whole }];
  const prefix = { end: start, kind: "editor-context" };
  return start === text.length ? [prefix] : [prefix, { end: text.length, kind: undefined }];
}
