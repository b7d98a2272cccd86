import { and, type Filter, gte, lt, oneOf, type Row, type Store } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";

export type Activity = { readonly id: string; readonly micros: bigint };

export type ActivityOptions = {
  /** Every session whose messages count. */
  readonly members: readonly string[];
  /** The listed session that a member counts for. */
  readonly listedAs: (member: string) => string;
  readonly listed: ReadonlyMap<string, Row>;
  readonly limit: number;
  /** Only sessions in which something was written from `since` on and before `until`. */
  readonly since?: bigint | undefined;
  readonly until?: bigint | undefined;
  /** Only what follows this in the order of activity. */
  readonly after?: Activity | undefined;
};

// So few are looked up by name; for more, only the newest messages are read, unless all are listed.
const maxNamedSessions = 500;
const firstLimit = 4_096;
const columns = ["session_id", "timestamp"];

/**
 * When something was last written in each of these sessions, in microseconds since the epoch, or
 * when it was created, if that is later. Sessions that are not stored are left out.
 */
export async function lastActive(
  { store }: SessionStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const where = ids.length <= maxNamedSessions ? oneOf("id", ids) : undefined;
  const rows = await store.table("sessions").rows({ columns: ["id", "created_at"], where });
  const wanted = new Set(ids);
  const listed = new Map(
    rows.map((row) => [String(row["id"]), row] as const).filter(([id]) => wanted.has(id)),
  );
  const own = { members: ids, listedAs: (id: string) => id, listed };
  const activity = await lastActivity(store, { ...own, limit: ids.length });
  return new Map(activity.map(({ id, micros }) => [id, micros]));
}

/** The last active sessions, newest first. A session was also active when it was created. */
export async function lastActivity(store: Store, given: ActivityOptions): Promise<Activity[]> {
  const { until } = given;
  const options = until === undefined ? given : await activeBefore(store, given, until);
  const { members, listed, limit } = options;
  const newest = new Map<string, bigint>();
  const isWhole = members.length <= maxNamedSessions || limit >= listed.size;
  const floor = await (isWhole ? readAll : readNewest)(store, options, newest);
  for (const [id, row] of listed) {
    const created = BigInt(row["created_at"] as bigint);
    if (created > floor && created > (newest.get(id) ?? beginningOfTime)) newest.set(id, created);
  }
  return wanted(newest, options).sort(byActivity).slice(0, limit);
}

/** Leaves the sessions that were also active before a time, and within the other bounds. */
async function activeBefore(
  store: Store,
  options: ActivityOptions,
  until: bigint,
): Promise<ActivityOptions> {
  const { members, listed, listedAs, since = beginningOfTime } = options;
  const active = new Set<string>();
  for (const [id, row] of listed) {
    const created = BigInt(row["created_at"] as bigint);
    if (created >= since && created < until) active.add(id);
  }
  const [after, before] = [whereOf(options), lt("timestamp", { micros: until })];
  const where = after ? and(after, before) : before;
  for await (const rows of store.table("messages").scan({ columns: ["session_id"], where })) {
    for (const row of rows) active.add(listedAs(String(row["session_id"])));
  }
  return {
    ...options,
    members: members.filter((member) => active.has(listedAs(member))),
    listed: new Map([...listed].filter(([id]) => active.has(id))),
  };
}

function wanted(
  newest: ReadonlyMap<string, bigint>,
  { since, after }: ActivityOptions,
): Activity[] {
  return [...newest]
    .map(([id, micros]) => ({ id, micros }))
    .filter(
      (each) =>
        (since === undefined || each.micros >= since) &&
        (after === undefined || byActivity(each, after) > 0),
    );
}

/** The last active first. */
function byActivity(left: Activity, right: Activity): number {
  return compare(right.micros, left.micros) || compare(left.id, right.id);
}

/** @returns Before which time nothing was read that is wanted: none. */
async function readAll(
  store: Store,
  options: ActivityOptions,
  newest: Map<string, bigint>,
): Promise<bigint> {
  const where = whereOf(options);
  for await (const rows of store.table("messages").scan({ columns, where })) {
    addTimes(rows, options, newest);
  }
  return beginningOfTime;
}

/**
 * Reads messages from the newest on until enough sessions were met. This is exact: whatever was not
 * met is older.
 *
 * @returns Before which time nothing was read.
 */
async function readNewest(
  store: Store,
  options: ActivityOptions,
  newest: Map<string, bigint>,
): Promise<bigint> {
  const table = store.table("messages");
  const orderBy = [{ column: "timestamp", direction: "desc" }] as const;
  const where = whereOf(options);
  const from = options.after?.micros ?? options.until;
  // What is newer than that is read too, because it tells which sessions went on.
  const newer = from === undefined ? 0 : await table.count(isSince(from));
  for (let limit = newer + firstLimit; ; limit *= 4) {
    const rows = await table.rows({ columns, where, orderBy, limit });
    addTimes(rows, options, newest);
    if (rows.length < limit) return beginningOfTime;
    const floor = BigInt(rows.at(-1)?.["timestamp"] as bigint);
    // Others may have been active at that very moment.
    const known = wanted(newest, options).filter(({ micros }) => micros > floor);
    if (known.length >= options.limit) return floor;
  }
}

function addTimes(
  rows: readonly Row[],
  { listedAs, listed }: ActivityOptions,
  newest: Map<string, bigint>,
): void {
  for (const row of rows) {
    const id = listedAs(String(row["session_id"]));
    if (!listed.has(id)) continue;
    const micros = BigInt(row["timestamp"] as bigint);
    const known = newest.get(id);
    if (known === undefined || micros > known) newest.set(id, micros);
  }
}

/** The messages of the sessions, if these are few, from `since` on. */
function whereOf({ members, since }: ActivityOptions): Filter | undefined {
  const named = members.length <= maxNamedSessions ? oneOf("session_id", members) : undefined;
  const recent = since === undefined ? undefined : isSince(since);
  return named && recent ? and(named, recent) : (named ?? recent);
}

function isSince(micros: bigint): Filter {
  return gte("timestamp", { micros });
}

function compare<T extends bigint | string>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const beginningOfTime = -(2n ** 63n);
