import { and, ne, oneOf, type Row, type Store } from "@pond/substrate";
import { Columns } from "./columns.ts";
import type { Gathered, Inserted } from "./gathered.ts";
import type { PreparedPart } from "./prepare.ts";
import { type LiveMessage, liveMessages, type StoredMessage } from "./reconcile.ts";
import { revisionRow } from "./revisions.ts";
import { storedColumns, storedMessage } from "./stored-messages.ts";

// Rows thought new may be there: from a run that broke off between two commits, or from another
// process. Inserting left those rows as they are; here is what that means for the messages.

/** Stands for the digest of a message whose parts are not all of one state; equals none. */
export const tornDigest = "torn";

type InsertedBySession = ReadonlyMap<Gathered, readonly Inserted[]>;

/**
 * Messages whose part rows, or some of them, were there with other values. Their own rows may
 * still be missing, so nothing else would show that they do not match.
 */
export async function findTorn(
  store: Store,
  inserted: InsertedBySession,
  ingestedAt: bigint,
): Promise<Inserted[]> {
  const bySession = new Map([...inserted].map(([{ labels }, of]) => [labels.sessionId, byId(of)]));
  const torn = new Set<Inserted>();
  const columns = [
    "session_id",
    "message_id",
    "id",
    "ordinal",
    "type",
    "provenance",
    "variant_data",
    "data",
    "options",
  ];
  for (const ids of chunks([...bySession.keys()])) {
    const where = and(oneOf("session_id", ids), ne("ingested_at", { micros: ingestedAt }));
    for await (const rows of store.table("parts").scan({ columns, where })) {
      for (const row of rows) {
        const own = bySession.get(String(row["session_id"]))?.get(String(row["message_id"]));
        if (own && !holdsPart(own, row)) torn.add(own);
      }
    }
  }
  for (const [gathered, of] of inserted) {
    if (of.some((each) => torn.has(each))) gathered.hasLeftovers = true;
  }
  return [...torn];
}

/**
 * The carriers that make the store show what was read, where rows that were there hold another
 * value or stand in another place. Corrects the counts of what was added.
 */
export async function reviseDiffering(
  store: Store,
  inserted: InsertedBySession,
  ingestedAt: bigint,
): Promise<Columns> {
  const carriers = new Columns();
  const gatheredBy = new Map([...inserted.keys()].map((each) => [each.labels.sessionId, each]));
  for (const ids of chunks([...gatheredBy.keys()])) {
    const stored = await storedBySession(store, ids);
    for (const id of ids) {
      const [gathered, rows] = [gatheredBy.get(id), stored.get(id)];
      const own = gathered && inserted.get(gathered);
      if (!gathered || !own || !rows) continue;
      discount(gathered, own, rows, ingestedAt);
      await reviseSession(gathered, own, liveMessages(rows), ingestedAt, carriers);
    }
  }
  return carriers;
}

async function reviseSession(
  gathered: Gathered,
  own: readonly Inserted[],
  live: ReadonlyMap<string, LiveMessage>,
  ingestedAt: bigint,
  carriers: Columns,
): Promise<void> {
  const { labels, outcome, hooks } = gathered;
  let isUnchanged: boolean | undefined;
  for (const { message, ordinal } of own) {
    const stored = live.get(message.header.id);
    if (stored === undefined) continue;
    const isSame = stored.digest === message.digest;
    if (isSame && stored.ordinal === ordinal) continue;
    // Asked after the stored rows were loaded: who stored a later state had read it before. A torn
    // message shows no state at all, so any is better.
    isUnchanged ??= await hooks.isUnchanged();
    if (!isUnchanged && stored.digest !== tornDigest) {
      outcome.deferred += 1;
      continue;
    }
    const { timestamp } = message.header;
    const { digest } = message;
    const state = { timestamp, ordinal, digest, message: isSame ? undefined : message };
    carriers.push(revisionRow(labels, stored, state, ingestedAt));
    if (stored.digest !== tornDigest) outcome.revisions += 1;
  }
}

/** What was there was not added by this ingest. */
function discount(
  gathered: Gathered,
  own: readonly Inserted[],
  rows: readonly (StoredMessage & { readonly ingestedAt: bigint })[],
  ingestedAt: bigint,
): void {
  const ids = byId(own);
  for (const row of rows) {
    const message = row.ingestedAt === ingestedAt ? undefined : ids.get(row.id)?.message;
    if (message === undefined) continue;
    gathered.hasLeftovers = true;
    gathered.outcome.messages_added -= 1;
    gathered.outcome.parts_added -= message.parts.length;
  }
}

function holdsPart({ message }: Inserted, row: Row): boolean {
  const position = Number(row["ordinal"]);
  const part = message.preparedParts[position];
  return part !== undefined && isSamePart(part, row);
}

function isSamePart(part: PreparedPart, row: Row): boolean {
  const data = row["data"];
  const isSameData =
    part.data === null
      ? data === null
      : data instanceof Uint8Array && Buffer.compare(part.data, data) === 0;
  return (
    part.id === row["id"] &&
    part.type === row["type"] &&
    part.provenance === row["provenance"] &&
    part.variantData === row["variant_data"] &&
    part.options === row["options"] &&
    isSameData
  );
}

async function storedBySession(
  store: Store,
  ids: readonly string[],
): Promise<Map<string, (StoredMessage & { readonly ingestedAt: bigint })[]>> {
  const columns = [...storedColumns, "session_id", "ingested_at"];
  const stored = new Map<string, (StoredMessage & { readonly ingestedAt: bigint })[]>();
  const where = oneOf("session_id", ids);
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const row of rows) {
      const id = String(row["session_id"]);
      const ingestedAt = BigInt(row["ingested_at"] as bigint);
      const message = { ...storedMessage(row), ingestedAt };
      const known = stored.get(id);
      if (known) known.push(message);
      else stored.set(id, [message]);
    }
  }
  return stored;
}

function byId(own: readonly Inserted[]): Map<string, Inserted> {
  return new Map(own.map((each) => [each.message.header.id, each]));
}

const idsPerQuery = 500;

function* chunks(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += idsPerQuery)
    yield ids.slice(from, from + idsPerQuery);
}
