import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Adapter, Reader, Surroundings } from "@pond/canonical/adapter";
import { SourceNotFoundError, UnknownAdapterError } from "./errors.ts";

/** A place an adapter reads: a client's home, its session folder or one session file. */
export type Source = {
  readonly adapter: string;
  /** Absolute, links resolved, so that one place has one name. */
  readonly path: string;
  readonly reader: Reader;
};

/** What a configuration says about one adapter. */
export type AdapterSettings = {
  /** False leaves it out unless it is named. */
  readonly isEnabled?: boolean;
  /** Places to read instead of the client's homes. */
  readonly paths?: readonly string[];
};

export type DiscoverOptions = {
  readonly surroundings: Surroundings;
  /** Only these adapters; empty means every enabled one. */
  readonly names?: readonly string[];
  /** Read this place instead of the client's homes. */
  readonly path?: string;
  readonly settings?: Readonly<Record<string, AdapterSettings>>;
};

/** The adapters a sync is about. @throws {UnknownAdapterError} for a name the registry lacks. */
export function selectAdapters(
  adapters: readonly Adapter[],
  { names = [], settings = {} }: DiscoverOptions,
): Adapter[] {
  if (names.length === 0) {
    return adapters.filter(({ origin }) => settings[origin]?.isEnabled !== false);
  }
  const known = adapters.map(({ origin }) => origin);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UnknownAdapterError(unknown, known);
  return adapters.filter(({ origin }) => names.includes(origin));
}

/**
 * The places to read, each once. A client's home that is not there is no error: the client is not
 * installed. A path somebody asked for is.
 *
 * @throws {UnknownAdapterError} for a name the registry lacks.
 * @throws {SourceNotFoundError} where an asked-for path is not there.
 */
export function discoverSources(adapters: readonly Adapter[], options: DiscoverOptions): Source[] {
  const sources = new Map<string, Source>();
  for (const adapter of selectAdapters(adapters, options)) {
    for (const path of placesOf(adapter, options)) {
      const key = `${adapter.origin}\0${path}`;
      if (sources.has(key)) continue;
      sources.set(key, { adapter: adapter.origin, path, reader: adapter.from(path) });
    }
  }
  return [...sources.values()];
}

function placesOf(adapter: Adapter, options: DiscoverOptions): string[] {
  const asked =
    options.path === undefined ? options.settings?.[adapter.origin]?.paths : [options.path];
  if (asked !== undefined) return asked.map((path) => requirePlace(adapter.origin, path));
  const homes = adapter.homes(options.surroundings).map((path) => findPlace(path));
  return homes.filter((path) => path !== undefined);
}

function requirePlace(adapter: string, path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch (cause) {
    throw new SourceNotFoundError(adapter, path, { cause });
  }
}

function findPlace(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
