import { existsSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Environment } from "@pond/canonical/adapter";

/** Where the client keeps its files on this machine: `$CODEX_HOME`, else `~/.codex`. */
export function codexHomes({ home, env }: Environment): readonly string[] {
  return [env["CODEX_HOME"] || join(home, ".codex")];
}

/** A folder of session files, and the beginning of its files' paths in the client's home. */
export type Tree = {
  readonly folder: string;
  readonly path: string;
  /** Only this file, if one was named. */
  readonly only?: string;
};

/** Where session files are, and the client's home if it is known and more of it is wanted. */
export type Place = { readonly trees: readonly Tree[]; readonly home?: string };

/** The place for a path given by a user. `isFolder` and `names` describe what is there. */
export function placeOf(path: string, isFolder: boolean, names: readonly string[]): Place {
  const absolute = resolve(path);
  if (!isFolder) {
    const folder = dirname(absolute);
    return { trees: [{ folder, path: pathInHome(folder).path, only: basename(absolute) }] };
  }
  if (!homeMarks.some((mark) => names.includes(mark))) {
    const { home, path } = pathInHome(absolute);
    return { trees: [{ folder: absolute, path }], ...(home !== undefined && { home }) };
  }
  const trees = sessionFolders.map((name) => ({ folder: join(absolute, name), path: name }));
  return { trees, home: absolute };
}

const archiveFolder = "archived_sessions";
const sessionFolders = ["sessions", archiveFolder];
// A home may have no sessions yet, and its other files are not sessions.
const homeMarks = [...sessionFolders, "config.toml", "auth.json", "history.jsonl"];

/** Where the client has moved a session file: into its archive, or back. */
export function codexMovedTo(home: string, path: string): string | undefined {
  const name = basename(path);
  const time = /^rollout-(\d{4})-(\d{2})-(\d{2})T/.exec(name);
  const dated = time === null ? [] : [`sessions/${time.slice(1).join("/")}/${name}`];
  return [...dated, `${archiveFolder}/${name}`].find((place) => existsSync(join(home, place)));
}

/** True for a file that the client opens only after it was taken out of its archive. */
export function isArchived(path: string): boolean {
  return path.startsWith(`${archiveFolder}/`);
}

/** The place of a folder in the home that it is part of; any other folder stands for `sessions`. */
function pathInHome(folder: string): { readonly home?: string; readonly path: string } {
  const steps = folder.split(sep);
  const root = steps.findLastIndex((step) => sessionFolders.includes(step));
  const below = steps.slice(root + 1);
  const isDated = below.length <= 3 && below.every((step) => /^\d{2}(?:\d{2})?$/.test(step));
  if (root < 0 || !isDated) return { path: "sessions" };
  return { home: steps.slice(0, root).join(sep) || sep, path: steps.slice(root).join("/") };
}

/** What the name of a session file says. */
export type FileName = {
  /**
   * Without the ending that says how it is written: the same for a file and its compressed twin.
   */
  readonly plain: string;
  readonly isCompressed: boolean;
  /** True for the TypeScript client's one JSON document. */
  readonly isDocument: boolean;
  /** The thread that it belongs to, if the name says so. */
  readonly thread?: string;
  /** Set for a later file of the thread, which the client began when the thread was reverted. */
  readonly rollout?: string;
};

/** Decodes a file name. @returns undefined if it is not that of a session file. */
export function fileName(name: string): FileName | undefined {
  const isCompressed = name.endsWith(`${logSuffix}${compressedSuffix}`);
  const plain = isCompressed ? name.slice(0, -compressedSuffix.length) : name;
  const isDocument = documentName.test(plain);
  if (!plain.endsWith(logSuffix) && !isDocument) return undefined;
  const [, thread, rollout] = rolloutName.exec(plain) ?? [];
  return {
    plain,
    isCompressed,
    isDocument,
    ...(thread !== undefined && { thread }),
    ...(rollout !== undefined && { rollout }),
  };
}

/**
 * The path under which the client finds a session file.
 *
 * @param time - When the thread began, as `YYYY-MM-DDTHH:MM:SS...`.
 */
export function rolloutPath(time: string, thread: string): string {
  const [date = "", clock = ""] = time.slice(0, 19).split("T");
  const folder = `sessions/${date.replaceAll("-", "/")}`;
  return `${folder}/rollout-${date}T${clock.replaceAll(":", "-")}-${thread}${logSuffix}`;
}

const logSuffix = ".jsonl";
const compressedSuffix = ".zst";
const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const rolloutName: RegExp = new RegExp(`^rollout-.*?-(${uuid})(?:_(${uuid}))?\\.jsonl?(?:on)?$`);
const documentName = /^rollout-.*\.json$/;
