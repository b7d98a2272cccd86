import { and, type Filter, not, oneOf, type Row, rowId } from "@pond/substrate";
import { bestRows, type RankedIndex, type RankedRead } from "./best-rows.ts";
import { rowOf } from "./message.ts";

/** What an arm found. */
export type Hits<Hit> = {
  readonly hits: readonly Hit[];
  /** True if there may be more hits than were asked for. */
  readonly isCut: boolean;
};

const maxRounds = 3;
/** As many as a first page holds, and one more that shows whether there is a next page. */
export const sessionsWanted = 11;

/**
 * Collects hits in enough sessions: if a few sessions fill the list, the others are asked for
 * again.
 *
 * @param limit - Hits in one round.
 */
export async function collectHits<Hit extends { readonly sessionId: string }>(
  ask: (where: Filter | undefined) => Promise<Hit[]>,
  where: Filter | undefined,
  limit: number,
): Promise<Hits<Hit>> {
  const hits: Hit[] = [];
  const seen = new Set<string>();
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await ask(excludingSessions(seen, where));
    hits.push(...found);
    for (const { sessionId } of found) seen.add(sessionId);
    if (found.length < limit) return { hits, isCut: false };
    if (seen.size >= sessionsWanted) break;
  }
  return { hits, isCut: true };
}

const maxReads = 4;

/**
 * The best rows that `keeps` accepts. If too few of the best are, the next are read, each time four
 * times as many.
 */
export async function bestAcceptedRows(
  index: RankedIndex,
  { where, limit, columns }: RankedRead,
  accepts: (row: Row) => boolean,
): Promise<Row[]> {
  const kept: Row[] = [];
  const read: bigint[] = [];
  let depth = limit;
  for (let round = 0; round < maxReads; round += 1) {
    const isUnread = not(oneOf(rowId, read));
    const within = read.length === 0 ? where : and(...(where ? [where] : []), isUnread);
    const rows = await bestRows(index, { where: within, limit: depth, columns });
    kept.push(...rows.filter(accepts));
    if (kept.length >= limit || rows.length < depth) break;
    read.push(...rows.map(rowOf));
    depth *= 4;
  }
  return kept;
}

/** The same filter without some sessions. */
export function excludingSessions(
  sessionIds: ReadonlySet<string>,
  where: Filter | undefined,
): Filter | undefined {
  if (sessionIds.size === 0) return where;
  const others = not(oneOf("session_id", [...sessionIds]));
  return where ? and(where, others) : others;
}
