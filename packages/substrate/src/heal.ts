import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { StoreLocation } from "./storage.ts";

/** A manifest that could not be read and was set aside. */
export type Healing = { readonly table: string; readonly setAside: string };

const magic = "LANC";

/**
 * Sets aside the newest manifests of a local table that a power cut left torn, so that the newest
 * whole version opens. Nothing is deleted: a broken file gets `.broken` behind its name.
 */
export function healTable(location: StoreLocation, table: string): Healing[] {
  if (location.folder === undefined) return [];
  const folder = join(location.folder, `${table}.lance`, "_versions");
  if (!existsSync(folder)) return [];
  // Names count down from 2^64, so the newest comes first.
  const manifests = readdirSync(folder)
    .filter((name) => name.endsWith(".manifest"))
    .sort((left, right) => (BigInt(left.slice(0, -9)) < BigInt(right.slice(0, -9)) ? -1 : 1));
  const healings: Healing[] = [];
  for (const name of manifests) {
    const path = join(folder, name);
    if (isWhole(path)) break;
    renameSync(path, `${path}.broken`);
    healings.push({ table, setAside: `${path}.broken` });
  }
  const hint = join(folder, "latest_version_hint.json");
  if (healings.length > 0 && existsSync(hint)) renameSync(hint, `${hint}.broken`);
  return healings;
}

/** Every manifest ends with the format's magic; a torn one does not. */
function isWhole(path: string): boolean {
  const { size } = statSync(path);
  if (size < magic.length) return false;
  const file = openSync(path, "r");
  try {
    const tail = Buffer.alloc(magic.length);
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString("latin1") === magic;
  } finally {
    closeSync(file);
  }
}
