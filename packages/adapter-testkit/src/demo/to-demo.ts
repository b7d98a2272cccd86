import {
  type JsonObject,
  type JsonValue,
  type Message,
  partsOf,
  type Session,
  stringifyJson,
  toRfc3339,
} from "@pond/canonical";
import {
  carriedRecord,
  type RestoredFile,
  restOf,
  type SessionContent,
  sourceOf,
  type Writer,
} from "@pond/canonical/adapter";
import { derivedHex } from "@pond/canonical/foreign";
import { writeForeign } from "./write-foreign.ts";

/** Writes such files. A native one gets back every field that the reader found. */
export const toDemo: Writer = {
  origin: "demo",
  writeNative: ({ root, descendants }) => [root, ...descendants].map(writeNative),
  writeForeign,
};

function writeNative({ session, messages }: SessionContent): RestoredFile {
  const source = sourceOf(session);
  const records = messages.map((message) => {
    const rest = restOf(sourceOf(message));
    // What is left keeps its order, because it was stored that way.
    return carriedRecord(message) ?? { ...rest, ...recordOf(message), ...rest };
  });
  const content = [{ ...headOf(session), ...restOf(source) }, ...records].map(lineOf);
  // A session may come from anywhere, and its path may lead anywhere.
  const { path } = source;
  const isPlain = typeof path === "string" && /^\w[\w.-]*\.jsonl$/.test(path);
  const name = isPlain ? path : `${derivedHex(session.id).slice(0, 32)}.jsonl`;
  return { session: session.id, path: name, content };
}

function headOf({ id, parent_session_id, project, created_at }: Session): JsonObject {
  const parent = parent_session_id === undefined ? {} : { parent: parent_session_id };
  return { id, ...parent, cwd: project, at: toRfc3339(created_at) };
}

function recordOf(message: Message): JsonObject {
  const common = { id: message.id, at: toRfc3339(message.timestamp) };
  const [part] = partsOf(message);
  switch (part?.type) {
    case "text":
      return { ...common, text: part.text };
    case "tool_call":
      return { ...common, call: part.call_id, name: part.name, params: part.params };
    case "tool_result":
      return { ...common, call: part.call_id, failed: part.is_failure, result: part.result };
    default:
      return common;
  }
}

function lineOf(record: JsonValue): string {
  return `${stringifyJson(record)}\n`;
}
