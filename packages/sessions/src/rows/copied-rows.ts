import { isJsonObject, type JsonObject, partsOf, stringifyJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { unlessDamaged } from "../errors.ts";
import type { AddedRow, MovedMessage } from "../revisions/merge.ts";
import { revisionRow } from "../revisions/revisions.ts";
import { carriedSessionDigest, sessionDigest } from "../revisions/session-revisions.ts";
import { messageFromCarrier, objectIn, sessionColumns, sessionFromRow } from "./from-rows.ts";
import { tornDigest } from "./message-digest.ts";
import { bagOf } from "./option-bag.ts";
import { prepareMessage } from "./prepare.ts";
import { messageRow, partRow } from "./to-rows.ts";

/** A row of another store's `messages` in the form that it gets in this one. */
export function addedRow(row: Row, { id, ordinal, revision }: AddedRow): Row {
  const isSame = BigInt(row["revision"] as bigint) === revision;
  const options = row["options"] ?? null;
  return { ...row, id, ordinal, revision, options: isSame ? options : withRevision(row, revision) };
}

/** A carrier says its number a second time. */
function withRevision(row: Row, revision: bigint): string {
  const options = objectIn(row, "options");
  const pond = { ...bagOf(options, "pond"), revision: Number(revision) };
  return stringifyJson({ ...options, pond });
}

/** The carrier of a message that has to make room; the labels are those of its session. */
export function movedRow(
  sessionId: string,
  { previous, ordinal, timestamp }: MovedMessage,
  ingestedAt: bigint,
): Row {
  const labels = { sessionId, sourceAgent: "", project: "" };
  // What is moved is shown, so it has a digest.
  const state = { timestamp, ordinal, digest: previous.digest ?? "", message: undefined };
  return revisionRow(labels, previous, state, ingestedAt);
}

/** A row in a store where sessions have other ids: as if it had been read there. */
export function renamedRow(table: string, row: Row, nameOf: (id: string) => string): Row {
  if (table === "sessions") {
    const { id, parent_session_id: parent = null } = row;
    const name = typeof parent === "string" ? nameOf(parent) : parent;
    return { ...row, id: nameOf(String(id)), parent_session_id: name };
  }
  const renamed = { ...row, session_id: nameOf(String(row["session_id"])) };
  const isCarrier = typeof row["revises"] === "string" && row["options"] !== undefined;
  if (!isCarrier) return renamed;
  return unlessDamaged(() => renamedCarrier(renamed, nameOf)) ?? renamed;
}

function renamedCarrier(row: Row, nameOf: (id: string) => string): Row {
  const id = String(row["session_id"]);
  const options = objectIn(row, "options");
  const pond = bagOf(options, "pond");
  const { message, session } = pond;
  const withFacts = (facts: JsonObject): Row => ({
    ...row,
    options: stringifyJson({ ...options, pond: { ...pond, ...facts } }),
  });
  if (isJsonObject(message)) {
    if (message["session_id"] === id) return row;
    const { content = null } = message;
    const parts = Array.isArray(content)
      ? content.map((part) => (isJsonObject(part) ? { ...part, session_id: id } : part))
      : content;
    return withFacts({ message: { ...message, session_id: id, content: parts } });
  }
  if (!isJsonObject(session)) return row;
  const { parent_session_id: parent } = session;
  const above = typeof parent === "string" ? { parent_session_id: nameOf(parent) } : {};
  const named = { ...session, id, ...above };
  if (stringifyJson(named) === stringifyJson(session)) return row;
  const digest = carriedSessionDigest(withFacts({ session: named })) ?? null;
  return { ...withFacts({ session: named, digest }), digest };
}

/**
 * The rows in which a message was stored, for the value that a carrier of it holds; undefined if
 * the carrier holds none. If the rows had another value, they get the digest of nothing, so that
 * the carrier is shown.
 */
export function rowsOfCarrier(
  row: Row,
  carrier: Row,
): { readonly message: Row; readonly parts: readonly Row[] } | undefined {
  const value = messageFromCarrier(carrier);
  if (value === undefined) return undefined;
  const sessionId = String(row["session_id"]);
  const [sourceAgent, project] = [String(row["source_agent"]), String(row["project"])];
  const ordinal = BigInt(row["ordinal"] as bigint);
  const ingestedAt = BigInt(row["ingested_at"] as bigint);
  const prepared = prepareMessage(value, partsOf(value));
  const labels = { sessionId, sourceAgent, project };
  const made = messageRow(labels, prepared, ordinal, ingestedAt);
  const digest = prepared.digest === row["digest"] ? prepared.digest : tornDigest;
  const parts = prepared.preparedParts.map((part, at) =>
    partRow(sessionId, value.id, part, at, ingestedAt),
  );
  return { message: { ...row, ...made, digest }, parts };
}

/**
 * Hash of what a row of `sessions` says, except for its labels; for a damaged row it equals none.
 */
export function sessionRowDigest(row: Row): string {
  const fields = Object.fromEntries(sessionColumns.map((name) => [name, row[name] ?? null]));
  return unlessDamaged(() => sessionDigest(sessionFromRow(fields))) ?? "damaged";
}
