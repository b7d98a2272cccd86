import { and, type Filter, not, oneOf, type Row } from "@pond/substrate";

/** What an arm found. */
export type Hits<Hit> = {
  readonly hits: readonly Hit[];
  /** True where there may be more than it was asked for. */
  readonly isCut: boolean;
};

const roundsAtMost = 3;
/** As many as a first page holds, and the one that says that there are more. */
export const sessionsWanted = 11;

/**
 * Rows of enough sessions: where a few sessions fill the list, the others are asked again.
 *
 * @param limit - Rows in one round.
 */
export async function deepRows(
  ask: (where: Filter | undefined) => Promise<Row[]>,
  where: Filter | undefined,
  limit: number,
): Promise<Hits<Row>> {
  const hits: Row[] = [];
  const seen = new Set<string>();
  for (let round = 0; round < roundsAtMost; round += 1) {
    const rows = await ask(without(seen, where));
    hits.push(...rows);
    for (const row of rows) seen.add(String(row["session_id"]));
    if (rows.length < limit) return { hits, isCut: false };
    if (seen.size >= sessionsWanted) break;
  }
  return { hits, isCut: true };
}

/** The same bound, but for some sessions. */
export function without(
  sessionIds: ReadonlySet<string>,
  where: Filter | undefined,
): Filter | undefined {
  if (sessionIds.size === 0) return where;
  const others = not(oneOf("session_id", [...sessionIds]));
  return where ? and(where, others) : others;
}
