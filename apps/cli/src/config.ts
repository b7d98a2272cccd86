import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Directories, type Environment, expandHome } from "./directories.ts";
import { ConfigError } from "./errors.ts";

/** What `config.toml` says; nothing has to be in it. */
export type Config = {
  /** The file it came from; undefined where there is none. */
  readonly file?: string;
  readonly storage?: string;
  readonly namespace?: string;
  /** Credentials and endpoint of an object store. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  readonly adapters: Readonly<Record<string, AdapterConfig>>;
};

type AdapterConfig = {
  readonly isEnabled?: boolean;
  /** Absolute; read instead of the client's homes. */
  readonly paths?: readonly string[];
};

/**
 * Reads the file `POND_CONFIG` names, else `config.toml` in the configuration folder if it exists.
 *
 * @throws {ConfigError} where the file is not to be read, is no TOML, or says what pond does not know.
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
  const at = { text, file, home };
  const top = await parseToml(at);
  refuseOthers(at, top, "", ["storage", "namespace", "storage_options", "adapters"]);
  const storage = optional(top, "storage", (value) => stringAt(at, "storage", value));
  const namespace = optional(top, "namespace", (value) => stringAt(at, "namespace", value));
  const storageOptions = optional(top, "storage_options", (value) => {
    const entries = Object.entries(tableAt(at, "storage_options", value));
    return Object.fromEntries(
      entries.map(([key, each]) => [key, stringAt(at, `storage_options.${key}`, each)]),
    );
  });
  const adapters = optional(top, "adapters", (value) => {
    const entries = Object.entries(tableAt(at, "adapters", value));
    return Object.fromEntries(entries.map(([name, each]) => [name, adapterAt(at, name, each)]));
  });
  return {
    file,
    ...(storage !== undefined && { storage: place(at, storage) }),
    ...(namespace !== undefined && { namespace }),
    ...(storageOptions && { storageOptions }),
    adapters: adapters ?? {},
  };
}

type At = { readonly text: string; readonly file: string; readonly home: string };
type Table = Readonly<Record<string, unknown>>;

function readText(file: string, isRequired: boolean): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (isMissing && !isRequired) return undefined;
    const reason = isMissing ? "POND_CONFIG names it, but it does not exist" : String(cause);
    throw new ConfigError(`${file}: ${reason}`, { file }, { cause });
  }
}

async function parseToml({ text, file }: At): Promise<Table> {
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

function adapterAt(at: At, name: string, value: unknown): AdapterConfig {
  const path = `adapters.${name}`;
  const table = tableAt(at, path, value);
  refuseOthers(at, table, `${path}.`, ["enabled", "paths"]);
  const isEnabled = optional(table, "enabled", (each) => {
    return typeof each === "boolean"
      ? each
      : refuse(at, `${path}.enabled`, "must be true or false");
  });
  const paths = optional(table, "paths", (each) => {
    if (!Array.isArray(each)) return refuse(at, `${path}.paths`, "must be a list of folders");
    return each.map((item) => place(at, stringAt(at, `${path}.paths`, item)));
  });
  return { ...(isEnabled !== undefined && { isEnabled }), ...(paths && { paths }) };
}

function optional<T>(table: Table, key: string, read: (value: unknown) => T): T | undefined {
  return Object.hasOwn(table, key) ? read(table[key]) : undefined;
}

function stringAt(at: At, path: string, value: unknown): string {
  return typeof value === "string" && value !== "" ? value : refuse(at, path, "must be a text");
}

function tableAt(at: At, path: string, value: unknown): Table {
  return isTable(value) ? value : refuse(at, path, "must be a table");
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseOthers(at: At, table: Table, prefix: string, known: readonly string[]): void {
  const other = Object.keys(table).find((key) => !known.includes(key));
  if (other !== undefined) {
    refuse(at, `${prefix}${other}`, `is not a setting; known here: ${known.join(", ")}`);
  }
}

function refuse({ text, file }: At, path: string, reason: string): never {
  const line = lineOf(text, path);
  const where = line === undefined ? file : `${file}:${line}`;
  throw new ConfigError(`${where}: "${path}" ${reason}`, { file, key: path, line: line ?? null });
}

/** The first line that sets the last step of the path: the parser does not tell. */
function lineOf(text: string, path: string): number | undefined {
  const step = path.slice(path.lastIndexOf(".") + 1).replaceAll(/[^\w-]/g, "\\$&");
  const setting = new RegExp(`^\\s*(?:"?${step}"?\\s*=|\\[[^\\]]*\\b"?${step}"?\\s*\\])`);
  const at = text.split("\n").findIndex((line) => setting.test(line));
  return at < 0 ? undefined : at + 1;
}

/** Relative to the file it stands in, so that it means the same wherever pond is started. */
function place({ file, home }: At, path: string): string {
  return isAddress(path) ? path : resolve(dirname(file), expandHome(path, home));
}

/** True for an object store's address, as against a folder. */
export function isAddress(storage: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(storage);
}
