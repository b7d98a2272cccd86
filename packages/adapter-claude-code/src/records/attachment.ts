import type { CanonicalEvent } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import { injectedCommand } from "../provenance.ts";
import type { Reading } from "./envelope.ts";
import { readPollEvents } from "./poll-events.ts";
import { readTurn } from "./turn.ts";

/**
 * What a human typed while the model worked, here or where the client polls for it, if the client
 * keeps it as an attachment. Undefined for every other attachment: those are the harness's, and are
 * carried.
 */
export function readAttachment(
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const holder = record.record("attachment");
  if (holder?.peek("type") === "poll_events") return readPollEvents(record, reading);
  if (holder === undefined || holder.peek("type") !== "queued_command") return undefined;
  if (injectedCommand(record, holder) !== undefined) return undefined;
  const speaker = { injectedAs: undefined, isHumanTurn: true };
  return readTurn(record, { holder, key: "prompt", role: "user", speaker }, reading);
}
