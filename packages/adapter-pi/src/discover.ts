import { lstatSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import {
  type FolderEntry,
  fileFault,
  listFolder,
  toPosixPath,
  withoutFaults,
} from "@pond/canonical/adapter";
import { agentLogKind, forkOf } from "./copied-agents.ts";
import {
  counterpartOf,
  fileOf,
  isAgentLocal,
  isHomeWithSessions,
  isLogName,
  isReadDeep,
  isSessionStem,
  logSuffix,
  type Root,
  sessionsPrefix,
  stemOf,
  treeOf,
} from "./layout.ts";
import type { LogIndex } from "./log-index.ts";
import { kindOf } from "./log-start.ts";

/** A file that belongs to a session but is not a session itself. */
export type SidecarFile = {
  readonly file: string;
  /** Its path below the folder of the session's artifacts. */
  readonly path: string;
};

/** The files of one session. */
export type SessionFiles = {
  readonly kind: "files";
  /** Path below the client's home; for a session in the archive, its path before that. */
  readonly key: string;
  readonly file: string;
  readonly sidecars: readonly SidecarFile[];
  /** Set for a sub-agent: whose folder it is in. */
  readonly owner?: Owner;
};

/** The session in whose folder of artifacts a file is. */
export type Owner = {
  /** That folder, which has the name of the log of the session beside it. */
  readonly folder: string;
  /** Path of the file in it. */
  readonly path: string;
};

type Found = SessionFiles | FaultEvent;

/** Finds the sessions of one client's folder. */
export class Discovery {
  readonly #root: Root;
  readonly #logs: LogIndex;
  readonly #origin: string;

  constructor(root: Root, logs: LogIndex, origin: string) {
    this.#root = root;
    this.#logs = logs;
    this.#origin = origin;
  }

  /** Every session with its files, and a fault for anything else in a session's place. */
  *all(): Generator<Found> {
    this.#logs.forget();
    const { home, sessions, counterpart, folder, key, isHome } = this.#root;
    if (key !== undefined) return yield* this.#one(key);
    const at = { folder: join(sessions, folder ?? ""), prefix: sessionsPrefix };
    if (folder !== undefined) {
      return yield* this.#folder({ ...at, prefix: `${sessionsPrefix}${folder}/`, depth: 1 });
    }
    yield* this.#folder({ ...at, depth: 0 });
    if (isHome && counterpart) yield* this.#folder({ ...at, folder: counterpart, depth: 0 });
    // One release of pi wrote its sessions beside the folder for them.
    for (const entry of isHome ? yield* this.#list(home, ({ name }) => isSessionLog(name)) : []) {
      if (!entry.isFile()) continue;
      yield { kind: "files", key: entry.name, file: join(home, entry.name), sidecars: [] };
    }
  }

  /** The files of one session; undefined if its log is gone. */
  filesOf(key: string): SessionFiles | undefined {
    const file = key.endsWith(logSuffix) ? fileOf(this.#root, key) : undefined;
    if (file === undefined) return undefined;
    const owner = this.#ownerOf(file);
    if (owner) return { kind: "files", key, file, sidecars: [], owner };
    return { kind: "files", key, file, sidecars: this.#sidecarsOf(file) };
  }

  *#one(key: string): Generator<Found> {
    const files = this.filesOf(key);
    if (files === undefined) return;
    yield files;
    if (files.owner) return;
    const folder = stemOf(files.file);
    if (isOwnFolder(folder)) yield* (yield* this.#artifactsIn(folder, stemOf(key))).agents;
  }

  /**
   * The sessions of one folder, sorted by name, each followed by those below it. Folders deeper
   * than a project's are made by others, who keep their own files there, too: what is not certainly
   * a session is not reported.
   */
  *#folder(at: Place & { readonly depth: number }): Generator<Found> {
    const isOthers = at.depth > 1;
    const entries = isOthers ? withoutFaults(this.#list(at.folder)) : yield* this.#list(at.folder);
    const isOpen =
      at.depth === 0 || (isReadDeep(this.#root) && !isSkippedFolder(at.folder, entries));
    if (isOthers && !isOpen) return;
    const folders = new Set(entries.filter(isFolder).map(({ name }) => name));
    for (const { name } of entries.filter(isFile)) {
      const stem = stemOf(name);
      const file = join(at.folder, name);
      const key = `${at.prefix}${stem}${logSuffix}`;
      if (!isLogName(name, this.#root) || stem === "" || !this.#isCurrent(key, file)) continue;
      if (isOthers && kindOf(file) !== "log") continue;
      const artifacts = folders.delete(stem)
        ? yield* this.#artifactsIn(join(at.folder, stem), `${at.prefix}${stem}`)
        : { sidecars: this.#sidecarsOf(file), agents: [] };
      yield { kind: "files", key, file, sidecars: artifacts.sidecars };
      yield* artifacts.agents;
    }
    for (const name of folders) {
      const below = { folder: join(at.folder, name), prefix: `${at.prefix}${name}` };
      if (isLogName(name, this.#root) && !isOthers) {
        yield fileFault(this.#origin, below.folder, "a folder, not a file");
      } else if (isSessionStem(name)) yield* this.#orphanedAgents(below, isOthers);
      else if (isOpen) {
        yield* this.#folder({ ...below, prefix: `${below.prefix}/`, depth: at.depth + 1 });
      }
    }
  }

  /** A session may be gone while its agents are left; others use such folder names, too. */
  *#orphanedAgents({ folder, prefix }: Place, isOthers: boolean): Generator<Found> {
    if (!isOthers) return yield* (yield* this.#artifactsIn(folder, prefix)).agents;
    const { agents } = withoutFaults(this.#artifactsIn(folder, prefix));
    yield* agents.filter(({ file }) => kindOf(file) === "log");
  }

  /** Everything in the folder of one session's artifacts: its agents, and the files beside them. */
  *#artifactsIn(folder: string, prefix: string): Generator<FaultEvent, ArtifactFolder> {
    const agents: SessionFiles[] = [];
    const sidecars: SidecarFile[] = [];
    const fork = forkOf(folder, this.#logs);
    const open = [""];
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      for (const entry of yield* this.#list(join(folder, path))) {
        const below = `${path}${entry.name}`;
        const file = join(folder, below);
        if (entry.isDirectory()) open.push(`${below}/`);
        else if (isLog(file, below) && agentLogKind(fork, file, below, this.#logs) !== "copy") {
          const key = `${prefix}/${below}`;
          const owner = { folder, path: below };
          if (!this.#isCurrent(key, file)) continue;
          agents.push({ kind: "files", key, file, sidecars: [], owner });
        } else if (path !== "" || !isTemporary(entry.name)) sidecars.push({ file, path: below });
      }
    }
    return { agents, sidecars };
  }

  /** The files beside a log. An interrupted archiving leaves them where the log was. */
  #sidecarsOf(file: string): readonly SidecarFile[] {
    const beside = stemOf(file);
    const other = this.#root.isHome && counterpartOf(beside, this.#root);
    const own = [beside, other].find((folder) => folder && isOwnFolder(folder));
    return own ? withoutFaults(this.#artifactsIn(own, "")).sidecars : [];
  }

  /** False for a log in the archive if the client continued its session. */
  #isCurrent(key: string, file: string): boolean {
    return fileOf(this.#root, key) === file;
  }

  /** Whose folder a file is in: the outermost one with a session's name. */
  #ownerOf(file: string): Owner | undefined {
    let owner: Owner | undefined;
    const stop = treeOf(file, this.#root);
    for (let folder = dirname(file); folder.startsWith(`${stop}${sep}`); folder = dirname(folder)) {
      const isNamedAsSession = isSessionStem(folder.slice(folder.lastIndexOf(sep) + 1));
      if (!isNamedAsSession && this.#logs.at(`${folder}${logSuffix}`) === undefined) continue;
      owner = { folder, path: toPosixPath(file.slice(folder.length + 1)) };
    }
    return owner;
  }

  /**
   * The files and folders in a folder by name.
   *
   * @param isOurs - False for entries that do not concern the reader.
   */
  #list(
    folder: string,
    isOurs?: (entry: FolderEntry) => boolean,
  ): Generator<FaultEvent, FolderEntry[]> {
    const tree = treeOf(`${folder}${sep}`, this.#root) ?? this.#root.sessions;
    return listFolder(this.#origin, folder, tree, isOurs);
  }
}

/** False for a link to one: the listing reports that, and it may lead to anything. */
function isOwnFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isSessionLog(name: string): boolean {
  return name.endsWith(logSuffix) && isSessionStem(name);
}

/**
 * True for a folder that is hidden, holds packages, or is another home: the sessions below are not
 * ours.
 */
function isSkippedFolder(folder: string, entries: readonly FolderEntry[]): boolean {
  const name = basename(folder);
  if (name.startsWith(".") || name === "node_modules") return true;
  return isHomeWithSessions(entries.map((entry) => entry.name));
}

type Place = { readonly folder: string; readonly prefix: string };
type ArtifactFolder = {
  readonly agents: readonly SessionFiles[];
  readonly sidecars: readonly SidecarFile[];
};

/** True for a file in the folder of artifacts that is the log of a sub-agent. */
function isLog(file: string, below: string): boolean {
  return below.endsWith(logSuffix) && !isAgentLocal(below) && kindOf(file) !== "other";
}

/**
 * What the clients keep temporarily beside the artifacts: input not sent yet, files half written or
 * replaced.
 */
function isTemporary(name: string): boolean {
  return (
    name === "draft.txt" ||
    name === ".draft-only-session" ||
    /\.(?:tmp|bak)(?:-[\w-]+)?$/.test(name)
  );
}

const isFolder = (entry: FolderEntry): boolean => entry.isDirectory();
const isFile = (entry: FolderEntry): boolean => entry.isFile();
