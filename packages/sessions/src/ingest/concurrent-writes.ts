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

  /** What others have written until now. */
  async sinceStart(): Promise<Concurrency> {
    const [now, first] = await Promise.all([this.#countCommits(), this.#atStart]);
    const isSame = (name: Watched): boolean => now[name] === first?.commits[name];
    const isOnly = writersBegun.get(this.#store.id) === 1;
    return {
      haveOthersWritten: !isSame("messages") || !isSame("windows"),
      isAlone: isOnly && first?.wasEmpty === true && watched.every(isSame),
    };
  }

  async #observe(): Promise<StartState> {
    // A row stored between these two reads counts as there at the start, and as written since.
    const commits = await this.#countCommits();
    const counts = await Promise.all(watched.map((name) => this.#store.table(name).count()));
    return { commits, wasEmpty: counts.every((count) => count === 0) };
  }

  async #countCommits(): Promise<Record<Watched, number>> {
    const of = (name: Watched): Promise<number> => this.#store.table(name).commitsOfOthers();
    const [sessions, messages, windows] = await Promise.all([
      of("sessions"),
      of("messages"),
      of("windows"),
    ]);
    return { sessions, messages, windows };
  }
}

const watched = ["sessions", "messages", "windows"] as const;

type Watched = (typeof watched)[number];

type StartState = {
  readonly commits: Readonly<Record<Watched, number>>;
  readonly wasEmpty: boolean;
};

/** What others have done since an ingest began. */
export type Concurrency = {
  /** True if they may have written messages or windows. */
  readonly haveOthersWritten: boolean;
  /** True if every session, message and window is of this ingest: it began with an empty store. */
  readonly isAlone: boolean;
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
