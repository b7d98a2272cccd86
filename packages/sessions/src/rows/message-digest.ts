import { hash } from "node:crypto";
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
  let pieces = `${stringifyJson(id)}\0${role}\0${timestamp}\0${content ?? ""}\0${options}`;
  for (const { id, type, provenance, variantData, data, options } of parts) {
    pieces += `\0${stringifyJson(id)}\0${type}\0${provenance}\0${variantData}\0${options}`;
    if (data) pieces += `\0${hash("sha256", data)}`;
  }
  return hash("sha256", pieces).slice(0, 32);
}

/** Stands for the digest of a message whose parts are not all of one state; equals none. */
export const tornDigest = "torn";
