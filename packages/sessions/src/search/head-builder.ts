import { allowedParts } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { unlessDamaged } from "../errors.ts";
import type { PartSummary } from "../read/shown-message.ts";
import { partFromRow } from "../rows/from-rows.ts";
import { maxHeadParts, roleWithParts, shortSummary, toHeadText } from "./message-head.ts";

// Parts of these types belong to other messages; a part of an unknown type is damaged.
const foreignTypes: ReadonlySet<string> = new Set(
  Object.values(allowedParts)
    .flat()
    .filter((type) => !allowedParts[roleWithParts].includes(type)),
);

/** A part that came; without a summary if it could not be read, or others are to be shown. */
type AddedPart = { readonly ordinal: number; readonly summary: PartSummary | undefined };

/**
 * Makes the heads of messages whose parts pass by before they do, which spares reading these again.
 * It holds some hundred bytes of each part.
 */
export class HeadBuilder {
  readonly #parts: Map<string, Map<string, AddedPart[]>> = new Map();

  /** Takes the row of a part, before its message's is asked for. */
  addPart(row: Row): void {
    const ordinal = Number(row["ordinal"]);
    if (foreignTypes.has(String(row["type"]))) return;
    const [sessionId, messageId] = [String(row["session_id"]), String(row["message_id"])];
    const ofSession = this.#parts.get(sessionId) ?? new Map<string, AddedPart[]>();
    this.#parts.set(sessionId, ofSession);
    const part = { ordinal, summary: ordinal < maxHeadParts ? summaryOf(row) : undefined };
    const others = ofSession.get(messageId);
    if (others) others.push(part);
    else ofSession.set(messageId, [part]);
  }

  /** The `head` of a message; null if it has none, or it cannot be told. */
  of(message: Row): string | null {
    if ((message["search_text"] ?? null) === null) return null;
    const [sessionId, id] = [String(message["session_id"]), String(message["id"])];
    const role = String(message["role"]);
    const timestamp = BigInt(message["timestamp"] as bigint);
    const added = role === roleWithParts ? (this.#parts.get(sessionId)?.get(id) ?? []) : [];
    const inOrder = added.toSorted((left, right) => left.ordinal - right.ordinal);
    const shown = inOrder.slice(0, maxHeadParts);
    const parts = shown.flatMap(({ summary }) => summary ?? []);
    // A head is not stored if one of them cannot be read. If some are gone, it shows others.
    if (parts.length < shown.length) return null;
    return toHeadText({ sessionId, id, role, timestamp, parts });
  }
}

function summaryOf(row: Row): PartSummary | undefined {
  const part = unlessDamaged(() => partFromRow({ ...row, options: "{}" }, row["data"] ?? null));
  return part && shortSummary(part);
}
