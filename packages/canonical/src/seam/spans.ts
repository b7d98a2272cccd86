/** A run of a text in which one side spoke; it goes from the end of the span before it to `end`. */
export type Span = {
  /** Offset after the last code unit. */
  readonly end: number;
  /** The kind of injection; undefined if somebody spoke. */
  readonly kind: string | undefined;
};

/**
 * Cuts a text where the harness and the human meet (spec 6.5, rule 1). The spans cover the whole
 * text.
 */
export type TextSplitter = (text: string) => readonly Span[];
