import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import type { Message, ReadEvent } from "@pond/canonical";
import { filePart, messageEvent, openRecord, positionId, sourceOf } from "@pond/canonical/adapter";
import type { SidecarFile } from "../discover.ts";
import { fault } from "../faults.ts";
import { origin } from "../origin.ts";
import type { Reading } from "./envelope.ts";

/**
 * Reads a file that belongs to the session: tool output moved out of the log, or an agent's
 * descriptor.
 */
export function readSidecar({ file, path }: SidecarFile, reading: Reading): readonly ReadEvent[] {
  const { size } = statSync(file);
  if (size > maxSidecarBytes) {
    const tooLong = fault(file, `${size} bytes, too many to be kept`);
    return [{ ...tooLong, records: 1, isLogWhole: true }];
  }
  const at = { adapter: origin, uri: file, record: "file" };
  const place = openRecord(at, { id: `sidecar:${path}`, path, type: mediaType(path) });
  const content = openRecord(at, { bytes: readFileSync(file) }).bytes("bytes");
  if (content === undefined) return [];
  const message = messageEvent(reading.session, "user", {
    id: place.id("id") ?? reading.ids.derived(place),
    timestamp: reading.anchor,
    source: { sidecar: place.requireString("path") },
  });
  const part = filePart(message, {
    id: positionId(0),
    provenance: "injected",
    mediaType: place.string("type"),
    content,
    source: { kind: "sidecar" },
  });
  return [message, part];
}

/** The same as the longest line that is kept; a file is held whole. */
const maxSidecarBytes = 256 * 1024 * 1024;

/** The path and bytes of the sidecar that a message holds; undefined if it holds none. */
export function restoreSidecar(message: Message): { path: string; bytes: Uint8Array } | undefined {
  const path = sourceOf(message)["sidecar"];
  if (typeof path !== "string" || message.role !== "user") return undefined;
  const [part] = message.content;
  if (part?.type !== "file" || part.data.type === "url") return undefined;
  const { data } = part;
  return { path, bytes: data.type === "bytes" ? data.bytes : Buffer.from(data.text, "base64") };
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".js": "text/javascript",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".pdf": "application/pdf",
};

function mediaType(path: string): string | undefined {
  const suffix = extname(path);
  return Object.hasOwn(mediaTypes, suffix) ? mediaTypes[suffix] : undefined;
}
