import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import { fileFault, isDecoded, isGone, notUtf8, reasonOf, slashed } from "@pond/canonical/adapter";
import { findLog } from "./find-log.ts";
import {
  fileOf,
  isAgentsOwn,
  isHomeWithSessions,
  isReadDeep,
  isSessionStem,
  logSuffix,
  type Root,
  sessionsPrefix,
  stemOf,
} from "./layout.ts";
import { headerOf, kindOf } from "./log-start.ts";

/** A file that belongs to a session and is none itself. */
export type SidecarFile = {
  readonly file: string;
  /** Below the folder of the session's artifacts. */
  readonly path: string;
};

/** The files of one session. */
export type SessionFiles = {
  readonly kind: "files";
  /** Path below the client's home. */
  readonly key: string;
  readonly file: string;
  readonly sidecars: readonly SidecarFile[];
  /** Set for a sub-agent: whose folder it lies in. */
  readonly owner?: Owner;
};

/** The session in whose folder of artifacts a file lies. */
export type Owner = {
  /** That folder, named as the log of the session beside it. */
  readonly folder: string;
  /** Path of the file in it. */
  readonly path: string;
};

type Found = SessionFiles | FaultEvent;

/** Finds the sessions of one client's folder. */
export class Discovery {
  readonly #root: Root;
  readonly #origin: string;

  constructor(root: Root, origin: string) {
    this.#root = root;
    this.#origin = origin;
  }

  /** Every session, with its files; faults for what stands in a session's place. */
  *all(): Generator<Found> {
    const { home, sessions, folder, key, isHome } = this.#root;
    if (key !== undefined) return yield* this.#one(key);
    const at = { folder: join(sessions, folder ?? ""), prefix: sessionsPrefix };
    if (folder !== undefined) {
      return yield* this.#folder({ ...at, prefix: `${sessionsPrefix}${folder}/`, depth: 1 });
    }
    yield* this.#folder({ ...at, depth: 0 });
    // One release of pi wrote its sessions beside the folder for them.
    for (const entry of isHome ? yield* this.#list(home, ({ name }) => isLogName(name)) : []) {
      if (!entry.isFile()) continue;
      yield { kind: "files", key: entry.name, file: join(home, entry.name), sidecars: [] };
    }
  }

