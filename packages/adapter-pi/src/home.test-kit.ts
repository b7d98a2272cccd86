import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentOf, findSessions, lineagesOf, readAll } from "@pond/adapter-testkit";
import { type JsonValue, type ReadEvent, stringifyJson } from "@pond/canonical";
import type { Lineage, Reader, SessionContent } from "@pond/canonical/adapter";
import { afterEach, beforeEach } from "vitest";

/** A client's home for one test, removed after it. */
export class TemporaryHome {
  path = "";

  constructor() {
    beforeEach(() => {
      this.path = mkdtempSync(join(tmpdir(), "pond-pi-"));
    });
    afterEach(() => rmSync(this.path, { recursive: true, force: true }));
  }

  /** Writes a file: records a line each, text or bytes as they are. @returns Its whole path. */
  put(path: string, content: readonly JsonValue[] | string | Uint8Array): string {
    const file = join(this.path, path);
    mkdirSync(dirname(file), { recursive: true });
    const isRecords = Array.isArray(content);
    const text = isRecords ? content.map((record) => `${stringifyJson(record)}\n`).join("") : "";
    writeFileSync(file, isRecords ? text : bytesOf(content));
    return file;
  }
}

function bytesOf(content: readonly JsonValue[] | string | Uint8Array): string | Uint8Array {
  return typeof content === "string" || content instanceof Uint8Array ? content : "";
}

/** What a reader makes of all its sessions. */
export type Read = {
  readonly events: readonly ReadEvent[];
  readonly contents: readonly SessionContent[];
  readonly lineages: readonly Lineage[];
  /** Why something was not read, without the folder it lies in. */
  readonly faults: readonly string[];
};

export async function readHome(reader: Reader): Promise<Read> {
  const { sessions, faults } = await findSessions(reader);
  const read: (readonly ReadEvent[])[] = [];
  for (const { key } of sessions) read.push(await readAll(reader, key));
  const contents = read
    .filter((events) => events.some(({ kind }) => kind === "session"))
    .map(contentOf);
  const events = read.flat();
  const all = [
    ...faults,
    ...events.flatMap((event) => (event.kind === "fault" ? event.fault : [])),
  ];
  return {
    events,
    contents,
    lineages: lineagesOf(contents),
    faults: all.map(({ details }) => details.reason),
  };
}

const time = "2026-03-16T08:00:00.000Z";

/** The header of a session. */
export function header(id: string, fields: { readonly [key: string]: JsonValue } = {}): JsonValue {
  return { type: "session", version: 3, id, timestamp: time, cwd: "/home/ada/loom", ...fields };
}

/** A message entry that hangs on another. */
export function message(
  id: string,
  parentId: string | null,
  fields: { readonly [key: string]: JsonValue },
): JsonValue {
  return { type: "message", id, parentId, timestamp: time, message: fields };
}

/** The name of the log of a session. */
export function logName(id: string): string {
  return `2026-03-16T08-00-00-000Z_${id}.jsonl`;
}

export const project = "sessions/--home-ada-loom--";
