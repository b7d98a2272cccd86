import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import {
  type FolderEntry,
  folderEntries,
  isDecodedName,
  leadsOutsideReason,
  notUtf8Reason,
  toPosixPath,
} from "@pond/canonical/adapter";
import { fault } from "./faults.ts";
import { isFileOrLink, isLinkOut, targetOf } from "./links.ts";
import { origin } from "./origin.ts";
import { looksExported } from "./stores/export-file.ts";
import type { Home } from "./stores/home.ts";
import { treeSession } from "./stores/tree-layout.ts";

/** The root for a path given by a user. */
export type Root = {
  readonly folder: string;
  /** Only this one, if a file was named: a session of a tree, an export, or a database. */
  readonly only?: string;
  /** True if the folder of the sessions was named rather than the client's. */
  readonly isTree?: boolean;
};

/** @throws if there is nothing at the path. */
export function rootOf(path: string): Root {
  const absolute = resolve(path);
  if (statSync(absolute).isDirectory()) {
    const isStorage = basename(absolute) === "storage" && existsSync(join(absolute, "session"));
    return isStorage ? { folder: dirname(absolute), isTree: true } : { folder: absolute };
  }
  const steps = absolute.split(sep);
  for (let end = steps.length - 1; end > 0; end--) {
    const folder = steps.slice(0, end).join(sep) || sep;
    const below = toPosixPath(relative(folder, absolute));
    if (treeSession(below)) return { folder, only: below };
  }
  return { folder: dirname(absolute), only: basename(absolute) };
}

/** A folder of the client, or one exported session; paths are relative to the root. */
export type Found = { readonly kind: "home"; readonly home: Home } | ExportFile;
type ExportFile = { readonly kind: "export"; readonly path: string };

/** Everything below the root that holds sessions, and faults for what cannot be looked at. */
export function* discover({ folder, only, isTree }: Root): Generator<Found | FaultEvent> {
  if (only === undefined && !isTree) {
    yield* walk(folder, "");
    return;
  }
  if (only !== undefined && isDatabase(only)) {
    yield { kind: "home", home: { folder, prefix: "", databases: [only], hasTree: false } };
  } else if (only === undefined || treeSession(only)) {
    yield { kind: "home", home: { folder, prefix: "", databases: [], hasTree: true } };
  } else yield { kind: "export", path: only };
}

function* walk(root: string, path: string): Generator<Found | FaultEvent> {
  const folder = join(root, path);
  const entries = yield* folderEntries(origin, folder);
  const prefix = path === "" ? "" : `${path}/`;
  const home = homeOf(folder, prefix, entries);
  if (home) yield { kind: "home", home };
  for (const entry of entries) {
    const below = `${prefix}${entry.name}`;
    // Other files in the client's own folder are its settings and keys.
    const isSearched = !home || exportFolders.includes(entry.name);
    if (isSearched && isUndecoded(folder, entry))
      yield fault(join(folder, entry.name), notUtf8Reason);
    else if (entry.isDirectory() && isSearched && !skipped.includes(entry.name))
      yield* walk(root, below);
    else if (entry.isFile() && isExport(join(folder, entry.name), entry.name, home !== undefined)) {
      yield { kind: "export", path: below };
    } else if (isClientLink(folder, entry, home !== undefined)) {
      const path = join(folder, entry.name);
      if (isLinkOut(path, root)) yield fault(path, leadsOutsideReason);
    }
  }
}

/** True for a folder or a possible export whose name finds nothing. */
function isUndecoded(folder: string, entry: FolderEntry): boolean {
  const isRead = entry.isDirectory() || entry.name.endsWith(".json");
  return isRead && !isDecodedName(entry.name, join(folder, entry.name));
}

/** True for a link in the place of something of the client's that is not a database. */
function isClientLink(folder: string, entry: FolderEntry, isInHome: boolean): boolean {
  const { name } = entry;
  if (!entry.isSymbolicLink() || skipped.includes(name)) return false;
  const isFile = isFileOrLink(folder, entry);
  if (isFile && isDatabase(name)) return false;
  return isInHome ? clientNames.test(name) : !isFile || name.endsWith(".json");
}

const clientNames = /^(?:pond|exports|storage|project|ses_.*\.json|.*opencode.*\.(?:db|sqlite))$/;

/** Folders of exports in the client's own folder. */
const exportFolders: readonly string[] = ["pond", "exports"];
const skipped: readonly string[] = ["node_modules", ".git"];

function homeOf(folder: string, prefix: string, entries: readonly FolderEntry[]): Home | undefined {
  const databases = entries
    .filter(({ name }) => isDatabase(name) && name.includes("opencode"))
    .filter((entry) => isFileOrLink(folder, entry))
    .map(({ name }) => name)
    .sort(byRank);
  const names = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
  const hasTree =
    (names.has("storage") && existsSync(join(folder, "storage", "session"))) ||
    (names.has("project") && hasOldTree(join(folder, "project")));
  if (!hasTree && databases.length === 0) return undefined;
  // One database may have two names.
  const byTarget = new Map(
    databases.toReversed().map((name) => [targetOf(join(folder, name)), name]),
  );
  const unique = databases.filter((name) => byTarget.get(targetOf(join(folder, name))) === name);
  return { folder, prefix, databases: unique, hasTree };
}

function hasOldTree(folder: string): boolean {
  return readdirSync(folder).some((name) => existsSync(join(folder, name, "storage", "session")));
}

/** The database of releases first; that of the 2.0 betas, which was imported into it, last. */
function byRank(left: string, right: string): number {
  const rank = (name: string) => (name === "opencode.db" ? 0 : name === "opencode-next.db" ? 2 : 1);
  return rank(left) - rank(right) || (left < right ? -1 : 1);
}

function isDatabase(name: string): boolean {
  return /\.(?:db|sqlite)$/.test(name);
}

function isExport(file: string, name: string, isInHome: boolean): boolean {
  if (!name.endsWith(".json")) return false;
  return name.startsWith("ses_") || (!isInHome && looksExported(file));
}
