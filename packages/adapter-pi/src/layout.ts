import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { toPosixPath } from "@pond/canonical/adapter";
import { derivedHex } from "@pond/canonical/foreign";
import type { Dialect } from "./dialect.ts";

/** Which folders are read, and what part of them. */
export type Root = {
  /** The client's own folder; keys and restored paths are relative to it. */
  readonly home: string;
  /** What serves as `sessions` there; it may be elsewhere. */
  readonly sessions: string;
  /** The same folder of the archive; if `sessions` is the archive's, that of the home. */
  readonly counterpart?: string;
  /** How the names of logs may end, the one that counts first if both are there. */
  readonly suffixes: readonly string[];
  /** True if the home itself was named: then its archive is read, too. */
  readonly isHome?: true;
  /** Only this project folder, if a part of a home was named. */
  readonly folder?: string;
  /** Only this session and what belongs to it, if one file was named. */
  readonly key?: string;
};

/** The root for a path given by a user. `names` are the entries of a folder, absent for a file. */
export function rootOf(
  path: string,
  names: readonly string[] | undefined,
  dialect: Pick<Dialect, "hasArchive">,
): Root {
  const absolute = resolve(path);
  if (names === undefined) return fileRoot(absolute, dialect);
  if (dialect.hasArchive && isArchive(absolute, names)) {
    return folderRoot(join(absolute, "sessions"), dialect);
  }
  if (homeMarks.some((mark) => names.includes(mark))) {
    return { ...folderRoot(join(absolute, "sessions"), dialect, false), isHome: true };
  }
  if (names.includes("agent")) return rootOf(join(absolute, "agent"), ["sessions"], dialect);
  if (isMovedHome(absolute, names)) return rootOf(absolute, ["sessions"], dialect);
  if (isProjectFolder(absolute)) {
    return { ...folderRoot(dirname(absolute), dialect), folder: basename(absolute) };
  }
  return folderRoot(absolute, dialect);
}

/** A folder of sessions, in its home or in the archive there. */
function folderRoot(
  sessions: string,
  { hasArchive }: Pick<Dialect, "hasArchive">,
  isArchived: boolean = basename(dirname(sessions)) === "archive",
): Root {
  const above = dirname(sessions);
  if (!hasArchive) return { home: above, sessions, suffixes: [logSuffix] };
  const suffixes = [logSuffix, archivedSuffix];
  if (basename(sessions) !== "sessions") return { home: above, sessions, suffixes };
  const home = isArchived ? dirname(above) : above;
  const counterpart = join(isArchived ? home : join(home, "archive"), "sessions");
  return { home, sessions, counterpart, suffixes };
}

/** A home may have that name, too. */
function isArchive(path: string, names: readonly string[]): boolean {
  const isHome = ownFiles.some((name) => names.includes(name));
  return basename(path) === "archive" && names.includes("sessions") && !isHome;
}

const ownFiles = ["auth.json", "models.json", "agent.db", "history.db", "blobs"];

// A home may have no sessions yet.
const homeMarks = ["sessions", ...ownFiles];

/**
 * True for a home of omp's that was moved: it has no `agent`, and holds what is usually beside
 * that. The names are common, so a folder of logs may hold them, too.
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

/**
 * The agent's home beside which omp keeps the sessions of a security scan: what they refer to is
 * there. Undefined for any other folder.
 */
export function agentHomeOfScans({ home }: Root): string | undefined {
  const scans = dirname(home);
  return basename(scans) === scansFolder ? join(dirname(scans), "agent") : undefined;
}

/** Holds a folder for each repository that omp scanned. */
export const scansFolder = "security";

function isProjectFolder(path: string): boolean {
  return basename(dirname(path)) === "sessions" || isProjectName(basename(path));
}

/** True for a folder named after a working directory, in the form of any release. */
function isProjectName(name: string): boolean {
  return name.startsWith("-") || hashedName.test(name);
}

const hashedName = /^(?:home|tmp|abs)-.*-([0-9a-f]{64})$/;

/**
 * True if folders deeper than a project's are read, too: in a home, or if the folder of a project
 * there was named. A session folder of the user's own may be above anything.
 */
export function isReadDeep({ isHome, sessions, folder }: Root): boolean {
  if (folder === undefined) return isHome === true;
  return basename(sessions) === "sessions" && isProjectName(folder);
}

