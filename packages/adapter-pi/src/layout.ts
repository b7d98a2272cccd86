import { basename, dirname, join, relative, resolve } from "node:path";
import { slashed } from "@pond/canonical/adapter";
import { derivedHex } from "@pond/canonical/foreign";

/** Which folders are read, and what of them. */
export type Root = {
  /** The client's own folder; keys and restored paths are relative to it. */
  readonly home: string;
  /** What stands for `sessions` there; it may lie elsewhere. */
  readonly sessions: string;
  /** True where the home was named, and not a part of it. */
  readonly isHome?: true;
  /** Only this project folder, where a part of a home was named. */
  readonly folder?: string;
  /** Only this session and what belongs to it, where one file was named. */
  readonly key?: string;
};

/** What a path given by a user means. `names` are the entries of a folder, absent for a file. */
export function rootOf(path: string, names?: readonly string[]): Root {
  const absolute = resolve(path);
  if (names === undefined) return fileRoot(absolute);
  if (homeMarks.some((mark) => names.includes(mark))) {
    return { home: absolute, sessions: join(absolute, "sessions"), isHome: true };
  }
  if (names.includes("agent")) return rootOf(join(absolute, "agent"), ["sessions"]);
  if (isMovedHome(absolute, names)) return rootOf(absolute, ["sessions"]);
  if (isProjectFolder(absolute)) {
    const sessions = dirname(absolute);
    return { home: dirname(sessions), sessions, folder: basename(absolute) };
  }
  return { home: dirname(absolute), sessions: absolute };
}

const ownFiles = ["auth.json", "models.json", "agent.db", "history.db", "blobs"];

// A home may have no sessions yet.
const homeMarks = ["sessions", ...ownFiles];

/**
 * True for a home of omp's that was moved: it has no `agent`, and holds what else stands beside that.
 * The names are common, so a folder of logs may hold them, too.
 */
function isMovedHome(path: string, names: readonly string[]): boolean {
  const isOmps = basename(path) === "omp" || basename(dirname(path)) === "profiles";
  const isMarked = ["profiles", "plugins", "wt"].some((mark) => names.includes(mark));
  return isOmps && isMarked && !names.some((name) => name.endsWith(logSuffix));
}

/** True for the names in a client's home with sessions; a folder of that name may be anybody's. */
export function isHomeWithSessions(names: readonly string[]): boolean {
  const others = [...ownFiles, "settings.json"];
  return names.includes("sessions") && others.some((name) => names.includes(name));
}

function isProjectFolder(path: string): boolean {
  return basename(dirname(path)) === "sessions" || isProjectName(basename(path));
}

/** True for a folder named after a working directory, as each release did it. */
function isProjectName(name: string): boolean {
  return name.startsWith("-") || /^(?:home|tmp|abs)-.*-[0-9a-f]{64}$/.test(name);
}

/**
 * True where folders deeper than that of a project are read, too: in a home, or where the folder of
 * a project there was named. A session folder of the user's own may stand above anything.
 */
export function isReadDeep({ isHome, sessions, folder }: Root): boolean {
  if (folder === undefined) return isHome === true;
  return basename(sessions) === "sessions" && isProjectName(folder);
}

function fileRoot(file: string): Root {
  let folder = dirname(file);
  // The file of a sub-agent lies in the folder of its session, or deeper.
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    if (isSessionStem(basename(above))) folder = dirname(above);
  }
  const isInProject = isProjectFolder(folder);
  const sessions = isInProject ? dirname(folder) : folder;
  const key = `${sessionsPrefix}${slashed(relative(sessions, file))}`;
  return { home: dirname(sessions), sessions, key };
}

/** Where the file of a key lies. @returns undefined where the key would lead elsewhere. */
export function fileOf({ home, sessions }: Root, key: string): string | undefined {
  const steps = key.split("/");
  if (steps.some((step) => step === "" || step === "." || step === ".." || step.includes("\0"))) {
    return undefined;
  }
  return key.startsWith(sessionsPrefix) ? join(sessions, ...steps.slice(1)) : join(home, ...steps);
}

/** The name the clients give a session's file, without suffix: its time, `_` and its id. */
export function isSessionStem(name: string): boolean {
  return stemPattern.test(name);
}

const stemPattern = /^\d{4}-\d{2}-\d{2}T[\d-]+Z?_/;

/** The id in the name of a session's file or folder: the time has no underscore. */
export function idInName(name: string): string | undefined {
  const stem = stemOf(name);
  const at = stem.indexOf("_");
  return isSessionStem(stem) && at + 1 < stem.length ? stem.slice(at + 1) : undefined;
}

/** True for a path in the folder of artifacts below `local`: there an agent keeps its own files. */
export function isAgentsOwn(path: string): boolean {
  return `/${path}`.includes("/local/");
}

/** The name of a log without its suffix. */
export function stemOf(name: string): string {
  return name.endsWith(logSuffix) ? name.slice(0, -logSuffix.length) : name;
}

/**
 * The folder of a working directory as both clients name it, where omp has no shorter name. Lossy,
 * so it is never decoded.
 */
export function projectFolder(cwd: string): string {
  const name = cwd
    .toWellFormed()
    .replace(/^[/\\]/, "")
    .replace(/[/\\:\p{Cc}]/gu, "-");
  if (Buffer.byteLength(name) <= maxFolderBytes) return `--${name}--`;
  // The clients would not find such a folder again, but they go on with any file they are given.
  return `--${name.slice(0, 40)}-${derivedHex(cwd).slice(0, 16)}--`;
}

/** Names of most file systems end at 255 bytes. */
const maxFolderBytes = 200;

export const logSuffix = ".jsonl";
export const sessionsPrefix = "sessions/";
