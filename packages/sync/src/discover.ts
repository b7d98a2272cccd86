import { realpathSync } from "node:fs";
import { type Adapter, fileFault, type Reader, type Surroundings } from "@pond/canonical/adapter";
import { SourceNotFoundError } from "./errors.ts";

/** A place an adapter reads: a client's home, its session folder or one session file. */
export type Source = {
  readonly adapter: string;
  /** Absolute, links resolved, so that one place has one name. */
  readonly path: string;
  readonly reader: Reader;
  /** True where somebody asked for this path: what is usually read counts more. */
  readonly isAsked?: boolean;
};

/** Where to look for clients. */
export type DiscoverOptions = {
  readonly surroundings: Surroundings;
  /** Places to read instead of the client's homes, by adapter. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  /**
   * The same for those without `paths`, of a configuration that outlives a disk that is unplugged:
   * a place that is not there now is a fault of its own, and the others are read.
   */
  readonly configured?: Readonly<Record<string, readonly string[]>>;
};

/**
 * The places to read, each once. A client's home that is not there is no error: the client is not
 * installed. A path somebody asked for is.
 *
 * @throws {SourceNotFoundError} where an asked-for path is not there.
 */
export function discoverSources(
  adapters: readonly Adapter[],
  { surroundings, paths = {}, configured = {} }: DiscoverOptions,
): Source[] {
  return adapters.flatMap((adapter) => {
    const { origin } = adapter;
    const read = (path: string): Source => ({ adapter: origin, path, reader: adapter.from(path) });
    const asked = ownOf(paths, origin)?.map((path) => requirePlace(origin, path));
    if (asked !== undefined) {
      return [...new Set(asked)].map((path) => ({ ...read(path), isAsked: true }));
    }
    const lasting = ownOf(configured, origin);
    const found = (lasting ?? adapter.homes(surroundings)).flatMap((path) => findPlace(path));
    const away = lasting?.filter((path) => findPlace(path).length === 0) ?? [];
    return [
      ...[...new Set(found)].map(read),
      ...away.map((path) => ({ adapter: origin, path, reader: readerOfNothing(origin, path) })),
    ];
  });
}

function ownOf<T>(byName: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

function readerOfNothing(adapter: string, path: string): Reader {
  return {
    origin: adapter,
    async *sessions() {
      yield fileFault(adapter, path, "nothing is there");
    },
    async fingerprint() {
      return undefined;
    },
    async *read() {},
  };
}

function requirePlace(adapter: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new SourceNotFoundError(adapter, path, { cause });
  }
}

function findPlace(home: string): string[] {
  try {
    return [realpathSync(home)];
  } catch {
    return [];
  }
}
