import type { JsonObject } from "@pond/canonical";
import { objectAt } from "@pond/canonical/adapter";
import { titleFields, titleOf } from "@pond/canonical/foreign";
import {
  and,
  type Cell,
  contains,
  eq,
  isNotNull,
  oneOf,
  or,
  type Row,
  type Store,
} from "@pond/substrate";
import { byOrdinal, compareRevisions } from "../revisions/order.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";

/** What is known about a message that says a title. */
type TitleRecord = {
  /** The id of the row that says it. */
  readonly id: string;
  /** The key of the message. */
  readonly key: string;
  readonly sessionId: string;
  readonly ordinal: bigint;
  readonly revision: bigint;
  readonly digest: Cell;
  readonly options: JsonObject;
};

/** A later state of a message, from its row. */
type State = Pick<TitleRecord, "id" | "ordinal" | "revision" | "digest">;

/**
 * The titles of these sessions in their clients, from the newest state of each; sessions without
 * one are left out.
 */
export async function clientTitles(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  const named = (await rowsWithTitles(store, sessionIds)).flatMap(toTitleRecords);
  const states = await newestStates(store, sessionIds, new Set(named.map(({ key }) => key)));
  const titleRecords = new Map<string, TitleRecord>();
  for (const each of named) {
    const [known, now] = [titleRecords.get(each.key), states.get(each.key)];
    // Another value says no title, or there is none because the message is gone.
    if (now && now.digest !== each.digest) continue;
    const isNewer = known === undefined || compareRevisions(each, known) > 0;
    if (isNewer) titleRecords.set(each.key, { ...each, ordinal: now?.ordinal ?? each.ordinal });
  }
  const bySession = Map.groupBy(titleRecords.values(), ({ sessionId }) => sessionId);
  return new Map(
    [...bySession].flatMap(([id, own]): [string, string][] => {
      const title = titleOf(own.toSorted(byOrdinal));
      return title === undefined ? [] : [[id, title.text]];
    }),
  );
}

/** Includes carriers: no other system messages have these fields. */
async function rowsWithTitles(store: Store, sessionIds: readonly string[]): Promise<Row[]> {
  const columns = [...stateColumns, "options"];
  const where = and(
    oneOf("session_id", sessionIds),
    eq("role", "system"),
    or(...titleFields.map((field) => contains("options", field))),
  );
  const found: Row[] = [];
  for await (const rows of store.table("messages").scan({ columns, where })) found.push(...rows);
  return found;
}

/** The last state of those of these messages that have later ones. */
async function newestStates(
  store: Store,
  sessionIds: readonly string[],
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, State>> {
  const newest = new Map<string, State>();
  if (keys.size === 0) return newest;
  const where = and(oneOf("session_id", sessionIds), isNotNull("revises"));
  for await (const rows of store.table("messages").scan({ columns: stateColumns, where })) {
    for (const row of rows) {
      const key = keyOf(row["session_id"], row["revises"]);
      if (!keys.has(key)) continue;
      const [known, state] = [newest.get(key), stateOf(row)];
      if (known === undefined || compareRevisions(state, known) > 0) newest.set(key, state);
    }
  }
  return newest;
}

const stateColumns = ["session_id", "id", "revises", "revision", "ordinal", "digest"];

function stateOf({ id, ordinal, revision, digest = null }: Row): State {
  return {
    id: String(id),
    ordinal: BigInt(ordinal as bigint),
    revision: BigInt(revision as bigint),
    digest,
  };
}

/** Nothing is known here about a damaged row, which is reported when the store is verified. */
function toTitleRecords(row: Row): TitleRecord[] {
  const { session_id, id, revises } = row;
  const stored = readableOptions(row);
  if (stored === undefined) return [];
  const own =
    revises === null ? stored : objectAt(objectAt(bagOf(stored, "pond"), "message"), "options");
  return [
    {
      ...stateOf(row),
      key: keyOf(session_id, revises ?? id),
      sessionId: String(session_id),
      options: own,
    },
  ];
}

function keyOf(sessionId: Cell | undefined, id: Cell | undefined): string {
  return JSON.stringify([String(sessionId), String(id)]);
}
