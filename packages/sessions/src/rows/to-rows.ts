import { type Session, stringifyJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { toIndexed } from "../search/indexed-text.ts";
import { headOf, toHeadText } from "../search/message-head.ts";
import type { Window } from "../search/windows.ts";
import { bagOf } from "./option-bag.ts";
import type { PreparedMessage, PreparedPart } from "./prepare.ts";

/** The fields of a session that each of its messages repeats (spec 5.3). @inline */
export type Labels = {
  readonly sessionId: string;
  readonly sourceAgent: string;
  readonly project: string;
};

/** @param host - Of this machine; one that the session already names stays. */
export function sessionRow(session: Session, host: string | undefined, ingestedAt: bigint): Row {
  const bag = bagOf(session.options, "pond");
  const options =
    host === undefined ? session.options : { ...session.options, pond: { host, ...bag } };
  return {
    id: session.id,
    parent_session_id: session.parent_session_id ?? null,
    parent_message_id: session.parent_message_id ?? null,
    source_agent: session.source_agent,
    created_at: session.created_at,
    project: session.project,
    options: stringifyJson(options),
    ingested_at: ingestedAt,
  };
}

export function messageRow(
  labels: Labels,
  message: PreparedMessage,
  ordinal: bigint,
  ingestedAt: bigint,
): Row {
  const { searchText, header, parts } = message;
  return {
    session_id: labels.sessionId,
    id: header.id,
    ordinal,
    timestamp: header.timestamp,
    role: header.role,
    source_agent: labels.sourceAgent,
    project: labels.project,
    content: message.content,
    search_text: searchText === null ? null : toIndexed(searchText),
    is_searchable: searchText === null ? 0n : 1n,
    head: searchText === null ? null : toHeadText(headOf(labels.sessionId, header, parts)),
    options: message.options,
    digest: message.digest,
    revises: null,
    revision: 0n,
    ingested_at: ingestedAt,
  };
}

export function partRow(
  sessionId: string,
  messageId: string,
  part: PreparedPart,
  position: number,
  ingestedAt: bigint,
): Row {
  return {
    session_id: sessionId,
    message_id: messageId,
    id: part.id,
    ordinal: BigInt(position),
    type: part.type,
    provenance: part.provenance,
    variant_data: part.variantData,
    data: part.data,
    options: part.options,
    ingested_at: ingestedAt,
  };
}

export function windowRow(labels: Labels, window: Window): Row {
  return {
    session_id: labels.sessionId,
    id: window.id,
    timestamp: window.timestamp,
    source_agent: labels.sourceAgent,
    project: labels.project,
    text: window.text,
    message_ids: stringifyJson(window.messageIds),
  };
}
