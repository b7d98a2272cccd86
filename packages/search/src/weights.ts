/**
 * What the arms count for in a session's score, and how much its second and third hit add. Chosen
 * on the tuning half of the sets in `apps/bench` (`retrieval.ts`); the README has the numbers.
 */
export const weights = {
  message: 1,
  window: 1,
  literal: 6,
  /** Of a literal, of a short run of unspaced script beside a name or phrase: that comes first. */
  runBesideName: 0.05,
  vector: 0.75,
  messageDecay: 0.3,
  windowDecay: 0.3,
  vectorDecay: 0.3,
  coverage: 3,
  /** Of a message and a window, times the share of the query's neighbours that are neighbours there. */
  sideBySide: 1,
  /** Of BM25, for each function word that the index was not asked for. */
  functionWord: 0.5,
} as const;
