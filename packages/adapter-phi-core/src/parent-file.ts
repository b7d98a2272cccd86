import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tryParseObject } from "@pond/canonical";
import { isSystemError } from "@pond/canonical/adapter";

/** True if the folder of a file has one with the name of that session's file. */
export function hasFileBeside(file: string, sessionId: string): boolean {
  return isFileName(sessionId) && existsSync(join(dirname(file), `${sessionId}.json`));
}

/** True for a session id that can be a file name. */
export function isFileName(id: string): boolean {
  return basename(id) === id && !id.includes("\0");
}

/**
 * The part of a fingerprint that depends on the session that a file names as its parent: a
 * reference without a call is followed only if that session has a file, which can come later than
 * this one.
 */
export function parentMark(file: string): string {
  // The library writes it in front of the loops.
  const [, text = ""] = /"parent_spawn_ref"\s*:\s*(\{[^{}]*\})/.exec(headOf(file)) ?? [];
  const { parent_session_id: parent, tool_call_id: call } = tryParseObject(text) ?? {};
  if (typeof parent !== "string" || (typeof call === "string" && call !== "")) return "";
  return hasFileBeside(file, parent) ? ".parent" : "";
}

/** The beginning of a file; empty if it cannot be read, which reading it will report. */
function headOf(file: string): string {
  try {
    const handle = openSync(file, "r");
    try {
      const head = Buffer.alloc(headBytes);
      return head.toString("utf8", 0, readSync(handle, head));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (isSystemError(error)) return "";
    throw error;
  }
}

const headBytes = 4096;
