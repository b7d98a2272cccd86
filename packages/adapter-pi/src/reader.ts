import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent, ReadEvent } from "@pond/canonical";
import {
  fileFault,
  isGone,
  isSystemError,
  type Reader,
  reasonOf,
  type SourceSession,
} from "@pond/canonical/adapter";
import type { Dialect } from "./dialect.ts";
import { Discovery } from "./discover.ts";
import { measure } from "./fingerprint.ts";
import { type Root, rootOf } from "./layout.ts";
import { readSession } from "./read-session.ts";

export type PiOptions = {
  /** Longest line that is parsed, in bytes; a longer one is reported and marked. Default 256 MiB. */
  readonly maxLineBytes?: number;
  /** Folder of the files that omp's logs refer to. Default `blobs` in the client's home. */
  readonly blobs?: string;
};

/** A reader of one client's files. Touches nothing before it is asked. */
export function createReader(dialect: Dialect, path: string, options: PiOptions): Reader {
  const { origin } = dialect;
  const { blobs, ...limits } = options;
  let known: { readonly root: Root; readonly discovery: Discovery } | undefined;
  const open = () => {
    if (known) return known;
    const root = rootOf(path, statSync(path).isDirectory() ? readdirSync(path) : undefined);
    known = { root, discovery: new Discovery(root, origin) };
    return known;
  };
  const fault = (uri: string, reason: string, cause?: unknown): FaultEvent =>
    fileFault(origin, uri, reason, cause);

  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      let discovery: Discovery;
      try {
        discovery = open().discovery;
      } catch (error) {
        yield fault(path, reasonOf(error), error);
        return;
      }
      for (const files of discovery.all()) {
        signal?.throwIfAborted();
        if (files.kind === "fault") {
          yield files;
          continue;
        }
        try {
          yield { kind: "source", key: files.key, ...measure(files) };
        } catch (error) {
          if (!isGone(error)) yield fault(files.file, reasonOf(error), error);
        }
      }
    },

    async fingerprint(key) {
      try {
        const files = open().discovery.filesOf(key);
        return files && measure(files).fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    read(key, signal): AsyncIterable<ReadEvent> {
      try {
        const { root, discovery } = open();
        const files = discovery.filesOf(key);
        if (files === undefined) return only(fault(key, "no such session"));
        const folder = dialect.hasBlobs ? (blobs ?? join(root.home, "blobs")) : undefined;
        const source = { root, dialect, blobs: folder, options: { ...limits, signal } };
        return readSession(files, source);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        return only(fault(path, reasonOf(error), error));
      }
    },
  };
}

async function* only(event: ReadEvent): AsyncIterable<ReadEvent> {
  yield event;
}
