import { and, type Filter, not, oneOf, type Row, rowId } from "@pond/substrate";
import { rowOf } from "./message.ts";
import { type Asked, bestRows, type RankedIndex } from "./ties.ts";

/** What an arm found. */
export type Hits<Hit> = {
  readonly hits: readonly Hit[];
  /** True if there may be more hits than were asked for. */
  readonly isCut: boolean;
};

const roundsAtMost = 3;
/** As many as a first page holds, and one more that shows whether there is a next page. */
export const sessionsWanted = 11;

/**
 * Collects hits in enough sessions: if a few sessions fill the list, the others are asked for
 * again.
 *
 * @param limit - Hits in one round.
 */
export async function deepHits<Hit extends { readonly sessionId: string }>(
  ask: (where: Filter | undefined) => Promise<Hit[]>,
  where: Filter | undefined,
  limit: number,
): Promise<Hits<Hit>> {
  const hits: Hit[] = [];
  const seen = new Set<string>();
  for (let round = 0; round < roundsAtMost; round += 1) {
    const found = await ask(without(seen, where));
    hits.push(...found);
    for (const { sessionId } of found) seen.add(sessionId);
    if (found.length < limit) return { hits, isCut: false };
    if (seen.size >= sessionsWanted) break;
  }
  return { hits, isCut: true };
}

const decisionsAtMost = 4;

/**
 * The best rows that `keeps` accepts. If too few of the best are, the next are read, each time four
 * times as many.
 */
export async function keptRows(
  index: RankedIndex,
  { where, limit, columns }: Asked,
  keeps: (row: Row) => boolean,
): Promise<Row[]> {
  const kept: Row[] = [];
  const read: bigint[] = [];
  let depth = limit;
  for (let round = 0; round < decisionsAtMost; round += 1) {
    const isUnread = not(oneOf(rowId, read));
    const within = read.length === 0 ? where : and(...(where ? [where] : []), isUnread);
    const rows = await bestRows(index, { where: within, limit: depth, columns });
    kept.push(...rows.filter(keeps));
    if (kept.length >= limit || rows.length < depth) break;
    read.push(...rows.map(rowOf));
    depth *= 4;
  }
  return kept;
}

/** The same filter without some sessions. */
export function without(
  sessionIds: ReadonlySet<string>,
  where: Filter | undefined,
): Filter | undefined {
  if (sessionIds.size === 0) return where;
  const others = not(oneOf("session_id", [...sessionIds]));
  return where ? and(where, others) : others;
}
