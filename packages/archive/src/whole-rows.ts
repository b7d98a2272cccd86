import { isAsWritten, rowsOfCarrier } from "@pond/sessions/rows";
import { and, eq, type Row, type Store } from "@pond/substrate";
import { isWhole } from "./damage.ts";
import { groupedBy } from "./grouped-rows.ts";
import { compareText } from "./key-order.ts";
import { copiedColumns, type TableName } from "./tables.ts";

/**
 * The rows of a store that an import accepts. A damaged message is replaced by what a carrier says
 * it was; any other damaged row is left out, and its session is reported.
 */
export class WholeRows {
  readonly #store: Store;
  readonly #damaged: Set<string> = new Set();
  /** Sessions whose own row is damaged: nothing of them can be read. */
  readonly #lost: Set<string> = new Set();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The ids of the sessions that lost something because it was left out. */
  get damaged(): string[] {
    return [...this.#damaged].sort(compareText);
  }

  /** Reports sessions that are left out as a whole. */
  addDamaged(sessionIds: Iterable<string>): void {
    for (const id of sessionIds) this.#damaged.add(id);
  }

  /**
   * Notes a message that is not as it was written although its rows can be read: its parts are
   * gone, or a value changed. It is accepted all the same. It is not reported if a carrier repeats
   * what it was.
   */
  async check(message: Row, parts: readonly Row[]): Promise<void> {
    const sessionId = String(message["session_id"]);
    if (this.#damaged.has(sessionId)) return;
    if (message["revises"] !== null || isAsWritten(message, parts)) return;
    if (!(await isRepeatedByCarrier(this.#store, sessionId, message))) this.#damaged.add(sessionId);
  }

  /** The acceptable rows of a table, in the order of their keys. Sessions have to come first. */
  async *of(name: TableName, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
    if (name === "parts") {
      for await (const group of groupedBy(rows, ["session_id", "message_id"])) {
        yield* await this.#wholeParts(group.rows);
      }
      return;
    }
    for await (const row of rows) {
      const sessionId = String(row[name === "sessions" ? "id" : "session_id"]);
      if (this.#lost.has(sessionId)) continue;
      const whole = isWhole(name, row) ? row : await this.#mended(name, sessionId, row);
      if (whole) yield whole;
      else if (name === "sessions") this.#lost.add(sessionId);
    }
  }

  /** The replacement for a damaged row; undefined if the row is left out. */
  async #mended(name: TableName, sessionId: string, row: Row): Promise<Row | undefined> {
    const { id, revises, digest } = row;
    const isMessage = name === "messages";
    const message = String(revises ?? id);
    const carriers = isMessage ? await carriersOf(this.#store, sessionId, message) : [];
    if (!carriers.some((carrier) => carrier["digest"] === digest)) this.#damaged.add(sessionId);
    const carrier = carriers[0];
    if (!isMessage || revises !== null || carrier === undefined) return undefined;
    return rowsOfCarrier(row, carriers.find((each) => each["digest"] === digest) ?? carrier)
      ?.message;
  }

  /** The parts of a message. If one is damaged, all parts that a carrier repeats. */
  async #wholeParts(rows: readonly Row[]): Promise<readonly Row[]> {
    const [sessionId, id] = [String(rows[0]?.["session_id"]), String(rows[0]?.["message_id"])];
    if (this.#lost.has(sessionId)) return [];
    const whole = rows.filter((row) => isWhole("parts", row));
    if (whole.length === rows.length) return rows;
    const [message] = await messagesAt(this.#store, sessionId, "id", id);
    const carriers = await carriersOf(this.#store, sessionId, id);
    const carrier = carriers.find(({ digest }) => digest === message?.["digest"]);
    const repeated = message && carrier && rowsOfCarrier(message, carrier);
    if (repeated)
      return repeated.parts.toSorted((a, b) => compareText(String(a["id"]), String(b["id"])));
    this.#damaged.add(sessionId);
    return whole;
  }
}

/** True if a carrier of a message in that session repeats what its row and parts were. */
export async function isRepeatedByCarrier(
  store: Store,
  sessionId: string,
  { id, digest }: Row,
): Promise<boolean> {
  const carriers = await carriersOf(store, sessionId, String(id));
  return carriers.some((carrier) => carrier["digest"] === digest);
}

/** The intact carriers of a message that hold a value, the newest first. */
async function carriersOf(store: Store, sessionId: string, id: string): Promise<Row[]> {
  const rows = await messagesAt(store, sessionId, "revises", id);
  const whole = rows.filter((row) => isWhole("messages", row) && rowsOfCarrier(row, row));
  return whole.sort((left, right) => Number(right["revision"]) - Number(left["revision"]));
}

function messagesAt(store: Store, sessionId: string, column: string, id: string): Promise<Row[]> {
  const table = store.table("messages");
  const where = and(eq("session_id", sessionId), eq(column, id));
  return table.rows({ columns: copiedColumns(table.declaration), where });
}