  /** The files of one session; undefined where its log is gone. */
  filesOf(key: string): SessionFiles | undefined {
    const file = fileOf(this.#root, key);
    if (file === undefined || !key.endsWith(logSuffix)) return undefined;
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    const owner = this.#ownerOf(file);
    if (owner) return { kind: "files", key, file, sidecars: [], owner };
    const side = file.slice(0, -logSuffix.length);
    const sidecars = existsSync(side) ? drain(this.#side(side, "")).sidecars : [];
    return { kind: "files", key, file, sidecars };
  }

  *#one(key: string): Generator<Found> {
    const files = this.filesOf(key);
    if (files === undefined) return;
    yield files;
    if (files.owner) return;
    const side = files.file.slice(0, -logSuffix.length);
    if (existsSync(side)) yield* (yield* this.#side(side, stemOf(key))).agents;
  }

  /**
   * The sessions of one folder, sorted by name, each with those below it. Folders deeper than that of
   * a project are made by others, who keep their own files there, too: what is no session for certain
   * is not told of.
   */
  *#folder(at: Place & { readonly depth: number }): Generator<Found> {
    const isOthers = at.depth > 1;
    const entries = isOthers ? drain(this.#list(at.folder)) : yield* this.#list(at.folder);
    const isOpen = at.depth === 0 || (isReadDeep(this.#root) && !isClosed(at.folder, entries));
    if (isOthers && !isOpen) return;
    const sides = new Set(entries.filter(isFolder).map(({ name }) => name));
    for (const { name } of entries.filter(isFile)) {
      if (!name.endsWith(logSuffix) || stemOf(name) === "") continue;
      const file = join(at.folder, name);
      if (isOthers && kindOf(file) !== "log") continue;
      const stem = stemOf(name);
      const hasSide = sides.delete(stem);
      const side = hasSide
        ? yield* this.#side(join(at.folder, stem), `${at.prefix}${stem}`)
        : { sidecars: [], agents: [] };
      yield { kind: "files", key: `${at.prefix}${name}`, file, sidecars: side.sidecars };
      yield* side.agents;
    }
    for (const name of sides) {
      const below = { folder: join(at.folder, name), prefix: `${at.prefix}${name}` };
      if (name.endsWith(logSuffix) && !isOthers) {
        yield this.#fault(below.folder, "a folder, not a file");
      } else if (isSessionStem(name)) yield* this.#agentsLeft(below, isOthers);
      else if (isOpen) {
        yield* this.#folder({ ...below, prefix: `${below.prefix}/`, depth: at.depth + 1 });
      }
    }
  }

  /** A session may be gone and its agents left; others name folders so, too. */
  *#agentsLeft({ folder, prefix }: Place, isOthers: boolean): Generator<Found> {
    if (!isOthers) return yield* (yield* this.#side(folder, prefix)).agents;
    const { agents } = drain(this.#side(folder, prefix));
    yield* agents.filter(({ file }) => kindOf(file) === "log");
  }

  /** Everything in the folder of one session's artifacts: its agents, and the files beside them. */
  *#side(side: string, prefix: string): Generator<FaultEvent, Side> {
    const agents: SessionFiles[] = [];
    const sidecars: SidecarFile[] = [];
    const source = this.#sourceOf(side);
    const open = [""];
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      for (const entry of yield* this.#list(join(side, path))) {
        const below = `${path}${entry.name}`;
        const file = join(side, below);
        if (entry.isDirectory()) open.push(`${below}/`);
        else if (isLog(file, below) && !(source && isCopy(file, join(source, below)))) {
          const owner = { folder: side, path: below };
          agents.push({ kind: "files", key: `${prefix}/${below}`, file, sidecars: [], owner });
        } else if (path !== "" || !isPassing(entry.name)) sidecars.push({ file, path: below });
      }
    }
    return { agents, sidecars };
  }

  /** The folder of artifacts that a fork copied into its own; undefined for any other session. */
  #sourceOf(side: string): string | undefined {
    const file = `${side}${logSuffix}`;
    const header = headerOf(file);
    const origin = header?.["parentSession"] ?? header?.["branchedFrom"];
    if (typeof origin !== "string" || origin === "") return undefined;
    const log = findLog(file, origin, this.#root);
    return log === undefined || log === file ? undefined : stemOf(log);
  }

  /** Whose folder a file lies in: the outermost that is named as a session's. */
  #ownerOf(file: string): Owner | undefined {
    let owner: Owner | undefined;
    const stop = this.#root.sessions;
    for (let folder = dirname(file); folder.startsWith(`${stop}${sep}`); folder = dirname(folder)) {
      const isSide = isSessionStem(folder.slice(folder.lastIndexOf(sep) + 1));
      if (!isSide && !existsSync(`${folder}${logSuffix}`)) continue;
      owner = { folder, path: slashed(file.slice(folder.length + 1)) };
    }
    return owner;
  }

  /**
   * The entries of a folder by name, without what must not be followed or opened.
   *
   * @param isOurs - What else is kept there is none of a reader's business.
   */
  *#list(
    folder: string,
    isOurs: (entry: Dirent) => boolean = () => true,
  ): Generator<FaultEvent, Dirent[]> {
    let entries: Dirent[];
    try {
      const all = readdirSync(folder, { withFileTypes: true });
      entries = all.filter(isOurs);
    } catch (error) {
      if (!isGone(error)) yield this.#fault(folder, reasonOf(error), error);
      return [];
    }
    const taken: Dirent[] = [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (!isDecoded(entry.name, path)) yield this.#fault(path, notUtf8);
      else if (isFolder(entry) || isFile(entry)) taken.push(entry);
      else if (!entry.isSymbolicLink()) yield this.#fault(path, "neither a file nor a folder");
      else if (!this.#isInside(path)) {
        yield this.#fault(path, "a symbolic link out of the folder, not followed");
      }
    }
    return taken.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** True for a link whose target is read where it stands. */
  #isInside(link: string): boolean {
    try {
      return realpathSync(link).startsWith(`${realpathSync(this.#root.sessions)}${sep}`);
    } catch {
      return false;
    }
  }

  #fault(uri: string, reason: string, cause?: unknown): FaultEvent {
    return fileFault(this.#origin, uri, reason, cause);
  }
}

function isLogName(name: string): boolean {
  return name.endsWith(logSuffix) && isSessionStem(name);
}

/** True for a folder that is hidden, of packages, or another home: the sessions below are not ours. */
function isClosed(folder: string, entries: readonly Dirent[]): boolean {
  const name = basename(folder);
  if (name.startsWith(".") || name === "node_modules") return true;
  return isHomeWithSessions(entries.map((entry) => entry.name));
}

type Place = { readonly folder: string; readonly prefix: string };
type Side = { readonly agents: readonly SessionFiles[]; readonly sidecars: readonly SidecarFile[] };

/** True for a file of the folder of artifacts that is the log of a sub-agent. */
function isLog(file: string, below: string): boolean {
  return below.endsWith(logSuffix) && !isAgentsOwn(below) && kindOf(file) !== "other";
}

/** True for a copy of the other log: an agent's session is the one that it began as. */
function isCopy(log: string, other: string): boolean {
  const id = headerOf(other)?.["id"];
  return id !== undefined && id === headerOf(log)?.["id"];
}

/**
 * What the clients keep for a moment beside the artifacts: input not sent yet, files half written
 * or replaced.
 */
function isPassing(name: string): boolean {
  return (
    name === "draft.txt" ||
    name === ".draft-only-session" ||
    /\.(?:tmp|bak)(?:-[\w-]+)?$/.test(name)
  );
}

function drain<T>(generator: Generator<unknown, T>): T {
  for (;;) {
    const step = generator.next();
    if (step.done) return step.value;
  }
}

const isFolder = (entry: Dirent): boolean => entry.isDirectory();
const isFile = (entry: Dirent): boolean => entry.isFile();
