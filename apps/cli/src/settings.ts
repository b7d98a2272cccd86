import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, loadConfig } from "./config.ts";
import {
  intendedScheme,
  isAddress,
  isNamespace,
  namespaceRule,
  otherUsersHome,
  unsupportedScheme,
} from "./config-values.ts";
import { type Directories, directoriesOf, type Environment, expandHome } from "./directories.ts";
import { type Embeddings, resolveEmbeddings } from "./embeddings.ts";
import { UsageError } from "./errors.ts";

/** Flags that every command takes. */
export type GlobalFlags = {
  readonly storage?: string;
  readonly namespace?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** False with `--no-color`. */
  readonly color?: boolean;
};

/** Where this call reads and writes. */
export type Settings = {
  /** Folder or address of the store: that of the storage, with the namespace below it. */
  readonly location: string;
  readonly namespace: string;
  readonly storageOptions: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly embeddings: Embeddings;
  readonly directories: Directories;
};

const defaultNamespace = "default";

/**
 * Flags, then environment, then `config.toml`, then defaults.
 *
 * @throws {UsageError} @throws {ConfigError}
 */
export async function resolveSettings(
  flags: GlobalFlags,
  env: Environment,
  home: string,
): Promise<Settings> {
  const directories = directoriesOf(env, home);
  const config = await loadConfig(env, directories);
  const storage = flags.storage ?? (env["POND_STORAGE"] || undefined) ?? config.storage;
  const namespace = flags.namespace ?? config.namespace ?? defaultNamespace;
  return {
    location: locate(storage ?? directories.data, namespace, home),
    namespace,
    storageOptions: config.storageOptions ?? {},
    config,
    embeddings: resolveEmbeddings(config, env, directories),
    directories,
  };
}

/** Decides which store a namespace is: the one place that does (`wire-namespace-resolution`). */
function locate(storage: string, namespace: string, home: string): string {
  if (!isNamespace(namespace)) {
    throw new UsageError(`"${namespace}" is not a namespace: ${namespaceRule}`, { namespace });
  }
  if (storage.trim() === "") {
    throw new UsageError("--storage is empty: name a folder or an address");
  }
  // It is not repeated, because there may be a password in it.
  if (/\p{Cc}/u.test(storage)) {
    throw new UsageError(
      "the storage holds a control character, such as the end of a line: name a folder or an address without one",
    );
  }
  if (storage.startsWith("file://")) return join(folderOf(storage), namespace);
  if (isAddress(storage)) {
    if (/^(shared-)?memory:/i.test(storage)) {
      const lost = "what is stored there is gone when pond ends";
      throw new UsageError(`"${storage}" keeps nothing: ${lost}`, { storage });
    }
    const scheme = unsupportedScheme(storage);
    if (scheme !== undefined) throw unsupportedSchemeError(scheme);
    // An address is printed and written to logs; a bucket's name has neither character in it.
    if (/^[^:]*:\/\/[^/]*[@:]|\?/.test(storage)) {
      throw new UsageError(
        "the address of the storage holds a user, a password or a query: keys go into [storage_options] of config.toml or into the environment",
      );
    }
    // As with an unset variable: `s3://$BUCKET`.
    if (/:\/+$/.test(storage)) throw new UsageError(`"${storage}" names no bucket`, { storage });
    return `${storage.replace(/\/+$/, "")}/${namespace}`;
  }
  const kind = intendedScheme(storage);
  if (kind !== undefined) {
    const rest = storage.slice(kind.length + 1).replace(/^\//, "");
    const address = `${kind}:${kind === "file" ? "///" : "//"}${rest}`;
    throw new UsageError(
      `"${storage}" is not an address: write ${address}, or ./${storage} for a folder`,
      { storage },
    );
  }
  const other = otherUsersHome(storage);
  if (other !== undefined) {
    throw new UsageError(
      `"${storage}" is not known: write out the home folder of ${other}, or ./${storage} for a folder here`,
      { storage },
    );
  }
  return join(resolve(expandHome(storage, home)), namespace);
}

function unsupportedSchemeError(scheme: string): UsageError {
  const message = `"${scheme}" is not a kind of storage; use a folder, s3://, az:// or gs://`;
  // abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, as Azure's own tools write it.
  const isOfAzure = /^(abfs|wasb)s?$/i.test(scheme);
  const instead =
    ': write az://CONTAINER/PATH, and account_name = "ACCOUNT" in [storage_options] of config.toml';
  return new UsageError(`${message}${isOfAzure ? instead : ""}`, { scheme });
}

function folderOf(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch (cause) {
    throw new UsageError(`"${fileUrl}" names no folder here: file:///folder does`, {}, { cause });
  }
}
