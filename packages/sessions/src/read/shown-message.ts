import {
  type JsonObject,
  type Message,
  messageToWire,
  type Part,
  partsOf,
  partToWire,
  stringifyJson,
  toRfc3339,
  type WirePart,
} from "@pond/canonical";
import type { PlacedMessage } from "./content.ts";

/** How much of a session is returned (spec 7.5). */
export type ResponseMode = "conversational" | "complete" | "verbatim";

/** One part in a few words. */
export type PartSummary = {
  readonly type: Part["type"];
  readonly provenance: Part["provenance"];
  readonly name?: string;
  readonly bytes: number;
};

/** A message as it is shown. Which fields it has depends on the mode. */
export type ShownMessage = {
  readonly id: string;
  readonly role: Message["role"];
  readonly timestamp: string;
  /** The value shown is not the one that was stored first. */
  readonly revised?: true;
  /** The message is no longer in its source; the value shown is the last one that it had there. */
  readonly removed?: true;
  /** The message is not as it was written: its parts are gone. */
  readonly damaged?: true;
  /** The conversation in the message; in verbatim mode, `content` holds everything instead. */
  readonly text?: string;
  readonly parts_summary?: readonly PartSummary[];
  readonly content?: string | readonly WirePart[];
  readonly options?: Message["options"];
};

/** What a part is, without its content. */
export function summarizePart(part: Part): PartSummary {
  const { type, provenance } = part;
  const bytes =
    part.type === "file" && part.data.type === "bytes"
      ? part.data.bytes.length
      : sizeOf(partToWire(part));
  const name =
    part.type === "file"
      ? (part.file_name ?? part.media_type)
      : "name" in part
        ? part.name
        : undefined;
  return { type, provenance, bytes, ...(name !== undefined && { name }) };
}

/** A message as a mode shows it. */
export function show(
  { message, isRevised, isMissingParts }: PlacedMessage,
  mode: ResponseMode,
): ShownMessage {
  const { id, role } = message;
  const base = {
    id,
    role,
    timestamp: toRfc3339(message.timestamp),
    ...(isRevised && { revised: true as const }),
    ...(isMissingParts && { damaged: true as const }),
  };
  if (mode === "verbatim") {
    const { content } = messageToWire(message);
    return { ...base, content, options: message.options };
  }
  const text = conversation(message);
  return {
    ...base,
    ...(text !== "" && { text }),
    parts_summary: partsOf(message).map(summarizePart),
  };
}

function conversation(message: Message): string {
  if (message.role === "system") return message.content;
  return partsOf(message)
    .flatMap((part) =>
      part.type === "text" && part.provenance === "conversational" ? [part.text] : [],
    )
    .join("\n");
}

/** About how many bytes of a page it takes. */
export function sizeOf(value: ShownMessage | WirePart): number {
  return Buffer.byteLength(stringifyJson({ ...value } as JsonObject));
}
