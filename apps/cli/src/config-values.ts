import { dirname, resolve } from "node:path";
import { expandHome } from "./directories.ts";
import { ConfigError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

/** The configuration file, for errors that name the place. */
export type At = { readonly text: string; readonly file: string; readonly home: string };
export type Table = Readonly<Record<string, unknown>>;

export function optional<T>(table: Table, key: string, read: (value: unknown) => T): T | undefined {
  return Object.hasOwn(table, key) ? read(table[key]) : undefined;
}

export function stringAt(at: At, path: string, value: unknown): string {
  if (typeof value !== "string") return refuse(at, path, "must be a string");
  return value === "" ? refuse(at, path, "is empty") : value;
}

export function booleanAt(at: At, path: string, value: unknown): boolean {
  return typeof value === "boolean" ? value : refuse(at, path, "must be true or false");
}

/** A whole number from one to `most`. */
export function countAt(at: At, path: string, value: unknown, most: number): number {
  const isCount = typeof value === "number" && Number.isInteger(value);
  return isCount && value >= 1 && value <= most
    ? value
    : refuse(at, path, `must be a whole number from 1 to ${most}`);
}

export function tableAt(at: At, path: string, value: unknown): Table {
  return isTable(value) ? value : refuse(at, path, "must be a table");
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function refuseOthers(at: At, table: Table, prefix: string, known: readonly string[]): void {
  const other = Object.keys(table).find((key) => !known.includes(key));
  if (other === undefined) return;
  const meant = nearestTo(other, known);
  const guess = meant === undefined ? "" : `did you mean "${meant}"? `;
  const path = `${prefix}${other}`;
  refuse(at, path, `is not a setting; ${guess}known here: ${known.join(", ")}`);
}

/** Says what is wrong with a setting, but never its value: it may be a key pasted by mistake. */
export function refuse(at: At, path: string, reason: string): never {
  const line = lineOf(at.text, path);
  throw new ConfigError(`${placeOf(at, path)}: "${path}" ${reason}`, {
    file: at.file,
    key: path,
    line: line ?? null,
  });
}

/** `file:line` of a setting; only the file if its line is not found. */
export function placeOf({ text, file }: At, path: string): string {
  const line = lineOf(text, path);
  return line === undefined ? file : `${file}:${line}`;
}

/** The line that sets a path, or that begins what is around it. The parser does not tell. */
function lineOf(text: string, path: string): number | undefined {
  let table = "";
  let around: number | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const header = headerLine.exec(line)?.[1];
    const key = settingLine.exec(line)?.[1];
    if (header !== undefined) table = stepsIn(header);
    else if (key === undefined) continue;
    const set = [table, stepsIn(key ?? "")].filter((step) => step !== "").join(".");
    if (set === path || set.startsWith(`${path}.`)) return index + 1;
    if (header === undefined && path.startsWith(`${set}.`)) around = index + 1;
  }
  return around;
}

const oneStep = /"[^"]*"|'[^']*'|[\w-]+/;
const steps = `\\s*((?:${oneStep.source})(?:\\s*\\.\\s*(?:${oneStep.source}))*)\\s*`;
const headerLine = new RegExp(`^\\s*\\[\\[?${steps}\\]`);
const settingLine = new RegExp(`^${steps}=`);

/** A key in the form in which errors write it. */
function stepsIn(key: string): string {
  const found = key.matchAll(new RegExp(oneStep, "g"));
  return [...found].map(([step]) => step.replaceAll(/^["']|["']$/g, "")).join(".");
}

/** Relative to the configuration file, so that it means the same wherever pond is started. */
export function placeAt({ file, home }: At, path: string): string {
  return isAddress(path) ? path : resolve(dirname(file), expandHome(path, home));
}

/** The scheme of an address that no storage has: `ftp` of `ftp://host`. */
export function unknownKind(storage: string): string | undefined {
  return isAddress(storage) ? /^(?!(?:s3|az|gs|file):)[^:]+/i.exec(storage)?.[0] : undefined;
}

/**
 * The kind of address that a storage without its two slashes is meant to be: `s3` of `s3:/bucket`.
 * As a folder it would be made on this disk, and the bucket left empty.
 */
export function kindMeant(storage: string): string | undefined {
  return isAddress(storage) ? undefined : /^(s3|az|gs|file):/i.exec(storage)?.[1];
}

/** Another user's home folder, which a shell knows and pond does not: `~bob` of `~bob/pond`. */
export function otherHome(storage: string): string | undefined {
  return /^~[^/]+/.exec(storage)?.[0];
}

/**
 * A storage as `--storage` and POND_STORAGE name it, made absolute so that it means the same
 * wherever pond is started.
 */
export function absoluteStorage(storage: string, home: string): string {
  return isAddress(storage) ? storage : resolve(expandHome(storage, home));
}

export const namespaceForm = 'up to 64 of a-z, 0-9, "-" and "_", a letter or digit first';

/** True for a name that can be one step of a path, even where case is ignored. */
export function isNamespace(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);
}

/** True for an object store's address rather than a folder. */
export function isAddress(storage: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(storage);
}
