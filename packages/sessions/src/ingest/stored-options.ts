import { type ProviderOptions, partsOf } from "@pond/canonical";
import type { Row, Store } from "@pond/substrate";
import { withinSession } from "../read/within-session.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { readableMessages } from "../search/readable-messages.ts";

/** The options of a message and of its parts. */
export type StoredOptions = {
  readonly options: ProviderOptions;
  readonly parts: readonly { readonly options: ProviderOptions }[];
};

// A carrier is read whole, with the files in it.
const carriersAtOnce = 8;

/**
 * The options of messages as they are shown, by id, without their other content, which may include
 * large files. Damaged ones are left out.
 *
 * @param valueCarriers - Ids of the carriers that hold the values shown, by message.
 */
export async function storedOptions(
  store: Store,
  sessionId: string,
  ids: readonly string[],
  valueCarriers: ReadonlyMap<string, string>,
): Promise<Map<string, StoredOptions>> {
  const own = ids.filter((id) => !valueCarriers.has(id));
  const revised = ids.flatMap((id) => {
    const carrierId = valueCarriers.get(id);
    return carrierId === undefined ? [] : [{ id, carrierId }];
  });
  const [rows, partRows] = await Promise.all([
    optionRows(store, "messages", sessionId, "id", own),
    optionRows(store, "parts", sessionId, "message_id", own),
  ]);
  const parts = Map.groupBy(partRows, (row) => String(row["message_id"]));
  const stored = new Map<string, StoredOptions>();
  for (const row of rows) {
    const id = String(row["id"]);
    const [options, ...ofParts] = [row, ...(parts.get(id) ?? [])].map(readableOptions);
    const whole = ofParts.flatMap((options) => (options ? [{ options }] : []));
    if (options && whole.length === ofParts.length) stored.set(id, { options, parts: whole });
  }
  for (let from = 0; from < revised.length; from += carriersAtOnce) {
    const some = revised.slice(from, from + carriersAtOnce);
    for (const message of await readableMessages(store, sessionId, some)) {
      const { id, options } = message;
      stored.set(id, { options, parts: partsOf(message).map(({ options }) => ({ options })) });
    }
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
