import type { RestoredFile } from "@pond/canonical/adapter";
import type { SessionStore } from "@pond/sessions";
import { ancestorIds, type StoredSession } from "./stored-sessions.ts";

// A client continues what was written last, so that has to be what was last active.

/**
 * Sessions that are restored with everything below them, by the last activity of any of those,
 * longest ago first.
 */
export async function sessionsByActivity(
  sessions: SessionStore,
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredSession>,
): Promise<readonly StoredSession[]> {
  const roots = new Set(ids);
  const rootOf = new Map<string, string>();
  for (const id of stored.keys()) {
    const root = [id, ...ancestorIds(stored, id)].find((each) => roots.has(each));
    if (root !== undefined) rootOf.set(id, root);
  }
  const latest = new Map<string, bigint>();
  for (const [id, micros] of await activityOf(sessions, [...rootOf.keys()])) {
    const root = rootOf.get(id) ?? id;
    const known = latest.get(root);
    if (known === undefined || micros > known) latest.set(root, micros);
  }
  const found = ids.flatMap((id) => stored.get(id) ?? []);
  return sortByTime(found, ({ id }) => latest.get(id));
}

/** Files by the last activity of each one's session, longest ago first. */
export async function filesByActivity<File extends RestoredFile>(
  sessions: SessionStore,
  files: readonly File[],
): Promise<readonly File[]> {
  const ids = new Set(files.map(({ session }) => session));
  if (ids.size < 2) return files;
  const active = await activityOf(sessions, [...ids]);
  return sortByTime(files, ({ session }) => active.get(session));
}

/**
 * Empty if the store is damaged: reading what cannot be restored reports it, and the order is worth
 * no session that can.
 */
async function activityOf(
  sessions: SessionStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const { lastActive } = await import("@pond/sessions");
  return lastActive(sessions, ids).catch(() => new Map());
}

/** Items with the same time stay in their order. */
function sortByTime<T>(items: readonly T[], timeOf: (item: T) => bigint | undefined): readonly T[] {
  const microsOf = (item: T): bigint => timeOf(item) ?? 0n;
  return items.toSorted((left, right) => Number(microsOf(left) - microsOf(right)));
}
