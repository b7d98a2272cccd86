import { type Message, messageOf, type Session } from "@pond/canonical";
import type { Store } from "@pond/substrate";
import { DamagedRowError, MessageNotFoundError } from "../errors.ts";
import { loadMessages } from "../read/content.ts";
import type { Change, LiveMessage, StoredMessage } from "../revisions/reconcile.ts";
import { revisionRow, tombstoneRow } from "../revisions/revisions.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import type { Batch } from "./batch.ts";
import type { Gathered } from "./gathered.ts";

/** What an older copy of a session says of a message that says something else by now. */
export type OlderValue = { readonly previous: LiveMessage; readonly message: PreparedMessage };

/** Of these changes the values that were never stored. */
export function olderValues(
  changes: readonly Change[],
  stored: readonly StoredMessage[],
  messages: ReadonlyMap<number, PreparedMessage>,
): OlderValue[] {
  const said = new Set(stored.map(({ id, revises, digest }) => `${digest} ${revises ?? id}`));
  return changes.flatMap((change): OlderValue[] => {
    const message = change.kind === "revise" ? messages.get(change.position) : undefined;
    if (change.kind !== "revise" || message === undefined) return [];
    const { previous } = change;
    return said.has(`${message.digest} ${previous.id}`) ? [] : [{ previous, message }];
  });
}

const readAtOnce = 100;

/**
 * Keeps what an older copy says: a carrier of it, and above that one of what the message says now,
 * which is shown as before. Nothing that a client wrote is lost because another copy went further.
 */
export async function keepOlderValues(
  batch: Batch,
  gathered: Gathered,
  values: readonly OlderValue[],
  session: { readonly store: Store; readonly session: Session },
): Promise<void> {
  for (let from = 0; from < values.length; from += readAtOnce) {
    const some = values.slice(from, from + readAtOnce);
    const shown = await shownNow(session.store, session.session.id, some);
    if (shown === undefined) gathered.outcome.deferred += some.length;
    else for (const value of some) keepBelow(batch, gathered, value, shown, session.session);
  }
}

/** What these messages say now; undefined where a row is damaged, which is to be mended before. */
async function shownNow(
  store: Store,
  sessionId: string,
  values: readonly OlderValue[],
): Promise<ReadonlyMap<string, Message> | undefined> {
  const places = values.flatMap(({ previous: { id, rowId, digest } }) =>
    digest === null ? [] : [{ id, carrierId: rowId === id ? undefined : rowId }],
  );
  try {
    const loaded = await loadMessages(store, sessionId, places);
    return new Map(loaded.map(({ message }) => [message.id, message]));
  } catch (error) {
    if (error instanceof DamagedRowError || error instanceof MessageNotFoundError) return undefined;
    throw error;
  }
}

function keepBelow(
  batch: Batch,
  gathered: Gathered,
  { previous, message: { header, parts, digest } }: OlderValue,
  shown: ReadonlyMap<string, Message>,
  session: Session,
): void {
  const { labels, outcome } = gathered;
  const { ingestedAt } = batch;
  const { id, ordinal } = previous;
  const older = { timestamp: header.timestamp, ordinal, digest, message: messageOf(header, parts) };
  const row = revisionRow(labels, previous, older, ingestedAt);
  const below = { ...previous, revision: previous.revision + 1n, rowId: String(row["id"]) };
  const message = shown.get(id);
  const above =
    message === undefined || previous.digest === null
      ? tombstoneRow(labels, below, session.created_at, ingestedAt)
      : revisionRow(
          labels,
          below,
          { timestamp: message.timestamp, ordinal, digest: previous.digest, message },
          ingestedAt,
        );
  for (const carrier of [row, above]) batch.addCarrier(gathered, carrier);
  outcome.revisions += 1;
}