function fileRoot(file: string, dialect: Pick<Dialect, "hasArchive">): Root {
  let folder = dirname(file);
  // The file of a sub-agent is in the folder of its session, or deeper.
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    if (isSessionStem(basename(above))) folder = dirname(above);
  }
  const root = folderRoot(isProjectFolder(folder) ? dirname(folder) : folder, dialect);
  const path = `${sessionsPrefix}${toPosixPath(relative(root.sessions, file))}`;
  const isCompressed = dialect.hasArchive && path.endsWith(archivedSuffix);
  if (!isCompressed) return { ...root, key: path };
  return { ...root, key: `${stemOf(path)}${logSuffix}`, suffixes: [archivedSuffix, logSuffix] };
}

/**
 * Where the log of a key is. @returns undefined if nothing is there, or the key would lead
 * elsewhere.
 */
export function fileOf(root: Root, key: string): string | undefined {
  const steps = key.split("/");
  if (steps.some((step) => step === "" || step === "." || step === ".." || step.includes("\0"))) {
    return undefined;
  }
  if (!key.startsWith(sessionsPrefix)) return logAt(join(root.home, ...steps), root);
  const below = steps.slice(1);
  const live = logAt(join(root.sessions, ...below), root);
  if (live !== undefined || !root.isHome || root.counterpart === undefined) return live;
  return logAt(join(root.counterpart, ...below), root);
}

/** The log that is said to be at a path; if it is compressed, its name is longer. */
export function logAt(path: string, { suffixes }: Root): string | undefined {
  const stem = stemOf(path);
  const files = stem === path ? [path] : suffixes.map((suffix) => `${stem}${suffix}`);
  return files.find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** True for the name of a log. */
export function isLogName(name: string, { suffixes }: Root): boolean {
  return suffixes.some((suffix) => name.endsWith(suffix));
}

/** The folder of sessions that a file is in, which may be the archive's. */
export function treeOf(file: string, { sessions, counterpart }: Root): string | undefined {
  return [sessions, counterpart].find((tree) => tree && file.startsWith(`${tree}${sep}`));
}

/** The same place in the archive; for a place there, where it was before. */
export function counterpartOf(path: string, root: Root): string | undefined {
  const { sessions, counterpart } = root;
  const tree = treeOf(path, root);
  if (tree === undefined || counterpart === undefined) return undefined;
  return join(tree === sessions ? counterpart : sessions, relative(tree, path));
}

/** The name that the clients give a session's file, without suffix: its time, `_` and its id. */
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

/** The time in the name of a session's file, in the form of its header: a name holds no `:`. */
export function timeInName(name: string): string | undefined {
  const [, hour, minute, second, rest] = timePattern.exec(name) ?? [];
  return hour && `${hour}:${minute}:${second}.${rest}`;
}

const timePattern = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})-(\d{3}Z)_/;

/** True for a path below `local` in the folder of artifacts, where an agent keeps its own files. */
export function isAgentLocal(path: string): boolean {
  return `/${path}`.includes("/local/");
}

/** The name of a log without its suffix. */
export function stemOf(name: string): string {
  const suffix = [logSuffix, archivedSuffix].find((each) => name.endsWith(each));
  return suffix === undefined ? name : name.slice(0, -suffix.length);
}

/**
 * The folder of a working directory, in the form of both clients if omp has no shorter name. Lossy,
 * so it is never decoded.
 */
export function projectFolder(cwd: string): string {
  const name = encodePath(cwd);
  if (Buffer.byteLength(name) <= maxFolderBytes) return `--${name}--`;
  // The clients would not find such a folder again, but they continue with any file they are given.
  return `--${name.slice(0, 40)}-${derivedHex(cwd).slice(0, 16)}--`;
}

function encodePath(cwd: string): string {
  return cwd
    .toWellFormed()
    .replace(/^[/\\]/, "")
    .replace(/[/\\:\p{Cc}]/gu, "-");
}

/** True if a folder may be named after a directory, in the form of any release. */
export function isFolderOf(name: string, cwd: string): boolean {
  const hashed = hashedName.exec(name)?.[1];
  if (hashed !== undefined) return hashed === hash("sha256", cwd);
  // omp leaves out the user's home. Encoded, the rest is as long as it was.
  const rest = cwd.slice(1 - name.length);
  const isWholeStep = /[/\\]$/.test(cwd.slice(0, -rest.length));
  return name === `--${encodePath(cwd)}--` || (isWholeStep && name === `-${encodePath(rest)}`);
}

/** Names on most file systems end at 255 bytes. */
const maxFolderBytes = 200;

export const logSuffix = ".jsonl";
/** For a log that omp compressed. */
export const archivedSuffix = ".jsonl.gz";
export const sessionsPrefix = "sessions/";
