import type { JsonObject } from "@pond/canonical";
import { objectAt } from "@pond/canonical/adapter";
import { titleFields, titleOf } from "@pond/canonical/foreign";
import {
  and,
  type Cell,
  contains,
  eq,
  isNotNull,
  isNull,
  oneOf,
  or,
  type Row,
  type Store,
} from "@pond/substrate";
import { byOrdinal, compareRevisions } from "../revisions/order.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";

/** What is known of a message that says a title. */
type Named = {
  /** Of the row that says it. */
  readonly id: string;
  /** Of the message. */
  readonly key: string;
  readonly sessionId: string;
  readonly ordinal: bigint;
  readonly revision: bigint;
  readonly options: JsonObject;
};

/** What their clients call these sessions, as the newest state of each says; others are left out. */
export async function clientTitles(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  const named = (await rowsWithTitles(store, sessionIds)).flatMap(toNamed);
  const removed = await removedOf(store, sessionIds, named);
  const newest = new Map<string, Named>();
  for (const each of named) {
    const known = newest.get(each.key);
    const isNewer = known === undefined || compareRevisions(each, known) > 0;
    if (!removed.has(each.key) && isNewer) newest.set(each.key, each);
  }
  const bySession = Map.groupBy(newest.values(), ({ sessionId }) => sessionId);
  return new Map(
    [...bySession].flatMap(([id, own]): [string, string][] => {
      const title = titleOf(own.toSorted(byOrdinal));
      return title === undefined ? [] : [[id, title.text]];
    }),
  );
}

/** Carriers among them: no other messages of the system have these fields. */
async function rowsWithTitles(store: Store, sessionIds: readonly string[]): Promise<Row[]> {
  const columns = ["session_id", "id", "revises", "revision", "ordinal", "options"];
  const where = and(
    oneOf("session_id", sessionIds),
    eq("role", "system"),
    or(...titleFields.map((field) => contains("options", field))),
  );
  const found: Row[] = [];
  for await (const rows of store.table("messages").scan({ columns, where })) found.push(...rows);
  return found;
}

/** Which of these messages are no longer in their source. */
async function removedOf(
  store: Store,
  sessionIds: readonly string[],
  named: readonly Named[],
): Promise<Set<string>> {
  const removed = new Set<string>();
  if (named.length === 0) return removed;
  const columns = ["session_id", "revises"];
  const gone = and(oneOf("session_id", sessionIds), isNotNull("revises"), isNull("digest"));
  for await (const rows of store.table("messages").scan({ columns, where: gone })) {
    for (const { session_id, revises } of rows) removed.add(keyOf(session_id, revises));
  }
  return removed;
}

/** Of a row that is damaged nothing is known here: it is named where the store is verified. */
function toNamed(row: Row): Named[] {
  const { session_id, id, revises, revision, ordinal } = row;
  const stored = readableOptions(row);
  if (stored === undefined) return [];
  const own =
    revises === null ? stored : objectAt(objectAt(bagOf(stored, "pond"), "message"), "options");
  return [
    {
      id: String(id),
      key: keyOf(session_id, revises ?? id),
      sessionId: String(session_id),
      ordinal: BigInt(ordinal as bigint),
      revision: BigInt(revision as bigint),
      options: own,
    },
  ];
}

function keyOf(sessionId: Cell | undefined, id: Cell | undefined): string {
  return JSON.stringify([String(sessionId), String(id)]);
}
