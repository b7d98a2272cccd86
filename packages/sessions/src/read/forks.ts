import { and, type Cell, contains, isNotNull, or, type Store } from "@pond/substrate";
import { DamagedRowError } from "../errors.ts";
import { objectOf } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { LaterParents } from "./later-parents.ts";

/**
 * The sessions that somebody forked from another and went on in; whatever else has a parent is a
 * sub-agent. A fork has a cut-point, or says that it is one where its source names none.
 */
export async function forksIn(store: Store, later: LaterParents): Promise<Set<string>> {
  const forks = new Set<string>();
  const saysSo = contains("options", '"relation":"fork"');
  const where = and(isNotNull("parent_session_id"), or(isNotNull("parent_message_id"), saysSo));
  const columns = ["id", "parent_message_id", "options"];
  for await (const rows of store.table("sessions").scan({ columns, where })) {
    for (const { id, parent_message_id: cut, options } of rows) {
      if (typeof cut === "string" || isForkBy(options)) forks.add(String(id));
    }
  }
  for (const [id, { parentMessageId }] of later) if (parentMessageId !== null) forks.add(id);
  return forks;
}

function isForkBy(options: Cell | undefined): boolean {
  try {
    return bagOf(objectOf(options), "source")["relation"] === "fork";
  } catch (error) {
    // A row that is damaged is no reason to stop: it is named where the store is verified.
    if (error instanceof DamagedRowError) return false;
    throw error;
  }
}
