import { hash } from "node:crypto";
import { type JsonObject, type Message, messageToWire, stringifyJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import type { Labels } from "../rows/to-rows.ts";
import type { LiveMessage } from "./reconcile.ts";

/** The beginning of carriers' ids, except for carriers that mend. */
export const revisionPrefix = "pond-revision:";
const mendedPrefix = "pond-mended:";

/** True for a carrier that replaces damaged rows with the same digest. */
export function isMendedRow(rowId: string): boolean {
  return rowId.startsWith(mendedPrefix);
}

/**
 * The carrier of a message's later value or place: a system message (spec 6.5, rule 3) with the
 * whole new record inside. Its id is derived from the row that it follows, so that writers that see
 * the same change add the same row (`lance-deterministic-pk`).
 */
export function revisionRow(
  labels: Labels,
  previous: LiveMessage,
  state: {
    readonly timestamp: bigint;
    readonly ordinal: bigint;
    readonly digest: string;
    /** Absent if only the place changed. */
    readonly message: Message | undefined;
    /** True if it repeats what was stored before, because those rows are damaged. */
    readonly isMended?: boolean;
  },
  ingestedAt: bigint,
): Row {
  const { message } = state;
  const facts = message
    ? { revises: previous.id, message: wireText(message) }
    : { revises: previous.id, moved: true };
  return carrierRow(labels, previous, ingestedAt, { ...state, facts });
}

/** The carrier that says a message is no longer in its source. The message itself stays stored. */
export function tombstoneRow(
  labels: Labels,
  previous: LiveMessage,
  timestamp: bigint,
  ingestedAt: bigint,
): Row {
  return carrierRow(labels, previous, ingestedAt, {
    timestamp,
    ordinal: previous.ordinal,
    digest: null,
    facts: { removes: previous.id },
  });
}

/** A carrier row: the row that it follows, and the facts it carries. */
export function carrierRow(
  labels: Labels,
  previous: Pick<LiveMessage, "id" | "rowId" | "revision">,
  ingestedAt: bigint,
  state: {
    readonly timestamp: bigint;
    readonly ordinal: bigint;
    readonly digest: string | null;
    readonly facts: JsonObject;
    readonly isMended?: boolean;
  },
): Row {
  const revision = previous.revision + 1n;
  return {
    session_id: labels.sessionId,
    id: carrierRowId(previous, state),
    ordinal: state.ordinal,
    timestamp: state.timestamp,
    role: "system",
    source_agent: labels.sourceAgent,
    project: labels.project,
    content: stringifyJson(""),
    search_text: null,
    is_searchable: 0n,
    head: null,
    options: stringifyJson({
      pond: { ...state.facts, revision: Number(revision), digest: state.digest },
    }),
    digest: state.digest,
    revises: previous.id,
    revision,
    ingested_at: ingestedAt,
  };
}

/** The id of a carrier, derived from the row before it and from what it says. */
export function carrierRowId(
  { id, rowId }: Pick<LiveMessage, "id" | "rowId">,
  state: {
    readonly digest: string | null;
    readonly ordinal: bigint;
    readonly isMended?: boolean;
  },
): string {
  const seed = stringifyJson([id, rowId, state.digest, String(state.ordinal)]);
  const prefix = state.isMended ? mendedPrefix : revisionPrefix;
  return `${prefix}${hash("sha256", seed).slice(0, 32)}`;
}

/** The message as JSON, which is what a carrier can hold. */
function wireText(message: Message): JsonObject {
  const { timestamp, content, ...others } = messageToWire(message);
  return {
    ...others,
    timestamp,
    content: typeof content === "string" ? content : content.map((part) => ({ ...part })),
  };
}
