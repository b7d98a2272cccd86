import { createHash, hash } from "node:crypto";
import { stringifyJson } from "@pond/canonical";
import type { PreparedPart } from "./prepare.ts";

/** The fields of a message itself that are in its digest, as they are stored. */
export type DigestedMessage = {
  readonly id: string;
  readonly role: string;
  readonly timestamp: bigint;
  readonly content: string | null;
  readonly options: string;
};

/** Hash of every value of a message and of its parts, in order, from the texts that are stored. */
export function messageDigest(
  { id, role, timestamp, content, options }: DigestedMessage,
  parts: readonly PreparedPart[],
): string {
  // JSON escapes the separator, so no piece can contain it.
  const pieces = [stringifyJson(id), role, String(timestamp), content ?? "", options];
  for (const { id, type, provenance, variantData, data, options } of parts) {
    pieces.push(stringifyJson(id), type, provenance, variantData, options);
    if (data) pieces.push(hash("sha256", data));
  }
  return digestOf(pieces).slice(0, 32);
}

/**
 * In hexadecimal digits. Hashing everything at once is faster, but takes three copies of the input.
 */
function digestOf(pieces: readonly string[]): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length < maxChunkChars) return hash("sha256", pieces.join("\0"));
  const digest = createHash("sha256");
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) digest.update("\0");
    for (const chunk of chunksOfText(piece)) digest.update(chunk);
  }
  return digest.digest("hex");
}

function* chunksOfText(text: string): Generator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + maxChunkChars, text.length);
    // Hashed apart, the halves of a pair would be two other characters.
    if (isLowSurrogate(text.charCodeAt(to))) to++;
    yield text.slice(from, to);
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const maxChunkChars = 1024 * 1024;

/** The digest of a message whose parts do not all belong to one state; equals no other. */
export const tornDigest = "torn";
