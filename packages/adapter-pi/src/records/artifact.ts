import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import type { Message, ReadEvent } from "@pond/canonical";
import {
  fileBytes,
  fileFault,
  filePart,
  isGone,
  isSystemError,
  messageEvent,
  openRecord,
  positionId,
  reasonOf,
  sourceOf,
} from "@pond/canonical/adapter";
import type { SidecarFile } from "../discover.ts";
import type { Reading } from "./reading.ts";
import { readSideQuestions } from "./side-question.ts";

/**
 * A file of a session that is not a log: output too long for the log, or the report of an agent.
 */
export function readArtifact({ file, path }: SidecarFile, reading: Reading): readonly ReadEvent[] {
  const { source_agent: origin } = reading.session.session;
  try {
    const { size } = statSync(file);
    if (size > maxArtifactBytes) {
      const tooLong = fileFault(origin, file, `${size} bytes, too many to be kept`);
      return [{ ...tooLong, records: 1, isLogWhole: true }];
    }
    return readBytes({ kind: "artifact", name: path, bytes: readFileSync(file) }, reading);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (isGone(error)) return [];
    return [{ ...fileFault(origin, file, reasonOf(error), error), records: 1, isLogWhole: true }];
  }
}

/** Bytes that the log refers to in a place that holds none, such as the state of an extension. */
export function readBlob(hash: string, bytes: Uint8Array, reading: Reading): readonly ReadEvent[] {
  return readBytes({ kind: "blob", name: hash, bytes }, reading);
}

type Kept = {
  readonly kind: "artifact" | "blob";
  readonly name: string;
  readonly bytes: Uint8Array;
};

function readBytes({ kind, name, bytes }: Kept, reading: Reading): readonly ReadEvent[] {
  const { source_agent: adapter, id: uri } = reading.session.session;
  const at = { adapter, uri, record: name };
  const place = openRecord(at, { id: `${kind}:${name}`, name, type: mediaType(name) });
  const id = place.id("id") ?? reading.ids.derived(place);
  const event = messageEvent(reading.session, "user", {
    id,
    timestamp: reading.anchor,
    source: { sidecar: place.requireString("name"), kind },
  });
  const part = filePart(event, {
    id: positionId(0),
    provenance: "injected",
    mediaType: place.string("type"),
    content: fileBytes(bytes),
    source: { kind },
  });
  return [event, part, ...readSideQuestions(id, name, bytes, reading)];
}

/** The same as the longest line that is kept; a file is held whole. */
const maxArtifactBytes = 256 * 1024 * 1024;

/** A file that is not a log, as a message holds it. */
export type Artifact = {
  readonly kind: Kept["kind"];
  /** Path below the folder of artifacts, or hash. */
  readonly name: string;
  readonly bytes: Uint8Array;
};

/** The file that a message holds; undefined if it holds none. */
export function restoreArtifact(message: Message): Artifact | undefined {
  const { sidecar: name, kind } = sourceOf(message);
  if (typeof name !== "string" || message.role !== "user") return undefined;
  const [part] = message.content;
  if (part?.type !== "file" || part.data.type === "url") return undefined;
  const { data } = part;
  const bytes = data.type === "bytes" ? data.bytes : Buffer.from(data.text, "base64");
  return { kind: kind === "blob" ? kind : "artifact", name, bytes };
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".log": "text/plain",
  ".txt": "text/plain",
  ".md": "text/plain",
  ".patch": "text/plain",
  ".png": "image/png",
};

function mediaType(path: string): string | undefined {
  const suffix = extname(path);
  return Object.hasOwn(mediaTypes, suffix) ? mediaTypes[suffix] : undefined;
}
