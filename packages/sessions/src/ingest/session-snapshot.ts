import type { Store } from "@pond/substrate";
import { carrierIds } from "../read/outline.ts";
import { type FormerValues, formerValues } from "../revisions/former-values.ts";
import { lastOrdinal } from "../revisions/ordinals.ts";
import { type LiveMessage, liveMessages } from "../revisions/reconcile.ts";
import { type SessionState, sessionState } from "../revisions/session-revisions.ts";
import type { FoundMessage } from "../revisions/stored-messages.ts";
import { bagOf } from "../rows/option-bag.ts";
import { type DamagedMessage, loadDamaged } from "./damaged.ts";
import type { SourcePlace } from "./source-place.ts";
import type { StoredSession } from "./stored-sessions.ts";

/** What the store holds of a session. */
export type SessionSnapshot = {
  /** As the rows say, until changes are made. */
  readonly live: Map<string, LiveMessage>;
  readonly state: SessionState;
  /** Ids of the carriers that hold the values shown, by message; other messages hold their own. */
  readonly valueCarriers: ReadonlyMap<string, string>;
  /** Numbers of the rows, by id. */
  readonly rows: ReadonlyMap<string, bigint>;
  /** Ids of the rows that have a text to search. */
  readonly searchable: readonly string[];
  /** Messages that other clients have in their own sessions with the same id. */
  readonly foreignMessageIds: ReadonlySet<string>;
  /** Messages that are not what was written, by id. Their digest in `live` equals none. */
  readonly damaged: ReadonlyMap<string, DamagedMessage>;
  /** When the newest of the rows was added, in microseconds: a number, exact for centuries. */
  readonly addedAt: number;
  /** True if it is verified by the machine that stored it first, which has read it before. */
  readonly isVerified: boolean;
  /** Ids of the messages shown, as the rows say. */
  readonly shown: readonly string[];
  /** What was shown when this place of it was last read, as the rows say now. */
  readonly shownAtLastRead: readonly string[];
  /** Values that were replaced by later ones. */
  readonly former: FormerValues;
  /** The time of the last message that is shown. */
  readonly newest: bigint;
  /** The ordinal after everything that is there. */
  readonly tail: bigint;
};

type SnapshotOptions = Pick<SessionSnapshot, "foreignMessageIds"> & {
  readonly place: SourcePlace | undefined;
  /** Name of this machine. */
  readonly host: string | undefined;
  /** Ids of its rows that are damaged. */
  readonly rowIds: Iterable<string> | undefined;
};

/** Reads what the stored rows say about a session. */
export async function loadSnapshot(
  store: Store,
  { session, messages, withParts }: StoredSession,
  { foreignMessageIds, place, host, rowIds = [] }: SnapshotOptions,
): Promise<SessionSnapshot> {
  const live = liveMessages(messages);
  const shown = shownIn(live);
  const valueCarriers = carrierIds(messages);
  const inDoubt = new Set([...rowIds, ...withoutParts(messages, withParts)]);
  const damaged = await loadDamaged(store, session.id, { live, valueCarriers, rowIds: inDoubt });
  return {
    live,
    state: sessionState(session, messages),
    valueCarriers,
    rows: new Map(messages.map(({ id, row }) => [id, row])),
    searchable: messages.flatMap(({ id, isSearchable }) => (isSearchable ? [id] : [])),
    foreignMessageIds,
    damaged,
    addedAt: messages.reduce((newest, { ingestedAt }) => Math.max(newest, Number(ingestedAt)), 0),
    isVerified: place?.isVerified === true && bagOf(session.options, "pond")["host"] === host,
    shown,
    shownAtLastRead: shownAtLastRead(messages, place),
    former: formerValues(session, messages),
    newest: lastTime(live),
    tail: lastOrdinal(live),
  };
}

/**
 * Ids of rows without parts: some were written like that, and of the others the parts are gone,
 * where only that table was set back.
 */
function withoutParts(messages: readonly FoundMessage[], withParts: ReadonlySet<string>): string[] {
  return messages.flatMap(({ id, role, revises }) =>
    revises === null && role !== "system" && !withParts.has(id) ? [id] : [],
  );
}

/** Ids of the messages that no tombstone covers. */
export function shownIn(live: ReadonlyMap<string, LiveMessage>): string[] {
  return [...live.values()].flatMap(({ id, digest }) => (digest === null ? [] : [id]));
}

function lastTime(live: ReadonlyMap<string, LiveMessage>): bigint {
  let last = 0n;
  for (const { digest, timestamp } of live.values()) {
    if (digest !== null && timestamp > last) last = timestamp;
  }
  return last;
}

/** What was shown when a place was last read, if it is known to have held any of it. */
function shownAtLastRead(rows: readonly FoundMessage[], place: SourcePlace | undefined): string[] {
  const held = place?.held;
  if (held === undefined || held === "all") return [];
  return shownIn(liveMessages(rows.filter(({ ingestedAt }) => ingestedAt <= held.addedAt)));
}
