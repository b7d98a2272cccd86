import {
  type JsonObject,
  type MessageEvent,
  type MessageHeader,
  type Part,
  stringifyJson,
} from "@pond/canonical";
import { searchText } from "../search/search-text.ts";
import { messageDigest } from "./message-digest.ts";

/** A part in the form of its row, except for its place and the ingest time. */
export type PreparedPart = {
  readonly id: string;
  readonly type: string;
  readonly provenance: string;
  readonly variantData: string;
  readonly data: Uint8Array | null;
  readonly options: string;
};

/** A message with its parts, converted once to what is stored. */
export type PreparedMessage = {
  readonly header: MessageHeader;
  readonly parts: readonly Part[];
  readonly preparedParts: readonly PreparedPart[];
  readonly content: string | null;
  readonly options: string;
  readonly searchText: string | null;
  /** Hash of every value of the message and its parts: equal values, equal digest. */
  readonly digest: string;
  /** About how many bytes its rows take. */
  readonly bytes: number;
  /** True if its source lacks a file that belongs to it. */
  readonly isIncomplete?: boolean;
  /**
   * Tells whether the stored message holds what its source lacks; left out, it counts as holding
   * it.
   */
  readonly isStoredComplete?: MessageEvent["isStoredComplete"];
};

/** Makes the texts that are stored, and the digest from these very texts. */
export function prepareMessage(header: MessageHeader, parts: readonly Part[]): PreparedMessage {
  const options = stringifyJson(header.options);
  const content = header.role === "system" ? stringifyJson(header.content) : null;
  const preparedParts = parts.map(preparePart);
  const text = searchText(header, parts);
  const { id, role, timestamp } = header;
  const digest = messageDigest({ id, role, timestamp, content, options }, preparedParts);
  let bytes = options.length + (content?.length ?? 0) + (text?.length ?? 0) + messageBytes;
  for (const { variantData, data, options } of preparedParts) {
    bytes += variantData.length + options.length + (data?.length ?? 0) + partBytes;
  }
  return { header, parts, preparedParts, content, options, searchText: text, digest, bytes };
}

// Ids, labels and numbers, and what the engine makes of a row while it is stored.
const messageBytes = 500;
const partBytes = 150;

function preparePart(part: Part): PreparedPart {
  const { id, type, provenance } = part;
  return {
    id,
    type,
    provenance,
    variantData: stringifyJson(variantOf(part)),
    data: part.type === "file" && part.data.type === "bytes" ? part.data.bytes : null,
    options: stringifyJson(part.options),
  };
}

/** The fields of a part's own type; bytes have a column of their own. */
function variantOf(part: Part): JsonObject {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { text: part.text };
    case "file": {
      const { media_type, file_name, data } = part;
      const named = file_name === undefined ? { media_type } : { media_type, file_name };
      return data.type === "bytes" ? named : { ...named, data };
    }
    case "tool_call": {
      const { call_id, name, params, provider_executed } = part;
      return { call_id, name, params, provider_executed };
    }
    case "tool_result": {
      const { call_id, name, is_failure, result } = part;
      return { call_id, ...(name !== undefined && { name }), is_failure, result };
    }
    case "tool_approval_request": {
      const { approval_id, tool_call_id } = part;
      return { approval_id, tool_call_id };
    }
    case "tool_approval_response": {
      const { approval_id, approved, reason } = part;
      return { approval_id, approved, ...(reason !== undefined && { reason }) };
    }
  }
}
