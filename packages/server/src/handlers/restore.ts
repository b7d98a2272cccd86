import { isUtf8 } from "node:buffer";
import type { RestoredFile, Writer } from "@pond/canonical/adapter";
import {
  restore as restoreSession,
  SessionNotFoundError,
  type SessionStore,
  SessionTooLargeError,
} from "@pond/sessions";
import { eq } from "@pond/substrate";
import { type RestoreRequest, type RestoreResponse, WireError, type WireFile } from "@pond/wire";
import type { Resources, Restorers } from "../resources.ts";
import { withIdCandidates } from "./id-candidates.ts";

/**
 * How much may be read for files of so many bytes. It takes 1 to 1.4 times the client's own files, a
 * few times small ones, and stays in memory until they are written.
 */
const readLimit = (fileBytes: number): number => 2 * fileBytes + 1024 * 1024;

/**
 * Returns a session and all sessions below it as files of a client. Paths were checked: none leads
 * outside.
 */
export async function restore(
  { session_id: id, to, at = "last" }: RestoreRequest,
  { open, restorers, limits, signal }: Resources,
): Promise<RestoreResponse> {
  const sessions = await open("read");
  const origin = to ?? (await originOf(sessions, id));
  const writer = writerFor(origin, restorers);
  const { meanings } = restorers;
  const limit = limits.maxRestoreBytes;
  const options = { at, maxBytes: readLimit(limit), ...(meanings && { meanings }) };
  const restored = await restoreSession(sessions, id, writer, options).catch(async (error) => {
    if (error instanceof SessionTooLargeError) throw tooLargeError(limit, { cause: error });
    throw await withIdCandidates(error, sessions, id);
  });
  const answer: WireFile[] = [];
  let left = limit;
  for (const file of restored.files) {
    signal?.throwIfAborted();
    const bytes = contentOf(file, left, limit);
    left -= bytes.length;
    answer.push({
      session_id: file.session,
      path: file.path,
      bytes: bytes.length,
      content: isUtf8(bytes)
        ? { type: "text", text: bytes.toString("utf8") }
        : { type: "base64", base64: bytes.toString("base64") },
      ...(file.shared && { shared: true as const }),
      ...(file.fidelity && { fidelity: file.fidelity }),
    });
  }
  const { isNative: native, fidelity, incomplete, damaged } = restored;
  return {
    ...{ session_id: id, to: origin, native, fidelity },
    ...(incomplete.length > 0 && { incomplete }),
    ...(damaged.length > 0 && { damaged }),
    files: answer,
  };
}

async function originOf(sessions: SessionStore, id: string): Promise<string> {
  const columns = ["source_agent"];
  const [row] = await sessions.store
    .table("sessions")
    .rows({ columns, where: eq("id", id), limit: 1 });
  if (row === undefined) throw await withIdCandidates(new SessionNotFoundError(id), sessions, id);
  return String(row["source_agent"]);
}

/** @throws {WireError} if no writer here writes for that client. */
function writerFor(origin: string, { writers }: Restorers): Writer {
  const writer = writers.get(origin);
  if (writer !== undefined) return writer;
  const known = [...writers.keys()].sort();
  const shown = origin.slice(0, 64).toWellFormed();
  throw new WireError(
    "validation_failed",
    `to: no client "${shown}" can be restored for; known: ${known.join(", ") || "none"}`,
    { field: "to", known },
  );
}

/** @throws {WireError} as soon as there is more than an answer may hold. */
function contentOf({ content }: RestoredFile, left: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (const chunk of content) {
    const buffer = typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > left) throw tooLargeError(limit);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks, bytes);
}

function tooLargeError(limit: number, options?: ErrorOptions): WireError {
  return new WireError(
    "validation_failed",
    `its files take more than the ${limit} bytes of an answer; \`pond restore\` has no such limit`,
    { field: "session_id", limit },
    options,
  );
}
