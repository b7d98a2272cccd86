import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  booleanAt,
  type ConfigSource,
  fileAndLineOf,
  intendedScheme,
  isNamespace,
  namespaceRule,
  optional,
  otherUsersHome,
  refuse,
  refuseUnknownKeys,
  resolvePath,
  stringAt,
  type Table,
  tableAt,
} from "./config-values.ts";
import { type Directories, type Environment, expandHome } from "./directories.ts";
import { type EmbeddingsConfig, embeddingsAt } from "./embeddings-config.ts";
import { ConfigError } from "./errors.ts";
import { textOf } from "./replace-file.ts";

/** The content of `config.toml`; every setting is optional. */
export type Config = {
  /** The file it came from; undefined if there is none. */
  readonly file?: string;
  readonly storage?: string;
  readonly namespace?: string;
  /** Credentials and endpoint of an object store. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  readonly adapters: Readonly<Record<string, AdapterConfig>>;
  /** Undefined without the table, because embedding is opt-in (spec 8). */
  readonly embeddings?: EmbeddingsConfig;
};

type AdapterConfig = {
  /** Where the file sets it, as `file:line`. */
  readonly place: string;
  readonly isEnabled?: boolean;
  /** Absolute paths, read instead of the client's homes. */
  readonly paths?: readonly string[];
};

const topLevelKeys = ["storage", "namespace", "storage_options", "adapters", "embeddings"];

/**
 * Reads the file that `POND_CONFIG` names, else `config.toml` in the configuration folder if it
 * exists.
 *
 * @throws {ConfigError} where the file is not to be read, is not TOML, or says what pond does not know.
 */
export async function loadConfig(env: Environment, directories: Directories): Promise<Config> {
  const asked = env["POND_CONFIG"];
  const file = asked
    ? resolve(expandHome(asked, directories.home))
    : join(directories.config, "config.toml");
  const text = readText(file, Boolean(asked));
  return text === undefined ? { adapters: {} } : parseConfig(text, file, directories.home);
}

async function parseConfig(text: string, file: string, home: string): Promise<Config> {
  const source = { text, file, home };
  const top = await parseToml(source);
  refuseUnknownKeys(source, top, "", topLevelKeys);
  const storage = optional(top, "storage", (value) => storageAt(source, value));
  const namespace = optional(top, "namespace", (value) => namespaceAt(source, value));
  const storageOptions = optional(top, "storage_options", (value) => {
    const entries = Object.entries(tableAt(source, "storage_options", value));
    return Object.fromEntries(
      entries.map(([key, each]) => [key, stringAt(source, `storage_options.${key}`, each)]),
    );
  });
  const adapters = optional(top, "adapters", (value) => {
    const entries = Object.entries(tableAt(source, "adapters", value));
    return Object.fromEntries(entries.map(([name, each]) => [name, adapterAt(source, name, each)]));
  });
  const embeddings = optional(top, "embeddings", (value) => embeddingsAt(source, value));
  return {
    file,
    ...(storage !== undefined && { storage }),
    ...(namespace !== undefined && { namespace }),
    ...(storageOptions && { storageOptions }),
    adapters: adapters ?? {},
    ...(embeddings && { embeddings }),
  };
}

function readText(file: string, isRequired: boolean): string | undefined {
  const bytes = readBytes(file, isRequired);
  return bytes && textOf(bytes, file);
}

function readBytes(file: string, isRequired: boolean): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const isMissing = code === "ENOENT";
    const link = isMissing ? danglingLink(file) : undefined;
    if (link !== undefined) {
      const reason = "is a link to a file that does not exist: create the file, or remove the link";
      throw new ConfigError(`${link}: ${reason}`, { file: link }, { cause });
    }
    if (isMissing && !isRequired) return undefined;
    const reason = Object.hasOwn(readErrorTexts, code) ? readErrorTexts[code] : String(cause);
    throw new ConfigError(`${file}: ${reason}`, { file }, { cause });
  }
}

/** Why a file cannot be read, by the system's name for it. */
const readErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: "POND_CONFIG names it, but it does not exist",
  EISDIR: "is a folder; the settings are a file",
  ENOTDIR: "cannot exist: a folder of its path is a file",
  EACCES: "cannot be read by this user",
  ELOOP: "is a link that leads back to itself, or is behind one",
  ENAMETOOLONG: "has a name longer than the system allows",
};

/**
 * The broken link that a missing file is, or is below: settings out of reach are not the same as
 * none.
 */
function danglingLink(file: string): string | undefined {
  const there = lstatSync(file, { throwIfNoEntry: false });
  const folder = dirname(file);
  if (there === undefined) return folder === file ? undefined : danglingLink(folder);
  return there.isSymbolicLink() && !existsSync(file) ? file : undefined;
}

async function parseToml({ text, file }: ConfigSource): Promise<Table> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const { line, column } = cause;
    const [reason = ""] = cause.message.split("\n");
    throw new ConfigError(`${file}:${line}:${column}: ${reason}`, { file, line }, { cause });
  }
}

/** A relative folder counts from the file, so this makes sure that no address is taken for one. */
function storageAt(source: ConfigSource, value: unknown): string {
  const storage = stringAt(source, "storage", value);
  const home = otherUsersHome(storage);
  if (home !== undefined) {
    return refuse(
      source,
      "storage",
      `is not known: write out the home folder of ${home}, or begin a relative path with ./`,
    );
  }
  const kind = intendedScheme(storage);
  return kind === undefined
    ? resolvePath(source, storage)
    : refuse(
        source,
        "storage",
        `is not an address: an address begins with ${kind}://, a folder with ./`,
      );
}

function namespaceAt(source: ConfigSource, value: unknown): string {
  const namespace = stringAt(source, "namespace", value);
  return isNamespace(namespace)
    ? namespace
    : refuse(source, "namespace", `must be ${namespaceRule}`);
}

function adapterAt(source: ConfigSource, name: string, value: unknown): AdapterConfig {
  const path = `adapters.${name}`;
  const table = tableAt(source, path, value);
  refuseUnknownKeys(source, table, `${path}.`, ["enabled", "paths"]);
  const isEnabled = optional(table, "enabled", (each) =>
    booleanAt(source, `${path}.enabled`, each),
  );
  const paths = optional(table, "paths", (each) => {
    if (!Array.isArray(each)) return refuse(source, `${path}.paths`, "must be a list of folders");
    // Nothing would be read, and the client's own homes said not to be here.
    if (each.length === 0) {
      const remedy =
        "name a folder, leave it out for the client's own homes, or say enabled = false";
      return refuse(source, `${path}.paths`, `names no folder: ${remedy}`);
    }
    return each.map((item) => resolvePath(source, stringAt(source, `${path}.paths`, item)));
  });
  const place = fileAndLineOf(source, path);
  return { place, ...(isEnabled !== undefined && { isEnabled }), ...(paths && { paths }) };
}
