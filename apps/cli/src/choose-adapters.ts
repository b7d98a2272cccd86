import { resolve } from "node:path";
import type { Adapter } from "@pond/canonical/adapter";
import type { Source } from "@pond/sync";
import type { Config } from "./config.ts";
import type { Context } from "./context.ts";
import { ConfigError, UsageError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

export type AdapterChoice = {
  readonly adapters: readonly Adapter[];
  readonly sources: readonly Source[];
};

/**
 * The adapters that a command is about and the places they read: the named ones, or every one that
 * the configuration leaves enabled.
 *
 * @throws {UsageError} @throws {ConfigError} @throws {UnknownAdapterError}
 * @throws {SourceNotFoundError}
 */
export async function chooseAdapters(
  { settings, home, env }: Context,
  names: readonly string[],
  path?: string,
): Promise<AdapterChoice> {
  const { adapterNamed, adapters: known } = await import("@pond/adapters");
  const { discoverSources } = await import("@pond/sync");
  const { config } = settings;
  refuseUnknown(
    config,
    known.map(({ origin }) => origin),
  );
  if (path !== undefined && names.length !== 1) {
    throw new UsageError(
      `name the client that wrote it: pond sync ${known[0]?.origin} --path ${path}`,
      { path },
    );
  }
  const adapters =
    names.length === 0
      ? known.filter(({ origin }) => config.adapters[origin]?.isEnabled !== false)
      : [...new Set(names)].map((name) => adapterNamed(name));
  const configured = adapters.flatMap(({ origin }): [string, readonly string[]][] => {
    const places = config.adapters[origin]?.paths;
    return places === undefined ? [] : [[origin, places]];
  });
  const sources = discoverSources(adapters, {
    environment: { home, env },
    configured: Object.fromEntries(configured),
    ...(path !== undefined && {
      paths: Object.fromEntries(adapters.map(({ origin }) => [origin, [resolve(path)]])),
    }),
  });
  return { adapters, sources };
}

function refuseUnknown({ file, adapters }: Config, known: readonly string[]): void {
  const unknown = Object.keys(adapters).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const suggestion = nearestTo(unknown, known);
  const hint = suggestion === undefined ? "" : `did you mean "${suggestion}"? `;
  throw new ConfigError(
    `${adapters[unknown]?.place}: "adapters.${unknown}" names no client that pond knows; ${hint}known: ${known.join(", ")}`,
    { file, key: `adapters.${unknown}` },
  );
}
