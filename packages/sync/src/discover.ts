import { realpathSync, statSync } from "node:fs";
import type { FaultEvent } from "@pond/canonical";
import {
  type Adapter,
  type Environment,
  fileFault,
  type Reader,
  reasonOf,
} from "@pond/canonical/adapter";
import { SourceNotFoundError } from "./errors.ts";
import { faultFromThrown } from "./fault.ts";

/** A place that an adapter reads: a client's home, its session folder or one session file. */
export type Source = {
  readonly adapter: string;
  /**
   * Absolute and with links resolved, so that one place has one name. The adapter's name if it
   * cannot say its places.
   */
  readonly path: string;
  readonly reader: Reader;
  /**
   * Set if somebody asked for this path: it may lie within another place of its client, and the
   * places that are usually read take precedence.
   */
  readonly others?: OtherPlaces;
  /** Set if only some of its sessions are read. */
  readonly part?: SourcePart;
};

/** The part of a source that is read. */
export type SourcePart = {
  /** The source's names of the sessions. */
  readonly keys: ReadonlySet<string>;
  /** What cannot be listed there. What cannot be listed elsewhere is not reported. */
  readonly faults: readonly FaultEvent[];
};

/** Other places of a client besides the one that somebody asked for. */
export type OtherPlaces = {
  /** Those that are read if nobody asks for any. */
  readonly usual: readonly Source[];
  /** A place that was read before. */
  at(path: string): Source;
};

/** Where to look for clients. */
export type DiscoverOptions = {
  readonly environment: Environment;
  /**
   * Places to read instead of the usual ones, by adapter. If one lies within another place of its
   * client, that place's sessions are read as far as they lie in the given one.
   */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  /**
   * Usual places to read instead of the client's homes. They come from a configuration that
   * outlives an unplugged disk: a missing one is a fault of its own, and the others are read.
   */
  readonly configured?: Readonly<Record<string, readonly string[]>>;
};

/**
 * The places to read, each once. A missing home of a client is no error: the client is not
 * installed. One that cannot be looked at lists that as a fault. A missing path that somebody asked
 * for is an error. What an adapter throws is a fault of its own, which its source lists: the others
 * are read.
 *
 * @throws {SourceNotFoundError} if an asked-for path is not there.
 */
export function discoverSources(
  adapters: readonly Adapter[],
  { environment, paths = {}, configured = {} }: DiscoverOptions,
): Source[] {
  return adapters.flatMap((adapter) => {
    const { origin } = adapter;
    const requested = ownOf(paths, origin)?.map((path) => requirePlace(origin, path));
    const configuredPaths = ownOf(configured, origin);
    const usual = configuredPaths
      ? configuredSources(adapter, configuredPaths)
      : homesOf(adapter, environment);
    if (requested === undefined) return usual;
    const at = (path: string): Source => ({ ...sourceAt(adapter, path), others });
    const others: OtherPlaces = { usual, at };
    return [...new Set(requested)].map(at);
  });
}

function configuredSources(adapter: Adapter, paths: readonly string[]): Source[] {
  const { origin } = adapter;
  const missing = (path: string): Source =>
    faultySource(origin, path, fileFault(origin, path, "nothing is there"));
  return eachOnce(paths.map((path) => sourceIn(adapter, path) ?? missing(path)));
}

function homesOf(adapter: Adapter, environment: Environment): Source[] {
  const { origin } = adapter;
  try {
    return eachOnce(adapter.homes(environment).flatMap((path) => sourceIn(adapter, path) ?? []));
  } catch (error) {
    // It has no place, so its name stands for one.
    return [faultySource(origin, origin, faultFromThrown(origin, origin, error))];
  }
}

/**
 * The source at a path; undefined if nothing is there. A place that cannot be looked at, on a disk
 * that does not answer or in somebody else's folder, is there and lists why.
 */
function sourceIn(adapter: Adapter, path: string): Source | undefined {
  const { origin } = adapter;
  let place: string;
  try {
    place = placeOf(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    return faultySource(origin, path, fileFault(origin, path, reasonOf(error), error));
  }
  return sourceAt(adapter, place);
}

function eachOnce(sources: readonly Source[]): Source[] {
  return [...new Map(sources.map((source) => [source.path, source])).values()];
}

function sourceAt(adapter: Adapter, path: string): Source {
  const { origin } = adapter;
  try {
    return { adapter: origin, path, reader: adapter.from(path) };
  } catch (error) {
    return faultySource(origin, path, faultFromThrown(origin, path, error));
  }
}

/** A source without sessions that lists why. */
function faultySource(adapter: string, path: string, fault: FaultEvent): Source {
  const reader: Reader = {
    origin: adapter,
    async *sessions() {
      yield fault;
    },
    async fingerprint() {
      return undefined;
    },
    async *read() {},
  };
  return { adapter, path, reader };
}

function ownOf<T>(byName: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

function requirePlace(adapter: string, path: string): string {
  try {
    return placeOf(path);
  } catch (cause) {
    throw new SourceNotFoundError(adapter, path, { cause });
  }
}

/** True if nothing is there, or nothing that could be read, such as a pipe. */
function isMissing(error: unknown): boolean {
  const isOfSystem = error instanceof Error && "syscall" in error && "code" in error;
  return !isOfSystem || error.code === "ENOENT" || error.code === "ENOTDIR";
}

/**
 * The file or folder that a path leads to.
 *
 * @throws if there is none. A pipe would be waited for, and a device has no end.
 */
function placeOf(path: string): string {
  const place = realpathSync.native(path);
  const stats = statSync(place);
  if (stats.isFile() || stats.isDirectory()) return place;
  throw new TypeError("neither a file nor a folder");
}
