import { createHash, hash } from "node:crypto";
import { stringifyJson } from "@pond/canonical";
import type { PreparedPart } from "./prepare.ts";

/** What of a message itself is in its digest, as it is stored. */
export type DigestedMessage = {
  readonly id: string;
  readonly role: string;
  readonly timestamp: bigint;
  readonly content: string | null;
  readonly options: string;
};

/** Hash of every value of a message and of its parts, in their order, from the texts that are stored. */
export function messageDigest(
  { id, role, timestamp, content, options }: DigestedMessage,
  parts: readonly PreparedPart[],
): string {
  // JSON escapes the separator, so that no piece can hold it.
  const pieces = [stringifyJson(id), role, String(timestamp), content ?? "", options];
  for (const { id, type, provenance, variantData, data, options } of parts) {
    pieces.push(stringifyJson(id), type, provenance, variantData, options);
    if (data) pieces.push(hash("sha256", data));
  }
  return digestOf(pieces).slice(0, 32);
}

/** As hexadecimal digits. To hash at once is faster, and takes three copies of what is hashed. */
function digestOf(pieces: readonly string[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length < atOnceChars) return hash("sha256", pieces.join("\0"));
  const digest = createHash("sha256");
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) digest.update("\0");
    for (const stretch of textStretches(piece)) digest.update(stretch);
  }
  return digest.digest("hex");
}

function* textStretches(text: string): Generator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + atOnceChars, text.length);
    // The halves of a pair, hashed apart, would be two other characters.
    if (isLowSurrogate(text.charCodeAt(to))) to++;
    yield text.slice(from, to);
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const atOnceChars = 1024 * 1024;

/** Stands for the digest of a message whose parts are not all of one state; equals none. */
export const tornDigest = "torn";
