import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type FaultEvent, isJsonObject } from "@pond/canonical";
import { isGone, isSystemError, leadsOutsideReason, reasonOf } from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { isFileOrLink, isLinkOut } from "../links.ts";
import { NotJson, readJsonObject } from "./json-file.ts";

/**
 * The folders and files of one session in a JSON tree; all paths are relative to the client's
 * folder.
 */
export type TreeSession = {
  readonly id: string;
  /** The session's own file. */
  readonly path: string;
  readonly messages: string;
  /** The folder of the parts of a message. */
  readonly partsOf: (message: string) => string;
  /** Files beside the log, by name. */
  readonly sides: Readonly<Record<string, string>>;
  /** The file of its project; undefined in the tree of 2025, which had none. */
  readonly project: string | undefined;
};

/**
 * The places of everything in a session, from the place of its own file; undefined for other files.
 */
export function treeSession(path: string): TreeSession | undefined {
  const old = /^(project\/[^/]+\/storage\/session)\/info\/([^/]+)\.json$/.exec(path);
  if (old?.[1] && old[2]) {
    const [, base, id] = old;
    return {
      id,
      path,
      messages: `${base}/message/${id}`,
      partsOf: (message) => `${base}/part/${id}/${message}`,
      sides: {},
      project: undefined,
    };
  }
  const [, project, id] = /^storage\/session\/([^/]+)\/([^/]+)\.json$/.exec(path) ?? [];
  if (project === undefined || id === undefined) return undefined;
  return {
    id,
    path,
    messages: `storage/message/${id}`,
    partsOf: (message) => `storage/part/${message}`,
    sides: { todo: `storage/todo/${id}.json`, ...sidesOfDatabase(id) },
    project: `storage/project/${project}.json`,
  };
}

/** The files beside the log that the client still writes since it has a database. */
export function sidesOfDatabase(id: string): Readonly<Record<string, string>> {
  return { session_diff: `storage/session_diff/${id}.json` };
}

/** Where each session of the trees in a folder has its own file, by its id. */
export type TreePlaces = ReadonlyMap<string, readonly TreeSession[]>;

/**
 * Every session of the trees in a folder, and a fault for each session's place that is not read.
 * What the tree of 2025 had was copied to the newer one and is not reported.
 */
export function listTree(home: string): {
  readonly sessions: ReadonlyMap<string, TreeSession>;
  readonly places: TreePlaces;
  readonly faults: readonly FaultEvent[];
} {
  const sessions = new Map<string, TreeSession>();
  const faults: FaultEvent[] = [];
  const places: TreePlaces = Map.groupBy(treeSessions(home), ({ id }) => id);
  for (const [id, own] of places) {
    const read = newestOf(home, own);
    if (read) sessions.set(id, read);
    for (const { path } of own) {
      if (path === read?.path || path.startsWith("project/")) continue;
      faults.push(fault(join(home, path), `read from ${read?.path} and not from here`));
    }
  }
  return { sessions, places, faults };
}

/** Folders of sessions that are links out of the client's folder. */
export function* linkFaults(home: string): Generator<FaultEvent> {
  for (const parent of ["project", "storage/session"]) {
    for (const { name } of entriesOf(join(home, parent))) {
      const path = join(home, parent, name);
      if (isLinkOut(path, home)) yield fault(path, leadsOutsideReason);
    }
  }
}

/**
 * A fault for each folder of messages whose session is gone, and of parts whose message is. The
 * client removes files and leaves their folders, so an empty one says nothing.
 */
