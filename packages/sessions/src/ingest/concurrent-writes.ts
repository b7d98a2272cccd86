import { oneOf, type Row, type Store } from "@pond/substrate";
import type { Columns } from "../rows/columns.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { differingRows } from "../search/window-rows.ts";
import type { IncomingSession } from "./incoming-session.ts";

// Windows come before messages. Another process that makes a session's windows anew in the meantime
// makes them without what is still to come, and messages that it has stored since the session was
// read are not in the windows made here. Whoever stores messages last sees what the other has done.

/**
 * How many ingests and copies into a store this process has begun, by the store's id. Their commits
 * do not count as those of others.
 */
const writersBegun = new Map<string, number>();

/** Tells the ingests of this process that something else in it is going to store sessions. */
export function noteWriter({ id }: Store): void {
  writersBegun.set(id, (writersBegun.get(id) ?? 0) + 1);
}

/** Tells whether other processes write during an ingest. */
export class ConcurrentWrites {
  readonly #store: Store;
  #atStart: Promise<StartState> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Call it before anything stored is read. */
  async start(): Promise<void> {
    if (this.#atStart === undefined) noteWriter(this.#store);
    this.#atStart ??= this.#observe();
    await this.#atStart;
  }

  /** True if every session, message and window is of this ingest: it began with an empty store. */
  async isAlone(): Promise<boolean> {
    const atStart = await this.#atStart;
    return this.#isOnly && atStart?.wasEmpty === true && (await this.#areUnchanged(allTables));
  }

  /** True if others may have written messages or windows since the ingest began. */
  async haveOthersWritten(): Promise<boolean> {
    return !(await this.#areUnchanged(searchTables));
  }

  async #areUnchanged(names: readonly TableName[]): Promise<boolean> {
    const [now, atStart] = await Promise.all([this.#countCommits(names), this.#atStart]);
    return names.every((name) => now.get(name) === atStart?.commits.get(name));
  }

  async #observe(): Promise<StartState> {
    // Each look costs requests in an object store, and few ingests begin with an empty one.
    const mayBeAlone = this.#isOnly && (await this.#store.table("messages").count()) === 0;
    const commits = await this.#countCommits(mayBeAlone ? allTables : searchTables);
    // A row stored between these two reads counts as there at the start, and as written since.
    return { commits, wasEmpty: mayBeAlone && (await this.#isEmpty()) };
  }

  /** True if nothing else in this process has begun to write into the store. */
  get #isOnly(): boolean {
    return writersBegun.get(this.#store.id) === 1;
  }

  async #isEmpty(): Promise<boolean> {
    const counts = await Promise.all(allTables.map((name) => this.#store.table(name).count()));
    return counts.every((count) => count === 0);
  }

  async #countCommits(names: readonly TableName[]): Promise<ReadonlyMap<TableName, number>> {
    const commits = names.map(async (name): Promise<[TableName, number]> => {
      return [name, await this.#store.table(name).commitsOfOthers()];
    });
    return new Map(await Promise.all(commits));
  }
}

const searchTables = ["messages", "windows"] as const;
const allTables = ["sessions", ...searchTables] as const;

type TableName = (typeof allTables)[number];

type StartState = {
  /** How many commits of others each table had. */
  readonly commits: ReadonlyMap<TableName, number>;
  readonly wasEmpty: boolean;
};

/**
 * The sessions, out of these, whose windows are not what was written, or which have other messages
 * than was known.
 *
 * @param windows - What was written last.
 */
export async function withStaleWindows(
  store: Store,
  sessions: readonly IncomingSession[],
  windows: Columns,
): Promise<IncomingSession[]> {
  const written = Map.groupBy(rowsIn(windows), (row) => String(row["session_id"]));
  const differing = rowsIn(await differingRows(store, windows));
  const replaced = new Set(differing.map((row) => String(row["session_id"])));
  const ids = sessions.map(({ labels }) => labels.sessionId);
  const counts = await countMessages(store, ids);
  return sessions.filter(({ labels: { sessionId }, messageRows, windowIds }) => {
    // The windows that earlier batches wrote are no longer at hand.
    const isWhole = (windowIds?.length ?? 0) <= (written.get(sessionId)?.length ?? 0);
    return !isWhole || replaced.has(sessionId) || counts.get(sessionId) !== messageRows;
  });
}

function rowsIn(columns: Columns): Row[] {
  return Array.from({ length: columns.length }, (_, at) => columns.row(at));
}

/** How many rows of messages sessions have. */
async function countMessages(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const ids of idChunks(sessionIds)) {
    const where = oneOf("session_id", ids);
    for await (const rows of store.table("messages").scan({ columns: ["session_id"], where })) {
      for (const { session_id: id } of rows) {
        counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
      }
    }
  }
  return counts;
}
