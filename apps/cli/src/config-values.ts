import { dirname, resolve } from "node:path";
import { expandHome } from "./directories.ts";
import { ConfigError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

/** The file that is read, for errors that name the place. */
export type At = { readonly text: string; readonly file: string; readonly home: string };
export type Table = Readonly<Record<string, unknown>>;

export function optional<T>(table: Table, key: string, read: (value: unknown) => T): T | undefined {
  return Object.hasOwn(table, key) ? read(table[key]) : undefined;
}

export function stringAt(at: At, path: string, value: unknown): string {
  return typeof value === "string" && value !== "" ? value : refuse(at, path, "must be a text");
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

/** Says what is wrong with a setting, and never its value: it may be a key pasted by mistake. */
export function refuse(at: At, path: string, reason: string): never {
  const line = lineOf(at.text, path);
  throw new ConfigError(`${placeOf(at, path)}: "${path}" ${reason}`, {
    file: at.file,
    key: path,
    line: line ?? null,
  });
}

/** `file:line` of a setting; the file alone where its line is not found. */
export function placeOf({ text, file }: At, path: string): string {
  const line = lineOf(text, path);
  return line === undefined ? file : `${file}:${line}`;
}

/** The first line that sets the last step of the path, in its own table: the parser does not tell. */
function lineOf(text: string, path: string): number | undefined {
  const steps = path.split(".");
  const lines = text.split("\n");
  const header = headerOf(lines, steps.slice(0, -1));
  const setting = new RegExp(
    `^\\s*(?:"?${step(steps)}"?\\s*=|\\[[^\\]]*\\b"?${step(steps)}"?\\s*\\])`,
  );
  const inTable = lines.findIndex((line, at) => at > header && setting.test(line));
  const at = inTable < 0 ? lines.findIndex((line) => setting.test(line)) : inTable;
  return at < 0 ? undefined : at + 1;
}

/** Where the table of a setting begins; -1 where it has no header of its own. */
function headerOf(lines: readonly string[], table: readonly string[]): number {
  if (table.length === 0) return -1;
  const header = new RegExp(`^\\s*\\[[^\\]]*\\b"?${step(table)}"?\\s*\\]`);
  return lines.findIndex((line) => header.test(line));
}

/** The last step of a path, for a pattern. */
function step(steps: readonly string[]): string {
  return (steps.at(-1) ?? "").replaceAll(/[^\w-]/g, "\\$&");
}

/** Relative to the file it stands in, so that it means the same wherever pond is started. */
export function placeAt({ file, home }: At, path: string): string {
  return isAddress(path) ? path : resolve(dirname(file), expandHome(path, home));
}

/** As `--storage` and POND_STORAGE name one, so that it means the same wherever pond is started. */
export function absoluteStorage(storage: string, home: string): string {
  return isAddress(storage) ? storage : resolve(expandHome(storage, home));
}

export const namespaceForm = 'up to 64 of a-z, 0-9, "-" and "_", a letter or digit first';

/** True for what can be one step of a path, where upper case is not told from lower too. */
export function isNamespace(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);
}

/** True for an object store's address, as against a folder. */
export function isAddress(storage: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(storage);
}
