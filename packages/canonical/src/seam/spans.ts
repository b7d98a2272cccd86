/** A run of one text: who spoke is the same from the end of the span before to `end`. */
export type Span = {
  /** Offset behind the last code unit. */
  readonly end: number;
  /** Which injection it is; undefined where somebody spoke. */
  readonly kind: string | undefined;
};

/** Cuts a text where harness and human meet (spec 6.5, rule 1). The spans cover the text. */
export type Cut = (text: string) => readonly Span[];
