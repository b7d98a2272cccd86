import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSystemError } from "@pond/canonical/adapter";
import {
  counterpartOf,
  idInName,
  isLogName,
  logAt,
  logSuffix,
  type Root,
  stemOf,
} from "./layout.ts";

/** True for the path of a log, false for the id of a session. */
export function isPath(origin: string): boolean {
  return origin.endsWith(logSuffix) || /[\\/]/.test(origin);
}

/**
 * The logs in a folder, by the ids that their names may end with, and when names last changed
 * there.
 */
type NamedLogs = {
  readonly changed: bigint | undefined;
  readonly names: ReadonlyMap<string, string>;
};

/** Finds the logs that others name. */
export class LogIndex {
  readonly #root: Root;
  #byId: ReadonlyMap<string, string> | undefined;
  readonly #folders: Map<string, NamedLogs> = new Map();

  constructor(root: Root) {
    this.#root = root;
  }

  /** Forgets the folders, because files may have moved. */
  forget(): void {
    this.#byId = undefined;
  }

  /** The log of an origin. It is looked for by its name, because logs move with their folders. */
  find(file: string, origin: string): string | undefined {
    const beside = dirname(file);
    if (!isPath(origin)) return this.#findInFolders([beside, dirname(beside)], origin);
    const { sessions } = this.#root;
    const name = lastSegment(origin);
    const folder = lastSegment(origin.slice(0, -name.length - 1));
    const places = [join(beside, name), join(sessions, folder, name), join(sessions, name)];
    for (const place of places) {
      const log = this.at(place);
      if (log !== undefined) return log;
    }
    const id = idInName(name);
    return id === undefined ? undefined : this.#findInAllProjects(id);
  }

  /** The log that is said to be at a path; it may have moved to the archive since, or back. */
  at(path: string): string | undefined {
    const other = counterpartOf(path, this.#root);
    return logAt(path, this.#root) ?? (other === undefined ? undefined : logAt(other, this.#root));
  }

  #findInFolders(folders: readonly string[], id: string): string | undefined {
    for (const place of folders) {
      for (const folder of [place, counterpartOf(place, this.#root) ?? []].flat()) {
        const name = this.#namesById(folder).get(id);
        if (name !== undefined) return join(folder, name);
      }
    }
    return this.#findInAllProjects(id);
  }

  /** Names of logs by the ids that they may end with; the folder is read again once it changed. */
  #namesById(folder: string): ReadonlyMap<string, string> {
    const changed = changeTimeOf(folder);
    const known = this.#folders.get(folder);
    if (known !== undefined && known.changed === changed) return known.names;
    const names = new Map<string, string>();
    for (const name of namesIn(folder)) {
      if (!isLogName(name, this.#root)) continue;
      // An id may contain underscores, too.
      for (const end of idCandidates(stemOf(name))) if (!names.has(end)) names.set(end, name);
    }
    this.#folders.set(folder, { changed, names });
    return names;
  }

  /** A fork may be in the folder of another project than the session it was cut from. */
  #findInAllProjects(id: string): string | undefined {
    this.#byId ??= this.#indexAllProjects();
    return this.#byId.get(id);
  }

  #indexAllProjects(): ReadonlyMap<string, string> {
    const { sessions, counterpart } = this.#root;
    const found = new Map<string, string>();
    // A session folder of the user's own may be above anything.
    if (basename(sessions) !== "sessions") return found;
    for (const tree of [sessions, counterpart ?? []].flat()) {
      for (const folder of foldersIn(tree)) {
        for (const name of namesIn(folder)) {
          const id = isLogName(name, this.#root) ? idInName(name) : undefined;
          if (id !== undefined && !found.has(id)) found.set(id, join(folder, name));
        }
      }
    }
    return found;
  }
}

/** What follows each underscore. */
function* idCandidates(stem: string): Generator<string> {
  for (let at = stem.indexOf("_"); at >= 0; at = stem.indexOf("_", at + 1)) {
    yield stem.slice(at + 1);
  }
}

/** The name at the end of a path of any system; empty if it would lead elsewhere. */
export function lastSegment(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  // It comes from the file, and must not lead out of the folder in which it is looked for.
  return name === "." || name === ".." || name.includes("\0") ? "" : name;
}

/** When a name in a folder was last added or removed; undefined if that cannot be seen. */
function changeTimeOf(folder: string): bigint | undefined {
  try {
    return statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function foldersIn(tree: string): readonly string[] {
  return listed(() =>
    readdirSync(tree, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(tree, entry.name)] : [],
    ),
  );
}

function namesIn(folder: string): readonly string[] {
  return listed(() => readdirSync(folder));
}

/** Names in order; none for a folder that cannot be read. */
function listed(read: () => string[]): readonly string[] {
  try {
    return read().sort();
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
