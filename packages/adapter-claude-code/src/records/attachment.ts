import type { CanonicalEvent } from "@pond/canonical";
import type { SourceRecord } from "@pond/canonical/adapter";
import { injectedCommand } from "../provenance.ts";
import type { Reading } from "./envelope.ts";
import { readTurn } from "./turn.ts";

/**
 * A prompt typed while the model worked, which the client keeps as an attachment. Undefined for
 * every other attachment: those are the harness's, and carried.
 */
export function readAttachment(
  record: SourceRecord,
  reading: Reading,
): CanonicalEvent[] | undefined {
  const holder = record.record("attachment");
  if (holder === undefined || holder.peek("type") !== "queued_command") return undefined;
  if (injectedCommand(record, holder) !== undefined) return undefined;
  const speaker = { injectedAs: undefined, isHumanTurn: true };
  return readTurn(record, { holder, key: "prompt", role: "user", speaker }, reading);
}
