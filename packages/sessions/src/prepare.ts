import { hash } from "node:crypto";
import { type MessageHeader, type Part, stringifyJson } from "@pond/canonical";
import { searchText } from "./search-text.ts";

/** A part as its row will be, but for the ingest time. */
export type PreparedPart = {
  readonly id: string;
  readonly type: string;
  readonly provenance: string;
  readonly variantData: string;
  readonly data: Uint8Array | null;
  readonly options: string;
};

/** A message with its parts, turned into what is stored, once. */
export type PreparedMessage = {
  readonly header: MessageHeader;
  readonly parts: readonly Part[];
  readonly preparedParts: readonly PreparedPart[];
  readonly content: string | null;
  readonly options: string;
  readonly searchText: string | null;
  /** Hash of every value of the message and its parts; equal values, equal digest. */
  readonly digest: string;
  readonly bytes: number;
};

export function prepareMessage(header: MessageHeader, parts: readonly Part[]): PreparedMessage {
  const options = stringifyJson(header.options);
  const content = header.role === "system" ? stringifyJson(header.content) : null;
  const preparedParts = parts.map(preparePart);
  const text = searchText(header, parts);
  const pieces = [
    stringifyJson(header.id),
    header.role,
    String(header.timestamp),
    content ?? "",
    options,
  ];
  let bytes = options.length + (text?.length ?? 0) + 200;
  for (const part of preparedParts) {
    pieces.push(stringifyJson(part.id), part.type, part.provenance, part.variantData, part.options);
    if (part.data) pieces.push(hash("sha256", part.data));
    bytes += part.variantData.length + part.options.length + (part.data?.length ?? 0) + 150;
  }
  // JSON escapes the separator, so no piece can hold it.
  const digest = hash("sha256", pieces.join("\u0000")).slice(0, 32);
  return { header, parts, preparedParts, content, options, searchText: text, digest, bytes };
}

function preparePart(part: Part): PreparedPart {
  const { id, session_id: _, message_id: __, type, provenance, options, ...variant } = part;
  const base = { id, type, provenance, options: stringifyJson(options) };
  if (!("data" in variant) || variant.data.type !== "bytes") {
    return { ...base, variantData: stringifyJson(variant), data: null };
  }
  const { data, ...others } = variant;
  return { ...base, variantData: stringifyJson(others), data: data.bytes };
}
