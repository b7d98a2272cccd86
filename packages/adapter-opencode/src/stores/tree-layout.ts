import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isGone } from "@pond/canonical/adapter";

/** The folders and files of one session in a JSON tree; all paths are below the client's folder. */
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

/** Where everything of a session stands, from the place of its own file; undefined for others. */
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
    sides: { todo: `storage/todo/${id}.json`, session_diff: `storage/session_diff/${id}.json` },
    project: `storage/project/${project}.json`,
  };
}

/** Every session of the trees in a folder. One that was moved to the newer tree is found there. */
export function listTree(home: string): ReadonlyMap<string, TreeSession> {
  const found = new Map<string, TreeSession>();
  for (const path of sessionPaths(home)) {
    const session = treeSession(path);
    if (session) found.set(session.id, session);
  }
  return found;
}

/** The session of this id; undefined where the trees hold none. */
export function findInTree(home: string, id: string): TreeSession | undefined {
  const paths = sessionFolders(home).map((folder) => `${folder}/${id}.json`);
  const path = paths.findLast((path) => existsSync(join(home, path)));
  return path === undefined ? undefined : treeSession(path);
}

/** Names of the JSON files in a folder, without their suffix, in order; none where it is gone. */
export function jsonNames(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => name.slice(0, -".json".length))
    .sort();
}

/** Names of the folders in a folder, in order; none where it is gone. */
function folderNames(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function* sessionPaths(home: string): Generator<string> {
  for (const folder of sessionFolders(home)) {
    for (const name of jsonNames(join(home, folder))) yield `${folder}/${name}.json`;
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
