import { basename, join } from "node:path";
import { type FaultEvent, type ReadEvent, recordCountOf } from "@pond/canonical";
import {
  isGone,
  isSystemError,
  type Reader,
  type RecordCount,
  reasonOf,
  type SourceSession,
} from "@pond/canonical/adapter";
import { discover, type Found, type Root, rootOf } from "./discover.ts";
import { fault } from "./faults.ts";
import { origin } from "./origin.ts";
import { readSession } from "./read-session.ts";
import { DatabaseChanged, isSqliteError } from "./stores/database.ts";
import { exportedId, isSecondExport, measureExport, readExport } from "./stores/export-file.ts";
import { type KnownPlaces, listHome, measureSession, withSession } from "./stores/home.ts";
import { NotJson } from "./stores/json-file.ts";
import { type Exported, shadowedExports } from "./stores/same-id.ts";
import { treeSession } from "./stores/tree-layout.ts";

/** Options for reading sessions of opencode. */
export type OpencodeOptions = {
  /**
   * The current time: a session that was left alone for an hour is complete. Default: the clock.
   */
  readonly now?: () => Date;
};

const defaults = { now: (): Date => new Date() };

/**
 * Reads the sessions of opencode at `path`: the client's data folder with all its stores, its
 * `storage` folder, a folder of exports, or one file of any of these. Touches no file before it is
 * asked, and never changes anything, not even beside a running client.
 */
export function fromOpencode(path: string, options: OpencodeOptions = {}): Reader {
  const { now } = { ...defaults, ...options };
  const places: KnownPlaces = new Map();
  return {
    origin,

    async *sessions(signal): AsyncIterable<SourceSession | FaultEvent> {
      try {
        for (const session of list(rootOf(path), places)) {
          signal?.throwIfAborted();
          yield session;
        }
      } catch (error) {
        signal?.throwIfAborted();
        yield faultOf(path, error);
      }
    },

    async fingerprint(key) {
      try {
        const root = rootOf(path);
        const place = placeOf(root, key);
        if (place?.kind === "export") return measureExport(join(root.folder, key)).fingerprint;
        return place && measureSession(place.home, idOf(place, key), places)?.fingerprint;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },

    async *read(key, signal, count): AsyncIterable<ReadEvent> {
      let reported = 0;
      try {
        for (const event of readKey(rootOf(path), key, places, now().getTime(), count)) {
          signal?.throwIfAborted();
          reported += recordCountOf(event);
          yield event;
        }
      } catch (error) {
        signal?.throwIfAborted();
        // Records that were taken from the store but not reported yet are lost with the error that
        // stopped it.
        const records = (count?.records ?? reported) - reported;
        if (error instanceof DatabaseChanged) {
          yield { kind: "pending", location: `${path}:${key}`, reason: error.message, records };
        } else
          yield { ...faultOf(key === basename(path) ? path : join(path, key), error), records };
      }
    },
  };
}

function* list(root: Root, places: KnownPlaces): Generator<SourceSession | FaultEvent> {
  const known: KnownSessions[] = [];
  const exports: string[] = [];
  const only = root.only === undefined ? undefined : treeSession(root.only)?.id;
  for (const found of discover(root)) {
    if (found.kind === "fault") yield found;
    else if (found.kind === "export") exports.push(found.path);
    else {
      const { prefix } = found.home;
      const ids = new Set<string>();
      known.push({ prefix, ids });
      // A home that cannot be read hides no other, and no export.
      try {
        for (const session of listHome(found.home, places)) {
          if (session.kind === "source") ids.add(session.key.slice(prefix.length));
          if (only === undefined || session.kind === "fault" || session.key === only) yield session;
        }
      } catch (error) {
        yield faultOf(found.home.folder, error);
      }
    }
  }
  // A caller who names one file wants exactly that one.
  if (root.only !== undefined) for (const path of exports) yield* listExport(root, path);
  else yield* listExports(root, exports, known);
}

/** The sessions in the stores of a home. */
type KnownSessions = { readonly prefix: string; readonly ids: ReadonlySet<string> };

/** The exports of one folder that are read. */
function* listExports(
  root: Root,
  paths: readonly string[],
  known: readonly KnownSessions[],
): Generator<SourceSession | FaultEvent> {
  const exports = paths.flatMap((path): (Exported & { readonly path: string })[] => {
    const file = join(root.folder, path);
    const id = exportedId(file);
    // A session that is still in its store is not read again from an exported file.
    const isKnown =
      id !== undefined && known.some(({ prefix, ids }) => path.startsWith(prefix) && ids.has(id));
    return isKnown || isSecondExport(file) ? [] : [{ path, file, id }];
  });
  const others = shadowedExports(exports);
  for (const { path, file } of exports) {
    const other = others.get(file);
    if (other === undefined) yield* listExport(root, path);
    else yield fault(file, `another session with the id of the one in ${other}: not read`);
  }
}

function* listExport(root: Root, path: string): Generator<SourceSession | FaultEvent> {
  const file = join(root.folder, path);
  try {
    yield { kind: "source", key: path, file, ...measureExport(file) };
  } catch (error) {
    if (!isGone(error)) yield faultOf(file, error);
  }
}

function* readKey(
  root: Root,
  key: string,
  places: KnownPlaces,
  nowMs: number,
  count: RecordCount | undefined,
): Generator<ReadEvent> {
  const place = placeOf(root, key);
  if (place === undefined) yield fault(key, "no such session");
  else if (place.kind === "export") {
    yield* readSession(readExport(join(root.folder, key), key), nowMs, count);
  } else {
    const id = idOf(place, key);
    yield* withSession(place.home, id, places, (session) =>
      session ? readSession(session, nowMs, count) : [fault(key, "no such session")],
    );
  }
}

/** The home or file that a key belongs to. Keys of homes are ids; those of exports are paths. */
function placeOf(root: Root, key: string): Found | undefined {
  if (key.split("/").includes("..")) return undefined;
  // A caller who names a file wants to hear about it, whatever its name.
  if (key.endsWith(".json") || key === root.only) return { kind: "export", path: key };
  for (const found of discover(root)) {
    if (found.kind === "home" && isKeyOf(found, key)) return found;
  }
  return undefined;
}

function isKeyOf({ home }: { readonly home: { readonly prefix: string } }, key: string): boolean {
  return key.startsWith(home.prefix) && !key.slice(home.prefix.length).includes("/");
}

function idOf({ home }: Found & { readonly kind: "home" }, key: string): string {
  return key.slice(home.prefix.length);
}

/** A fault for an error of the system, SQLite or the file; a mistake of ours is thrown on. */
function faultOf(uri: string, error: unknown): FaultEvent {
  if (error instanceof NotJson || error instanceof DatabaseChanged) {
    return fault(uri, error.message, error);
  }
  if (isSystemError(error)) return fault(uri, reasonOf(error), error);
  if (isSqliteError(error)) return fault(uri, `cannot be read (${error.message})`, error);
  throw error;
}
