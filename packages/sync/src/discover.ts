import { realpathSync } from "node:fs";
import type { Adapter, Reader, Surroundings } from "@pond/canonical/adapter";
import { SourceNotFoundError } from "./errors.ts";

/** A place an adapter reads: a client's home, its session folder or one session file. */
export type Source = {
  readonly adapter: string;
  /** Absolute, links resolved, so that one place has one name. */
  readonly path: string;
  readonly reader: Reader;
};

export type DiscoverOptions = {
  readonly surroundings: Surroundings;
  /** Places to read instead of the client's homes, by adapter. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
};

/**
 * The places to read, each once. A client's home that is not there is no error: the client is not
 * installed. A path somebody asked for is.
 *
 * @throws {SourceNotFoundError} where an asked-for path is not there.
 */
export function discoverSources(
  adapters: readonly Adapter[],
  { surroundings, paths = {} }: DiscoverOptions,
): Source[] {
  return adapters.flatMap((adapter) => {
    const asked = Object.hasOwn(paths, adapter.origin) ? paths[adapter.origin] : undefined;
    const places =
      asked === undefined
        ? adapter.homes(surroundings).flatMap((home) => findPlace(home))
        : asked.map((path) => requirePlace(adapter.origin, path));
    return [...new Set(places)].map((path) => ({
      adapter: adapter.origin,
      path,
      reader: adapter.from(path),
    }));
  });
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
