import { saysFork } from "@pond/canonical/foreign";
import { and, contains, isNotNull, oneOf, or, type Row, rowId, type Store } from "@pond/substrate";
import { readableOptions } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { RevisedParents } from "./revised-parents.ts";

const readAtOnce = 1_000;

/**
 * The sessions that somebody forked from another and continued. Any other session with a parent is
 * a sub-agent.
 */
export async function loadForks(store: Store, revised: RevisedParents): Promise<Set<string>> {
  const forks = new Set<string>();
  const sessions = store.table("sessions");
  const below = isNotNull("parent_session_id");
  const children = (await sessions.rows({ columns: [rowId], where: below })).map(rowOf);
  const maybe = or(isNotNull("parent_message_id"), contains("options", '"relation":"fork"'));
  const columns = ["id", "parent_message_id", "options"];
  // What sources say about their sessions is long, so it is read only for those below others.
  for (let from = 0; from < children.length; from += readAtOnce) {
    const where = and(oneOf(rowId, children.slice(from, from + readAtOnce)), maybe);
    for (const row of await sessions.rows({ columns, where })) {
      const { id, parent_message_id: cut } = row;
      const source = bagOf(readableOptions(row) ?? {}, "source");
      if (saysFork(source, typeof cut === "string")) forks.add(String(id));
    }
  }
  for (const [id, { isFork }] of revised) {
    if (isFork) forks.add(id);
    else forks.delete(id);
  }
  return forks;
}

const rowOf = (row: Row): bigint => BigInt(row[rowId] as bigint);
