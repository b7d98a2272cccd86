import type { Row } from "@pond/substrate";
import { compareKeys, type Key, keyOf } from "./key-order.ts";

/** Groups consecutive rows that are equal in some columns. */
export async function* groupedBy(
  rows: AsyncGenerator<Row>,
  columns: readonly string[],
): AsyncGenerator<{ readonly key: Key; readonly rows: readonly Row[] }> {
  let key: Key = [];
  let group: Row[] = [];
  for await (const row of rows) {
    const next = keyOf(row, columns);
    if (group.length > 0 && compareKeys(key, next) !== 0) {
      yield { key, rows: group };
      group = [];
    }
    key = next;
    group.push(row);
  }
  if (group.length > 0) yield { key, rows: group };
}

/** A message and its parts. */
export type MessageGroup = { readonly message: Row | undefined; readonly parts: readonly Row[] };

/**
 * Each message with its parts. Parts without a message come alone. Both are in the order of their
 * keys.
 */
export async function* withParts(
  messages: AsyncGenerator<Row>,
  parts: AsyncGenerator<Row>,
): AsyncGenerator<MessageGroup> {
  const groups = groupedBy(parts, ["session_id", "message_id"]);
  try {
    let group = await groups.next();
    for await (const message of messages) {
      const key = keyOf(message, ["session_id", "id"]);
      for (; !group.done && compareKeys(group.value.key, key) < 0; group = await groups.next()) {
        yield { message: undefined, parts: group.value.rows };
      }
      const isOwn = !group.done && compareKeys(group.value.key, key) === 0;
      yield { message, parts: isOwn ? group.value.rows : [] };
      if (isOwn) group = await groups.next();
    }
    for (; !group.done; group = await groups.next()) {
      yield { message: undefined, parts: group.value.rows };
    }
  } finally {
    // Its parts are read ahead.
    await groups.return(undefined);
  }
}