export function* orphanFaults(
  home: string,
  sessions: ReadonlyMap<string, TreeSession>,
): Generator<FaultEvent> {
  // These first, because the client writes a message before its parts.
  const owners = foldersAndLinks(home, "storage/part");
  const messages = new Set<string>();
  let isAllKnown = true;
  for (const id of foldersAndLinks(home, "storage/message")) {
    const { names, unread } = listJsonNames(home, `storage/message/${id}`);
    for (const name of names) messages.add(name);
    isAllKnown &&= unread === undefined;
    // Errors in an existing session are reported when it is read.
    if (sessions.has(id)) continue;
    if (unread) yield unread;
    else if (names.length > 0) {
      yield fault(join(home, "storage/message", id), "messages of a session that is gone");
    }
  }
  // Parts of messages that could not be listed are not orphans.
  for (const id of isAllKnown ? owners : []) {
    if (messages.has(id)) continue;
    const { names, unread } = listJsonNames(home, `storage/part/${id}`);
    if (unread) yield unread;
    else if (names.length > 0) {
      // A revert leaves them like this whenever the session continues from it.
      const left = fault(join(home, "storage/part", id), "parts of a message that is gone");
      yield { ...left, isLeftover: true };
    }
  }
}

type ListedNames = { readonly names: readonly string[]; readonly unread?: FaultEvent };

/** What cannot be listed is a fault of its own, and does not end the listing. */
function listJsonNames(home: string, path: string): ListedNames {
  try {
    return { names: jsonNames(home, path) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { names: [], unread: fault(join(home, path), reasonOf(error)) };
  }
}

/**
 * The session with this id; undefined if the trees hold none.
 *
 * @param listed - Where sessions were when they were listed: searching the folder of each project
 * for each of them costs more than reading them.
 */
export function findInTree(
  home: string,
  id: string,
  listed: TreePlaces | undefined,
): TreeSession | undefined {
  const known = listed?.get(id);
  if (known?.every(({ path }) => existsSync(join(home, path)))) return newestOf(home, known);
  const places = sessionFolders(home)
    .map((folder) => `${folder}/${id}.json`)
    .filter((path) => existsSync(join(home, path)))
    .map(treeSession);
  return newestOf(
    home,
    places.filter((session) => session !== undefined),
  );
}

/**
 * The place where a session was updated last; among equal ones the last, which is the newer tree.
 */
function newestOf(home: string, places: readonly TreeSession[]): TreeSession | undefined {
  if (places.length < 2) return places[0];
  const times = places.map(({ path }) => updatedMs(join(home, path)));
  return places[times.lastIndexOf(Math.max(...times))];
}

/** -1 for a file that cannot be read; reading the session reports it. */
function updatedMs(file: string): number {
  try {
    const { time } = readJsonObject(file).value;
    const updated = isJsonObject(time) ? time["updated"] : undefined;
    return typeof updated === "number" ? updated : 0;
  } catch (error) {
    if (error instanceof NotJson || isSystemError(error)) return -1;
    throw error;
  }
}

/**
 * Names of the JSON files in a folder of the client's, without their suffix, in order; none if the
 * folder is gone. Links are included only if they lead out, so that they can be named: the targets
 * of others are read where they are.
 */
export function jsonNames(home: string, path: string): readonly string[] {
  const folder = join(home, path);
  return entriesOf(folder)
    .filter(({ name }) => name.endsWith(".json"))
    .filter((entry) => entry.isFile() || isLinkOut(join(folder, entry.name), home))
    .map(({ name }) => name.slice(0, -".json".length))
    .sort();
}

/** Names of the folders in a folder of the client's, and of links to folders, in order. */
function foldersAndLinks(home: string, path: string): readonly string[] {
  const folder = join(home, path);
  return entriesOf(folder)
    .filter((entry) => !isFileOrLink(folder, entry))
    .map(({ name }) => name)
    .sort();
}

/** Names of the folders in a folder, in order; none if it is gone. */
function folderNames(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function* treeSessions(home: string): Generator<TreeSession> {
  for (const folder of sessionFolders(home)) {
    for (const name of jsonNames(home, folder)) {
      const session = treeSession(`${folder}/${name}.json`);
      if (session) yield session;
    }
  }
}

/** Folders that hold the sessions of a project each, oldest tree first. */
function sessionFolders(home: string): readonly string[] {
  return [
    ...folderNames(join(home, "project")).map((name) => `project/${name}/storage/session/info`),
    ...folderNames(join(home, "storage/session")).map((name) => `storage/session/${name}`),
  ];
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
