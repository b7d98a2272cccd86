import type { JsonObject } from "@pond/canonical";
import { and, type Cell, contains, isNotNull, or, type Store } from "@pond/substrate";
import { DamagedRowError } from "../errors.ts";
import { objectOf } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { LaterParents } from "./later-parents.ts";

/**
 * The sessions that somebody forked from another and went on in; whatever else has a parent is a
 * sub-agent.
 */
export async function forksIn(store: Store, later: LaterParents): Promise<Set<string>> {
  const forks = new Set<string>();
  const saysSo = contains("options", '"relation":"fork"');
  const where = and(isNotNull("parent_session_id"), or(isNotNull("parent_message_id"), saysSo));
  const columns = ["id", "parent_message_id", "options"];
  for await (const rows of store.table("sessions").scan({ columns, where })) {
    for (const { id, parent_message_id: cut, options } of rows) {
      if (isFork(sourceOf(options), typeof cut === "string")) forks.add(String(id));
    }
  }
  for (const [id, { isFork }] of later) {
    if (isFork) forks.add(id);
    else forks.delete(id);
  }
  return forks;
}

/** A fork has a cut-point, where its source does not say what it is: agents are cut off, too. */
export function isFork({ relation }: JsonObject, hasCut: boolean): boolean {
  return relation === undefined ? hasCut : relation === "fork";
}

function sourceOf(options: Cell | undefined): JsonObject {
  try {
    return bagOf(objectOf(options), "source");
  } catch (error) {
    // A row that is damaged is no reason to stop: it is named where the store is verified.
    if (error instanceof DamagedRowError) return {};
    throw error;
  }
}
