import type { MessageHeader, Part } from "@pond/canonical";
import { DamagedRowError } from "../errors.ts";
import { type PartSummary, summarizePart } from "../read/shown-message.ts";

/** What search shows of a message besides its text. */
export type MessageHead = {
  readonly sessionId: string;
  readonly id: string;
  readonly role: string;
  readonly timestamp: bigint;
  /** For a user's message: its first parts, in short form. */
  readonly parts: readonly PartSummary[];
};

/** The role whose messages have their first parts in the head. */
export const roleWithParts = "user";
/** How many parts a head has at most. */
export const maxHeadParts = 32;
// Names come from the source, and may have any length.
const nameChars = 200;

/** The head of a message with its parts, in order. */
export function headOf(
  sessionId: string,
  { id, role, timestamp }: Pick<MessageHeader, "id" | "role" | "timestamp">,
  parts: readonly Part[],
): MessageHead {
  const shown = role === roleWithParts ? parts.slice(0, maxHeadParts) : [];
  return { sessionId, id, role, timestamp, parts: shown.map(shortSummary) };
}

/**
 * The content of the column `head`. It is one value, because a hit costs a read for each column
 * that is asked for, and another for each nested field.
 */
export function toHeadText({ sessionId, id, role, timestamp, parts }: MessageHead): string {
  const own = [sessionId, id, role, String(timestamp)];
  return JSON.stringify(parts.length === 0 ? own : [...own, parts]);
}

/**
 * Reads a `head` of `messages`.
 *
 * @throws {DamagedRowError} for something that no pond writes there.
 */
export function fromHeadText(text: string): MessageHead {
  try {
    const [sessionId, id, role, micros, parts = []] = JSON.parse(text);
    const isWhole = [sessionId, id, role, micros].every((each) => typeof each === "string");
    const isShown = Array.isArray(parts) && parts.length <= maxHeadParts && parts.every(isSummary);
    if (isWhole && isShown && integer.test(micros)) {
      const timestamp = BigInt(micros);
      const isTime = BigInt.asIntN(64, timestamp) === timestamp;
      if (isTime) return { sessionId, id, role, timestamp, parts };
    }
  } catch {
    // Reported below.
  }
  throw new DamagedRowError("head", text.slice(0, 80));
}

const integer = /^-?\d+$/;

function isSummary(value: unknown): value is PartSummary {
  if (typeof value !== "object" || value === null) return false;
  const { type, provenance, bytes, name = "" }: Partial<PartSummary> = value;
  return (
    [type, provenance, name].every((each) => typeof each === "string") && Number.isInteger(bytes)
  );
}

/** Options of a part are not counted, because they are not part of what was said. */
export function shortSummary(part: Part): PartSummary {
  const { name, ...summary } = summarizePart({ ...part, options: {} });
  return name === undefined ? summary : { ...summary, name: beginning(name) };
}

function beginning(name: string): string {
  const cut = name.slice(0, nameChars);
  return cut.isWellFormed() || !name.isWellFormed() ? cut : cut.slice(0, -1);
}
