import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import type { FaultEvent, PendingEvent } from "@pond/canonical";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { fileFault } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

/** A session file as a document, or why it is not one. */
export type OpenedFile =
  | { readonly kind: "document"; readonly document: JsonObject; readonly bytes: number }
  | FaultEvent
  | PendingEvent;

/** A larger value is not kept (`adapter-bounded-values`), and neither is a larger file. */
const maxBytes = 256 * 1024 * 1024;
/** The library truncates a file and then writes it: a broken one may be whole in a moment. */
const writingMs = 60 * 1000;

/** Reads a session file. @throws the error of the operating system. */
export function openSessionFile(file: string, now: number): OpenedFile {
  const { size, mtimeMs } = statSync(file);
  const fault = (reason: string) => fileFault(origin, file, reason);
  if (size > maxBytes) return fault(`a file of ${size} bytes is too long to be kept`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) return fault("not UTF-8");
  let value: JsonValue;
  try {
    value = parseJson(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return now - mtimeMs < writingMs
      ? { kind: "pending", location: file, reason: "the file is not whole yet" }
      : fault(`not JSON: ${withoutText(error.message)}`);
  }
  return isSession(value)
    ? { kind: "document", document: value, bytes: bytes.length }
    : fault(noSessionReason);
}

/** The parser's message without the piece of the file in it, which can be an API key. */
function withoutText(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, "");
}

const noSessionReason =
  "no phi-core session: `session_id` and `agent_id` are text, `loops` is a list of objects";

function isSession(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { session_id, agent_id, loops }: JsonObject = value;
  const hasNames = [session_id, agent_id].every((name) => typeof name === "string" && name !== "");
  return hasNames && Array.isArray(loops) && loops.every(isJsonObject);
}

/** Age classes of a file: what is pending in it is looked at again once it was left alone. */
export function idleMark(mtimeMs: number, now: number): string {
  const age = now - mtimeMs;
  return age < writingMs ? "" : age < idleMs ? ".1" : ".2";
}

/** How long a session must be left alone before no change in it is expected, in ms. */
export const idleMs: number = 60 * 60 * 1000;
