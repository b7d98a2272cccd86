import { and, eq, oneOf, type Row, type Store } from "@pond/substrate";
import type { Change, IncomingMessage } from "../revisions/reconcile.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import { digestOfIds, type HeldMessages, type SourcePlace } from "./source-place.ts";

/** One read of a place of a session. */
type Read = {
  readonly snapshot: SessionSnapshot;
  /** All that was read. */
  readonly seen: readonly IncomingMessage[];
  /** The result of {@link idsHeldElsewhere}. */
  readonly heldElsewhere: ReadonlySet<string>;
  /** True if what was read is the newest there is of the session. */
  readonly isNewest: boolean;
};

/**
 * Ids of messages that are shown although a place lacks them and is not known to have held them.
 */
export function idsHeldElsewhere(
  snapshot: SessionSnapshot,
  place: SourcePlace | undefined,
  seen: ReadonlySet<string>,
): ReadonlySet<string> {
  const missing = snapshot.shown.filter((id) => !seen.has(id));
  if (missing.length === 0 || place?.held === "all") return new Set();
  const held = place?.held ? idsHeldAtLastRead(place.held, snapshot.shownAtLastRead) : new Set();
  return new Set(missing.filter((id) => !held.has(id)));
}

/** What a place held when it was last read, if the rows still tell. */
function idsHeldAtLastRead(held: HeldMessages, shownAtLastRead: readonly string[]): Set<string> {
  if (held.digest !== digestOfIds(shownAtLastRead)) return new Set();
  const others = new Set(held.others);
  return new Set(shownAtLastRead.filter((id) => !others.has(id)));
}

/** The changes that a read of a place may make. */
export async function allowedChanges(
  store: Store,
  sessionId: string,
  changes: readonly Change[],
  read: Read,
): Promise<readonly Change[]> {
  const allowed = changes.filter((each) =>
    each.kind === "remove" ? mayRemove(each.previous.id, read) : read.isNewest || isNew(each, read),
  );
  return withoutSideFiles(store, sessionId, allowed);
}

function mayRemove(id: string, { snapshot, heldElsewhere, isNewest }: Read): boolean {
  // A message kept in a session of its own was put into this one by mistake; otherwise an older
  // copy lacks it.
  return isNewest && (!heldElsewhere.has(id) || snapshot.foreignMessageIds.has(id));
}

/** True for something that the store lacks: a message, or the written content of a damaged one. */
function isNew(
  change: Exclude<Change, { readonly kind: "remove" }>,
  { snapshot, seen }: Read,
): boolean {
  if (change.kind === "insert") return true;
  const written = snapshot.damaged.get(change.previous.id)?.row["digest"];
  return change.kind === "revise" && written === seen[change.position]?.digest;
}

/**
 * Without the removal of what a client keeps beside a log: it deletes files there by their age,
 * while the session goes on, and a copy may lack them (`session-durable-copy`).
 */
async function withoutSideFiles(
  store: Store,
  sessionId: string,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const removed = changes.flatMap((each) => (each.kind === "remove" ? [each.previous.id] : []));
  const sideFiles = new Set<string>();
  for (const ids of idChunks(removed)) {
    const where = and(eq("session_id", sessionId), oneOf("id", ids));
    const rows = await store.table("messages").rows({ columns: ["id", "options"], where });
    for (const row of rows) {
      if (isSideFile(row)) sideFiles.add(String(row["id"]));
    }
  }
  return changes.filter((each) => each.kind !== "remove" || !sideFiles.has(each.previous.id));
}

function isSideFile(row: Row): boolean {
  return bagOf(readableOptions(row) ?? {}, "source")["sidecar"] !== undefined;
}
