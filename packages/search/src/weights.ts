/**
 * The weight of each arm in a session's score, and how much its second and third hit add. Chosen on
 * the tuning half of the sets in `apps/bench` (`retrieval.ts`); the README has the numbers.
 */
export const weights = {
  message: 1,
  window: 1,
  literal: 6,
  /**
   * For a literal that is a short run of unspaced script beside a name or phrase, which comes
   * first.
   */
  runBesideName: 0.05,
  vector: 0.75,
  messageDecay: 0.3,
  windowDecay: 0.3,
  vectorDecay: 0.3,
  coverage: 3,
  /**
   * For a message and a window, times the share of the query's neighbouring words that are
   * neighbours there.
   */
  sideBySide: 1,
  /** A share of BM25, for each function word that the index was not asked for. */
  functionWord: 0.5,
} as const;
