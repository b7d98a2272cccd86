import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../errors.ts";

/** The settings to write to `config.toml`; those left out stay as they are. */
export type ConfigChange = {
  readonly storage?: string;
  readonly namespace?: string;
  /** By client. */
  readonly enabled: Readonly<Record<string, boolean>>;
};

type Document = Record<string, unknown>;

/**
 * The text of a `config.toml` after a change. Everything else stays, to the byte: comments, order,
 * settings that pond does not know.
 *
 * @param text - Empty if there is no file yet.
 * @throws {ConfigError} if the file is written in a way that cannot be changed like this; it says
 * what to add.
 */
export async function changeConfig(
  text: string,
  change: ConfigChange,
  file: string,
): Promise<string> {
  const { parse } = await import("smol-toml");
  // The parser's tables have no prototype, which would count as a difference to those made here.
  const read = (toml: string): Document => structuredClone(parse(toml, { integersAsBigInt: true }));
  const before = read(text);
  const wanted = expected(before, change);
  if (isDeepStrictEqual(before, wanted)) return text;
  const changed = edit(text, before, change);
  // A dotted key, an inline table or a text of several lines: better no change than a wrong one.
  if (!isSame(read, changed, wanted)) {
    throw new ConfigError(
      `${file}: its settings are written in a way that pond does not change: add this yourself\n${edit("", {}, change).trimEnd()}`,
      { file },
    );
  }
  return changed;
}

function isSame(read: (text: string) => Document, text: string, wanted: Document): boolean {
  try {
    return isDeepStrictEqual(read(text), wanted);
  } catch {
    return false;
  }
}

function expected(before: Document, { storage, namespace, enabled }: ConfigChange): Document {
  const adapters: Document = { ...tableIn(before, "adapters") };
  for (const [name, isEnabled] of Object.entries(enabled)) {
    adapters[name] = { ...tableIn(adapters, name), enabled: isEnabled };
  }
  return {
    ...before,
    ...(storage !== undefined && { storage }),
    ...(namespace !== undefined && { namespace }),
    ...(Object.keys(enabled).length > 0 && { adapters }),
  };
}

function tableIn(table: Document, key: string): Document {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return typeof value === "object" && value !== null ? (value as Document) : {};
}

function edit(text: string, before: Document, change: ConfigChange): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  // With their line ends, which may differ.
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const key of ["storage", "namespace"] as const) {
    const value = change[key];
    if (value !== undefined && before[key] !== value) setAtTop(lines, key, tomlText(value), end);
  }
  const adapters = tableIn(before, "adapters");
  for (const [name, isEnabled] of Object.entries(change.enabled)) {
    if (tableIn(adapters, name)["enabled"] === isEnabled) continue;
    setInTable(lines, name, "enabled", String(isEnabled), end);
  }
  return lines.join("");
}

function setAtTop(lines: string[], key: string, value: string, end: string): void {
  const header = lines.findIndex(isHeader);
  const to = header < 0 ? lines.length : header;
  if (replaceValue(lines, 0, to, key, value)) return;
  const last = lines.slice(0, to).findLastIndex((line) => /^\s*[^#\s[]/.test(line));
  const isFirst = last < 0 && lines.length > 0;
  insert(lines, last + 1, [`${key} = ${value}`, ...(isFirst ? [""] : [])], end);
}

function setInTable(lines: string[], name: string, key: string, value: string, end: string): void {
  const header = new RegExp(`^\\s*\\[\\s*adapters\\s*\\.\\s*["']?${name}["']?\\s*\\]`);
  const start = lines.findIndex((line) => header.test(line));
  if (start < 0) {
    const isFirst = lines.length === 0;
    const table = [...(isFirst ? [] : [""]), `[adapters.${name}]`, `${key} = ${value}`];
    insert(lines, lines.length, table, end);
    return;
  }
  const after = lines.findIndex((line, at) => at > start && isHeader(line));
  const to = after < 0 ? lines.length : after;
  if (!replaceValue(lines, start + 1, to, key, value))
    insert(lines, start + 1, [`${key} = ${value}`], end);
}

/** The line before may be the last one without a line end; it then gets one. */
function insert(lines: string[], at: number, added: readonly string[], end: string): void {
  const before = lines[at - 1];
  if (before !== undefined && !before.endsWith("\n")) lines[at - 1] = `${before}${end}`;
  lines.splice(at, 0, ...added.map((line) => `${line}${end}`));
}

/** What follows the value, usually a comment, stays. */
function replaceValue(
  lines: string[],
  from: number,
  to: number,
  key: string,
  value: string,
): boolean {
  const setting = new RegExp(
    `^(\\s*${key}\\s*=\\s*)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|true|false)([^]*)$`,
  );
  for (let at = from; at < to; at++) {
    const match = setting.exec(lines[at] ?? "");
    if (match === null) continue;
    lines[at] = `${match[1]}${value}${match[3]}`;
    return true;
  }
  return false;
}

function isHeader(line: string): boolean {
  return /^\s*\[/.test(line);
}

/** TOML takes JSON's texts, except for DEL. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
