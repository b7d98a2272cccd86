import type { JsonObject } from "@pond/canonical";
import { saysFork } from "@pond/canonical/foreign";
import {
  and,
  type Cell,
  contains,
  isNotNull,
  oneOf,
  or,
  type Row,
  rowId,
  type Store,
} from "@pond/substrate";
import { DamagedRowError } from "../errors.ts";
import { objectOf } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { LaterParents } from "./later-parents.ts";

const readAtOnce = 1_000;

/**
 * The sessions that somebody forked from another and went on in; whatever else has a parent is a
 * sub-agent.
 */
export async function forksIn(store: Store, later: LaterParents): Promise<Set<string>> {
  const forks = new Set<string>();
  const sessions = store.table("sessions");
  const below = isNotNull("parent_session_id");
  const children = (await sessions.rows({ columns: [rowId], where: below })).map(rowOf);
  const maybe = or(isNotNull("parent_message_id"), contains("options", '"relation":"fork"'));
  const columns = ["id", "parent_message_id", "options"];
  // What sources say of their sessions is long: read of those below others alone.
  for (let from = 0; from < children.length; from += readAtOnce) {
    const where = and(oneOf(rowId, children.slice(from, from + readAtOnce)), maybe);
    for (const row of await sessions.rows({ columns, where })) {
      const { id, parent_message_id: cut, options } = row;
      if (saysFork(sourceOf(options), typeof cut === "string")) forks.add(String(id));
    }
  }
  for (const [id, { isFork }] of later) {
    if (isFork) forks.add(id);
    else forks.delete(id);
  }
  return forks;
}

const rowOf = (row: Row): bigint => BigInt(row[rowId] as bigint);

function sourceOf(options: Cell | undefined): JsonObject {
  try {
    return bagOf(objectOf(options), "source");
  } catch (error) {
    // A row that is damaged is no reason to stop: it is named where the store is verified.
    if (error instanceof DamagedRowError) return {};
    throw error;
  }
}
