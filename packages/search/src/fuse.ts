/** What one arm found, and its weight. */
export type Arm = {
  readonly name: string;
  readonly weight: number;
  /**
   * What the second best hit of a root adds, as a share of the first, and likewise for the third.
   */
  readonly decay: number;
  readonly hits: readonly { readonly sessionId: string; readonly score: number }[];
  /** True if scores already are shares, 0 to 1; otherwise they are scaled to that range. */
  readonly isShare?: boolean;
  /**
   * True if scores are scaled from 0 instead of from the lowest one: even the last in a list was
   * found.
   */
  readonly isFromZero?: boolean;
};

/** A root session and how the arms rank it. */
export type RankedRoot = {
  readonly rootId: string;
  /** Weighted sum of the arms' votes, each 0 to 1. */
  readonly score: number;
  readonly votes: Readonly<Record<string, number>>;
};

// Three hits of a root count, so that a session is not found for being long.
const hitsPerRoot = 3;

/**
 * Ranks root sessions. The hits of each arm are grouped by root, scaled to 0..1 (min-max),
 * multiplied by the arm's weight and added up. Rank fusion loses the information in scores: it
 * measured 12 points worse.
 *
 * @param rootOf - The root of a session; undefined if the session is not completely stored.
 * @param isBefore - Which of two equal roots comes first.
 */
export function fuse(
  arms: readonly Arm[],
  rootOf: (sessionId: string) => string | undefined,
  isBefore: (left: string, right: string) => number,
): RankedRoot[] {
  const votes = new Map<string, Record<string, number>>();
  const scores = new Map<string, number>();
  for (const arm of arms) {
    for (const [root, vote] of votesOf(arm, rootOf)) {
      const own = votes.get(root) ?? {};
      own[arm.name] = vote;
      votes.set(root, own);
      scores.set(root, (scores.get(root) ?? 0) + arm.weight * vote);
    }
  }
  return [...votes]
    .map(([rootId, own]): RankedRoot => ({ rootId, score: scores.get(rootId) ?? 0, votes: own }))
    .sort((left, right) => right.score - left.score || isBefore(left.rootId, right.rootId));
}

/** One number from 0 to 1 for each root that an arm found. */
function votesOf(
  { hits, decay, isShare = false, isFromZero = false }: Arm,
  rootOf: (sessionId: string) => string | undefined,
): Map<string, number> {
  const byRoot = new Map<string, number[]>();
  for (const { sessionId, score } of hits) {
    const root = rootOf(sessionId);
    if (root === undefined) continue;
    const scores = byRoot.get(root);
    if (scores) scores.push(score);
    else byRoot.set(root, [score]);
  }
  const ends = [...hits.map(({ score }) => score), ...(isFromZero ? [0] : [])];
  const normalize = isShare ? (score: number) => score : minMax(ends);
  const sums = new Map<string, number>();
  let most = 0;
  for (const [root, scores] of byRoot) {
    // Equal scores belong to a text that was repeated, as sub-agents and templates do.
    const distinct = [...new Set(scores)];
    const best = distinct.sort((left, right) => right - left).slice(0, hitsPerRoot);
    const sum = best.reduce((total, score, rank) => total + normalize(score) * decay ** rank, 0);
    sums.set(root, sum);
    most = Math.max(most, sum);
  }
  if (isShare || most === 0) return sums;
  return new Map([...sums].map(([root, sum]) => [root, sum / most]));
}

/** Maps the lowest of the scores to 0 and the highest to 1. */
export function minMax(scores: readonly number[]): (score: number) => number {
  let least = Infinity;
  let greatest = -Infinity;
  for (const score of scores) {
    least = Math.min(least, score);
    greatest = Math.max(greatest, score);
  }
  const range = greatest - least;
  return (score) => (range > 0 ? (score - least) / range : 1);
}
