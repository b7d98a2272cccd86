import { dirname, resolve } from "node:path";
import { expandHome } from "./directories.ts";
import { ConfigError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

/** The configuration file, for errors that name the place. */
export type ConfigSource = { readonly text: string; readonly file: string; readonly home: string };
export type Table = Readonly<Record<string, unknown>>;

export function optional<T>(table: Table, key: string, read: (value: unknown) => T): T | undefined {
  return Object.hasOwn(table, key) ? read(table[key]) : undefined;
}

export function stringAt(source: ConfigSource, path: string, value: unknown): string {
  if (typeof value !== "string") return refuse(source, path, "must be a string");
  return value === "" ? refuse(source, path, "is empty") : value;
}

export function booleanAt(source: ConfigSource, path: string, value: unknown): boolean {
  return typeof value === "boolean" ? value : refuse(source, path, "must be true or false");
}

/** A whole number from one to `max`. */
export function countAt(source: ConfigSource, path: string, value: unknown, max: number): number {
  const isCount = typeof value === "number" && Number.isInteger(value);
  return isCount && value >= 1 && value <= max
    ? value
    : refuse(source, path, `must be a whole number from 1 to ${max}`);
}

export function tableAt(source: ConfigSource, path: string, value: unknown): Table {
  return isTable(value) ? value : refuse(source, path, "must be a table");
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function refuseUnknownKeys(
  source: ConfigSource,
  table: Table,
  prefix: string,
  known: readonly string[],
): void {
  const unknown = Object.keys(table).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const suggestion = nearestTo(unknown, known);
  const hint = suggestion === undefined ? "" : `did you mean "${suggestion}"? `;
  const path = `${prefix}${unknown}`;
  refuse(source, path, `is not a setting; ${hint}known here: ${known.join(", ")}`);
}

/** Says what is wrong with a setting, but never its value: it may be a key pasted by mistake. */
export function refuse(source: ConfigSource, path: string, reason: string): never {
  const line = lineOf(source.text, path);
  throw new ConfigError(`${fileAndLineOf(source, path)}: "${path}" ${reason}`, {
    file: source.file,
    key: path,
    line: line ?? null,
  });
}

/** `file:line` of a setting; only the file if its line is not found. */
export function fileAndLineOf({ text, file }: ConfigSource, path: string): string {
  const line = lineOf(text, path);
  return line === undefined ? file : `${file}:${line}`;
}

/** The line that sets a path, or that begins what is around it. The parser does not tell. */
function lineOf(text: string, path: string): number | undefined {
  let table = "";
  let enclosing: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const header = headerLine.exec(line)?.[1];
    const key = settingLine.exec(line)?.[1];
    if (header !== undefined) table = toDottedKey(header);
    else if (key === undefined) continue;
    const set = [table, toDottedKey(key ?? "")].filter((step) => step !== "").join(".");
    if (set === path || set.startsWith(`${path}.`)) return index + 1;
    if (header === undefined && path.startsWith(`${set}.`)) enclosing = index + 1;
  }
  return enclosing;
}

const keyPart = /"[^"]*"|'[^']*'|[\w-]+/;
const dottedKey = `\\s*((?:${keyPart.source})(?:\\s*\\.\\s*(?:${keyPart.source}))*)\\s*`;
const headerLine = new RegExp(`^\\s*\\[\\[?${dottedKey}\\]`);
const settingLine = new RegExp(`^${dottedKey}=`);

/** A key in the form in which errors write it. */
function toDottedKey(key: string): string {
  const found = key.matchAll(new RegExp(keyPart, "g"));
  return [...found].map(([step]) => step.replaceAll(/^["']|["']$/g, "")).join(".");
}

/** Relative to the configuration file, so that it means the same wherever pond is started. */
export function resolvePath({ file, home }: ConfigSource, path: string): string {
  return isAddress(path) ? path : resolve(dirname(file), expandHome(path, home));
}

/** The scheme of an address that no storage has: `ftp` of `ftp://host`. */
export function unsupportedScheme(storage: string): string | undefined {
  return isAddress(storage) ? /^(?!(?:s3|az|gs|file):)[^:]+/i.exec(storage)?.[0] : undefined;
}

/**
 * The kind of address that a storage without its two slashes is meant to be: `s3` of `s3:/bucket`.
 * As a folder it would be made on this disk, and the bucket left empty.
 */
export function intendedScheme(storage: string): string | undefined {
  return isAddress(storage) ? undefined : /^(s3|az|gs|file):/i.exec(storage)?.[1];
}

/** Another user's home folder, which a shell knows and pond does not: `~bob` of `~bob/pond`. */
export function otherUsersHome(storage: string): string | undefined {
  return /^~[^/]+/.exec(storage)?.[0];
}

/**
 * A storage as `--storage` and POND_STORAGE name it, made absolute so that it means the same
 * wherever pond is started.
 */
export function absoluteStorage(storage: string, home: string): string {
  return isAddress(storage) ? storage : resolve(expandHome(storage, home));
}

export const namespaceRule = 'up to 64 of a-z, 0-9, "-" and "_", a letter or digit first';

/** True for a name that can be one step of a path, even where case is ignored. */
export function isNamespace(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);
}

/** True for an object store's address rather than a folder. */
export function isAddress(storage: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(storage);
}
