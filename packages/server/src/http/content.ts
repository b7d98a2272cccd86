import type { IncomingHttpHeaders } from "node:http";
import { badContentType, refused } from "./refusals.ts";

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?;?$/i;

/**
 * Only plain JSON is accepted. Nothing is decompressed, so that no small body can become a large
 * one. No type is accepted that a web page may send without asking first.
 *
 * @throws {WireError} `validation_failed`
 */
export function checkContent(headers: IncomingHttpHeaders): void {
  const encoding = headers["content-encoding"] ?? "identity";
  const transfer = headers["transfer-encoding"] ?? "chunked";
  if (encoding.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked") {
    throw refused("content_encoding_unsupported", "the body must not be compressed");
  }
  if (!jsonType.test(headers["content-type"] ?? "")) {
    throw badContentType();
  }
}
