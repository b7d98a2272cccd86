import { type ProviderOptions, partsOf } from "@pond/canonical";
import type { Row, Store } from "@pond/substrate";
import { withinSession } from "../read/within-session.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { readableMessages } from "../search/readable-messages.ts";

/** What stands beside the values of a message and of its parts. */
export type StoredOptions = {
  readonly options: ProviderOptions;
  readonly parts: readonly { readonly options: ProviderOptions }[];
};

/**
 * The options of messages as they are shown, by id, without what else they hold: there may be large
 * files among it. Those that are damaged are left out.
 *
 * @param holders - Ids of the carriers that hold the values shown, by message.
 */
export async function storedOptions(
  store: Store,
  sessionId: string,
  ids: readonly string[],
  holders: ReadonlyMap<string, string>,
): Promise<Map<string, StoredOptions>> {
  const own = ids.filter((id) => !holders.has(id));
  const revised = ids.flatMap((id) => {
    const carrierId = holders.get(id);
    return carrierId === undefined ? [] : [{ id, carrierId }];
  });
  const [rows, partRows, messages] = await Promise.all([
    optionRows(store, "messages", sessionId, "id", own),
    optionRows(store, "parts", sessionId, "message_id", own),
    readableMessages(store, sessionId, revised),
  ]);
  const parts = Map.groupBy(partRows, (row) => String(row["message_id"]));
  const stored = new Map<string, StoredOptions>();
  for (const row of rows) {
    const id = String(row["id"]);
    const [options, ...ofParts] = [row, ...(parts.get(id) ?? [])].map(readableOptions);
    const whole = ofParts.flatMap((options) => (options ? [{ options }] : []));
    if (options && whole.length === ofParts.length) stored.set(id, { options, parts: whole });
  }
  for (const message of messages) {
    stored.set(message.id, { options: message.options, parts: partsOf(message) });
  }
  return stored;
}

async function optionRows(
  store: Store,
  table: "messages" | "parts",
  sessionId: string,
  column: string,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const where = withinSession(sessionId, column, ids);
  return store.table(table).rows({ columns: [column, "options"], where });
}
