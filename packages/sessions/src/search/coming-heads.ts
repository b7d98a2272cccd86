import { allowedParts } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { unlessDamaged } from "../errors.ts";
import type { PartSummary } from "../read/shown.ts";
import { partFromRow } from "../rows/from-rows.ts";
import { partsShown, roleWithParts, shortSummary, toHeadText } from "./message-head.ts";

// Parts of these types are of other messages; one of a type that there is none of is damaged.
const otherTypes: ReadonlySet<string> = new Set(
  Object.values(allowedParts)
    .flat()
    .filter((type) => !allowedParts[roleWithParts].includes(type)),
);

/** A part that came; without a summary where it could not be read, or others are to be shown. */
type ComingPart = { readonly ordinal: number; readonly summary: PartSummary | undefined };

/**
 * Makes the heads of messages whose parts pass by before they do, which spares looking for these
 * again. Of each part it holds some hundred bytes.
 */
export class ComingHeads {
  readonly #parts: Map<string, Map<string, ComingPart[]>> = new Map();

  /** Takes the row of a part, before that of its message is asked for. */
  addPart(row: Row): void {
    const ordinal = Number(row["ordinal"]);
    if (otherTypes.has(String(row["type"]))) return;
    const [sessionId, messageId] = [String(row["session_id"]), String(row["message_id"])];
    const ofSession = this.#parts.get(sessionId) ?? new Map<string, ComingPart[]>();
    this.#parts.set(sessionId, ofSession);
    const coming = { ordinal, summary: ordinal < partsShown ? summaryOf(row) : undefined };
    const others = ofSession.get(messageId);
    if (others) others.push(coming);
    else ofSession.set(messageId, [coming]);
  }

  /** What `head` is to hold of a message; null where it is to have none, or cannot be told. */
  of(message: Row): string | null {
    if ((message["search_text"] ?? null) === null) return null;
    const [sessionId, id] = [String(message["session_id"]), String(message["id"])];
    const role = String(message["role"]);
    const timestamp = BigInt(message["timestamp"] as bigint);
    const coming = role === roleWithParts ? (this.#parts.get(sessionId)?.get(id) ?? []) : [];
    const inOrder = coming.toSorted((left, right) => left.ordinal - right.ordinal);
    const shown = inOrder.slice(0, partsShown);
    const parts = shown.flatMap(({ summary }) => summary ?? []);
    // A head is not stored where one of them cannot be read. Where some are gone it shows others.
    if (parts.length < shown.length) return null;
    return toHeadText({ sessionId, id, role, timestamp, parts });
  }
}

function summaryOf(row: Row): PartSummary | undefined {
  const part = unlessDamaged(() => partFromRow({ ...row, options: "{}" }, row["data"] ?? null));
  return part && shortSummary(part);
}
