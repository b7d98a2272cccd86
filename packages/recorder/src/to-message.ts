import type { Micros, Part, Provenance } from "@pond/canonical";
import {
  checkMessage,
  checkPart,
  isJsonObject,
  type JsonObject,
  type Message,
} from "@pond/canonical";
import type { MessageDraft, PartDraft } from "./drafts.ts";
import { snapshot } from "./snapshot.ts";

/** The place of a message. */
export type MessagePlace = {
  readonly id: string;
  readonly sessionId: string;
  readonly timestamp: Micros;
  /** What `options.source` says besides the message: its loop, its place in the loop, its turn. */
  readonly source: JsonObject;
  /** True for a task that a model wrote for a sub-agent: no human typed it. */
  readonly isTask: boolean;
};

/**
 * Makes a canonical message of what was said. Metadata goes to `options.source.rest`, where
 * adapters put it.
 *
 * @throws {ValidationError | TypeError} if it is not a valid message.
 */
export function toMessage(draft: MessageDraft, place: MessagePlace): Message {
  const { role, content, timestamp: _time, ...facts } = draft;
  const rest = snapshot(facts);
  const hasFacts = isJsonObject(rest) && Object.keys(rest).length > 0;
  const header = {
    id: place.id,
    session_id: place.sessionId,
    role,
    timestamp: place.timestamp,
    options: { source: { ...place.source, ...(hasFacts && { rest }) } },
  };
  const drafts: unknown = typeof content === "string" ? textOf(content) : content;
  // A value that is not a list, such as the null in a provider's answer with tool calls only, is
  // refused there.
  if (role === "system" || !isList(drafts)) return checkMessage({ ...header, content });
  const parts = drafts.map((draft, index) => toPart(draft, index, role, place));
  return checkMessage({ ...header, content: parts });
}

function isList(drafts: unknown): drafts is readonly PartDraft[] {
  return Array.isArray(drafts);
}

function textOf(text: string): readonly PartDraft[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function toPart(
  draft: PartDraft,
  index: number,
  role: MessageDraft["role"],
  place: MessagePlace,
): Part {
  if (!isJsonObject(draft)) return checkPart(draft);
  const { provenance = provenanceOf(draft, role, place), options = {}, ...fields } = draft;
  return checkPart({
    ...absent[fields.type],
    ...fieldsOf(fields),
    id: String(index),
    session_id: place.sessionId,
    message_id: place.id,
    provenance,
    options: snapshot(options),
  });
}

/** Flags that are false if they are absent (`model-no-synthesis` allows it). */
const absent: Readonly<Partial<Record<PartDraft["type"], JsonObject>>> = {
  tool_call: { provider_executed: false },
  tool_result: { is_failure: false },
};

function fieldsOf(
  fields: Omit<PartDraft, "provenance" | "options">,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const isData = fields.type === "file" && key === "data";
      return [key, isData ? copyOfData(value) : snapshot(value)];
    }),
  );
}

/** Copies the content of a file part; bytes occur nowhere else. */
function copyOfData(data: unknown): unknown {
  if (!isJsonObject(data)) return snapshot(data);
  const { bytes, ...others }: Readonly<Record<string, unknown>> = data;
  if (!(bytes instanceof Uint8Array)) return snapshot(data);
  return Object.assign({ bytes: Uint8Array.from(bytes) }, snapshot(others));
}

function provenanceOf(
  { type }: PartDraft,
  role: MessageDraft["role"],
  { isTask }: MessagePlace,
): Provenance {
  return type === "tool_result" || (role === "user" && isTask) ? "injected" : "conversational";
}
