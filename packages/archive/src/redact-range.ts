import {
  checkRow,
  isDamage,
  isMove,
  redactMessageRows,
  redactPartRow,
  redactSessionRow,
} from "@pond/sessions/rows";
import { and, isNotNull, type Row, type Store } from "@pond/substrate";
import { RedactionInvalidError } from "./errors.ts";
import { type MessageGroup, withParts } from "./grouped-rows.ts";
import { keyText } from "./key-order.ts";
import { type Range, within } from "./ranges.ts";
import type { Redaction } from "./redaction.ts";
import type { RowLocations } from "./row-locations.ts";
import { RowWriters } from "./row-writer.ts";
import { makeSessionWindows, type WindowSource } from "./session-windows.ts";
import { sortedRows } from "./sorted-rows.ts";
import type { TableName } from "./tables.ts";
import type { WholeRows } from "./whole-rows.ts";

export type RedactOptions = {
  readonly redaction: Redaction;
  /** Where the rows to copy are. */
  readonly locations: RowLocations;
  readonly whole: WholeRows;
  readonly columnsOf: (table: string) => readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Called with each row before it is written, in the order of the keys. */
  readonly onRow: (table: string, row: Row) => void;
  readonly onRows: (rows: number) => void;
};

/**
 * Copies a range of sessions into a store that has none of them. Their texts are replaced, and
 * everything that follows from the texts is made again. The rows come in the order of their keys.
 */
export async function redactRange(
  from: Store,
  to: Store,
  range: Range,
  options: RedactOptions,
): Promise<void> {
  const { locations, whole, columnsOf, signal, redaction, onRow, onRows } = options;
  await using writers = new RowWriters(to, { columnsOf, isNew: true, signal, onWritten: onRows });
  const read = (name: TableName): AsyncGenerator<Row> =>
    whole.of(name, sortedRows({ store: from, locations, name }, columnsOf(name), range.sessionIds));
  const write = async (name: TableName, row: Row): Promise<void> => {
    signal?.throwIfAborted();
    asRedacted(name, row, () => checkRow(name, row));
    onRow(name, row);
    await writers.of(name).add(row);
  };
  const known = new Map<string, WindowSource>();
  for await (const row of read("sessions")) {
    const redacted = asRedacted("sessions", row, () => redactSessionRow(row, redaction));
    known.set(String(row["id"]), { row: redacted, pieces: new Map() });
    await write("sessions", redacted);
  }
  const groups = () => withParts(read("messages"), read("parts"));
  const movedDigests = await digestsOfMoves(from, range, redaction, groups);
  for await (const { message, parts } of groups()) {
    if (message === undefined) {
      for (const part of parts) {
        const redacted = asRedacted("parts", part, () => redactPartRow(part, redaction));
        await write("parts", redacted);
      }
      continue;
    }
    await whole.check(message, parts);
    const session = known.get(String(message["session_id"]));
    const movedDigest = (row: Row) => movedDigests.get(valueKey(row));
    const project = String(session?.row["project"] ?? "");
    const redacted = asRedacted("messages", message, () =>
      redactMessageRows(message, parts, redaction, project, movedDigest),
    );
    for (const part of redacted.parts) await write("parts", part);
    await write("messages", redacted.message);
    session?.pieces.set(String(message["id"]), redacted.piece);
  }
  // The stored windows may describe messages that another process is still storing, or has not
  // stored: windows are written first.
  for (const session of known.values()) {
    for (const row of await makeSessionWindows(from, session)) await write("windows", row);
  }
  await writers.finish();
}

/**
 * What is made of a row that was whole.
 *
 * @throws {RedactionInvalidError} if the redactor turned it into one that is not.
 */
function asRedacted<T>(table: TableName, row: Row, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    const columns = ["session_id", "message_id", "id"].filter((name) => row[name] !== undefined);
    const key = Object.fromEntries(columns.map((name) => [name, String(row[name])]));
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RedactionInvalidError({ table, key, reason }, { cause });
  }
}

/**
 * The future digests of the values that moved messages refer to. Their carriers repeat these
 * digests, and the values may come after them. Everything that comes before the values is read too,
 * because a redactor may number what it finds, and a moved message must not get another number.
 */
async function digestsOfMoves(
  from: Store,
  range: Range,
  redaction: Redaction,
  groups: () => AsyncGenerator<MessageGroup>,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  const wanted = new Set<string>();
  const columns = ["session_id", "id", "revises", "digest", "options"];
  const where = and(within("session_id", range), isNotNull("revises"));
  for await (const rows of from.table("messages").scan({ columns, where })) {
    for (const row of rows.filter(isWholeMove)) wanted.add(valueKey(row));
  }
  if (wanted.size === 0) return digests;
  for await (const { message, parts } of groups()) {
    // Counted once, when it is written.
    const redacted = redaction.uncounted(() => {
      if (message) {
        return asRedacted("messages", message, () =>
          redactMessageRows(message, parts, redaction, "", () => undefined),
        );
      }
      for (const part of parts) asRedacted("parts", part, () => redactPartRow(part, redaction));
      return undefined;
    });
    const key = message && !isMove(message) ? valueKey(message) : "";
    if (redacted && wanted.has(key)) digests.set(key, String(redacted.message["digest"]));
  }
  return digests;
}

/** False for a damaged row, which is left out. */
function isWholeMove(row: Row): boolean {
  try {
    return isMove(row);
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** A text that identifies a value of a message. */
function valueKey({ session_id: sessionId, id, revises, digest }: Row): string {
  return keyText([String(sessionId), String(revises ?? id), String(digest)]);
}
