import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { CanonicalEvent, Message } from "@pond/canonical";
import { filePart, messageEvent, openRecord, positionId } from "@pond/canonical/adapter";
import type { SidecarFile } from "../discover.ts";
import { origin } from "../origin.ts";
import { type Reading, sourceOf } from "./envelope.ts";

/** A file that belongs to the session: tool output moved out of the log, an agent's descriptor. */
export function readSidecar({ file, path }: SidecarFile, reading: Reading): CanonicalEvent[] {
  const at = { adapter: origin, uri: file, record: "file" };
  const data = readFileSync(file, "base64");
  const record = openRecord(at, { uuid: `sidecar:${path}`, path, type: mediaType(path), data });
  const content = record.base64("data");
  const own = reading.ids.own(record);
  if (content === undefined) return [];
  const message = messageEvent(reading.session, "user", {
    id: own ?? reading.ids.derived(record),
    timestamp: reading.anchor,
    source: { sidecar: record.requireString("path") },
  });
  const part = filePart(message, {
    id: positionId(0),
    provenance: "injected",
    mediaType: record.string("type"),
    content,
    source: { kind: "sidecar" },
  });
  return [message, part];
}

/** The path and bytes of the sidecar a message holds, or undefined where it holds none. */
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
