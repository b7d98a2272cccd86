import type { FaultEvent, ReadEvent } from "../event.ts";
import type { Origin, Reader, SourceSession } from "./codec.ts";
import type { RecordCount } from "./record-count.ts";
import { fileFault, isGone, isSystemError, reasonOf } from "./source-files.ts";

/** The files of one session, as an adapter finds them. */
export type FoundFiles = {
  readonly kind: "files";
  /** Names the session within its source. */
  readonly key: string;
  /** The file that a fault names. */
  readonly file: string;
};

/** How an adapter looks at the place where a client keeps sessions. */
export type FileSource<Files extends FoundFiles> = {
  /** Looks at what sessions share, before they are listed or measured. */
  readonly prepare?: () => Promise<void>;
  /** Every session there, and a fault for everything that could not be looked at. */
  readonly all: () => Iterable<Files | FaultEvent>;
  /** The files of one session; undefined if they are gone. */
  readonly filesOf: (key: string) => Files | undefined;
  /** The state of a session's files, without reading them; undefined if they are gone. */
  readonly measure: (files: Files) => Pick<SourceSession, "fingerprint" | "bytes"> | undefined;
  /** The state of what tells where a session descends from, apart from its own files. */
  readonly parentState?: (files: Files) => string;
  /** The events of a session. A file system error that it throws becomes a fault of the file. */
  readonly read: (
    files: Files,
    signal: AbortSignal | undefined,
    count: RecordCount | undefined,
  ) => AsyncIterable<ReadEvent>;
};

/**
 * A reader of files on disk. Whatever the operating system refuses becomes a fault of the file
 * concerned; a file that vanishes in the meantime does not.
 *
 * @param open - Looks at `path`. Called once, when the reader is first asked.
 */
export function fileReader<Files extends FoundFiles>(
  origin: Origin,
  path: string,
  open: () => FileSource<Files>,
): Reader {
  let known: FileSource<Files> | undefined;
  const source = (): FileSource<Files> => {
    known ??= open();
    return known;
  };
  const fault = (uri: string, reason: string, cause?: unknown): FaultEvent =>
    fileFault(origin, uri, reason, cause);

  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      let found: FileSource<Files>;
      try {
        found = source();
        await found.prepare?.();
      } catch (error) {
        yield fault(path, reasonOf(error), error);
        return;
      }
      for (const files of found.all()) {
        signal?.throwIfAborted();
        if (files.kind === "fault") {
          yield files;
          continue;
        }
        try {
          const measured = found.measure(files);
          if (measured === undefined) continue;
          const { key, file } = files;
          const { fingerprint, bytes } = measured;
          yield { kind: "source", key, file, fingerprint, bytes };
        } catch (error) {
          if (!isGone(error)) yield fault(files.file, reasonOf(error), error);
        }
      }
    },

    async fingerprint(key) {
      try {
        const { prepare, filesOf, measure } = source();
        await prepare?.();
        const files = filesOf(key);
        return files && measure(files)?.fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    async parentState(key) {
      try {
        const { filesOf, parentState } = source();
        const files = parentState && filesOf(key);
        return files && parentState(files);
      } catch (error) {
        if (isSystemError(error)) return undefined;
        throw error;
      }
    },

    read(key, signal, count): AsyncIterable<ReadEvent> {
      try {
        const { filesOf, read } = source();
        const files = filesOf(key);
        return files ? read(files, signal, count) : only(fault(key, "no such session"));
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
