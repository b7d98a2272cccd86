import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type Environment, toPosixPath } from "@pond/canonical/adapter";

/**
 * Where the client keeps its files on this machine: `$CLAUDE_CONFIG_DIR`, else `~/.claude`, and
 * `~/.config/claude`, which some builds used, if it exists.
 */
export function claudeCodeHomes({ home, env }: Environment): readonly string[] {
  const configured = env["CLAUDE_CONFIG_DIR"];
  const first = (configured || join(home, ".claude")).normalize("NFC");
  const second = join(home, ".config", "claude");
  return first !== second && existsSync(second) ? [first, second] : [first];
}

/**
 * The folder name that the client derives from a working directory. Lossy, so it is never decoded.
 * Computed by UTF-16 code unit, as the client does: a character outside the BMP becomes two dashes.
 */
export function projectSlug(cwd: string): string {
  const path = withoutTrailingSeparators(cwd).normalize("NFC");
  const slug = path.replace(/[^A-Za-z0-9]/g, "-");
  if (slug.length <= maxSlugLength) return slug;
  let hash = 0;
  for (let at = 0; at < path.length; at++) hash = (hash * 31 + path.charCodeAt(at)) | 0;
  return `${slug.slice(0, maxSlugLength)}-${Math.abs(hash).toString(36)}`;
}

const maxSlugLength = 200;

/** True for the folder of a directory. If the name is long, builds differ in its ending. */
export function isSlugOf(folder: string, directory: string): boolean {
  const slug = projectSlug(directory);
  if (slug.length <= maxSlugLength) return folder === slug;
  return folder.startsWith(slug.slice(0, maxSlugLength + 1));
}

/** In the system's form of a directory, where `/` and `D:\` are such names. */
function withoutTrailingSeparators(path: string): string {
  const hasDrive = /^[A-Za-z]:/.test(path);
  const rootLength = hasDrive ? 3 : 1;
  let end = path.length;
  while (end > rootLength && (path[end - 1] === "/" || (hasDrive && path[end - 1] === "\\"))) end--;
  return path.slice(0, end);
}

/**
 * False for a folder that the client did not derive from a working directory, such as one of a
 * backup: the beginning of an absolute path becomes a dash, or a drive and two dashes.
 */
export function canBeSlug(folder: string, project: string): boolean {
  return slugStart.test(folder) || folder === projectSlug(project);
}

const slugStart = /^(?:-|[A-Za-z]--)/;

/** The folder that serves as `projects`, and which part of it is read. */
export type Root = {
  readonly projects: string;
  /** Only this project folder, if a part of a home was named. */
  readonly slug?: string;
  /** Only this session and what belongs to it, if one file was named. */
  readonly key?: string;
};

/** The root for a path given by a user. `isFolder` and `names` describe what is there. */
export function rootOf(path: string, isFolder: boolean, names: readonly string[]): Root {
  const absolute = resolve(path);
  if (!isFolder) return fileRoot(absolute);
  // A home may have no sessions yet, and its other files are not sessions.
  if (isHomeByName(absolute, names) || homeMarks.some((mark) => names.includes(mark))) {
    return { projects: join(absolute, "projects") };
  }
  const isProject = names.some((name) => name.endsWith(sessionSuffix));
  return isProject
    ? { projects: dirname(absolute), slug: basename(absolute) }
    : { projects: absolute };
}

/**
 * True if the name shows that it is a home of the client, even if only other tools have put folders
 * there. False for a copy of its projects.
 */
function isHomeByName(path: string, names: readonly string[]): boolean {
  if (names.some((each) => slugStart.test(each) || sessionFile.test(each))) return false;
  const [name, parent] = [basename(path), basename(dirname(path))];
  return name === ".claude" || (name === "claude" && parent === ".config");
}

const sessionFile = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl$/i;
const homeMarks = ["projects", "history.jsonl", "settings.json", "todos", "shell-snapshots"];

function fileRoot(file: string): Root {
  const steps = dirname(file).split(sep);
  const subagents = steps.lastIndexOf(agentsFolder);
  // `<slug>/<session>/subagents/...` for a present-day sub-agent, or without the session for one
  // that somebody moved; `<slug>/` for everything else.
  const isBelow = subagents >= 2 && basename(file).startsWith(agentPrefix);
  const above = slugStart.test(steps[subagents - 1] ?? "") ? subagents : subagents - 1;
  const project = isBelow ? steps.slice(0, above).join(sep) : dirname(file);
  const projects = dirname(project);
  return { projects, key: toPosixPath(relative(projects, file)) };
}

/** What the path of a session's file says. */
export type SessionPath = {
  readonly slug: string;
  /** Below the project folder, without the suffix: the id, except for agents in the old place. */
  readonly name: string;
  /** The main session that a sub-agent belongs to; undefined for a main session. */
  readonly root?: string;
  /**
   * True for a sub-agent whose place does not tell its main session: beside it, where the client
   * put it up to 2.1.0, or in the project's `subagents`.
   */
  readonly isOldAgent: boolean;
};

/** Decodes a key, which is a path below `projects`. @returns undefined if it is not such a path. */
export function sessionPath(key: string): SessionPath | undefined {
  const [slug, ...steps] = key.split("/");
  const last = steps.at(-1);
  if (slug === undefined || last === undefined || last === "") return undefined;
  if ([slug, ...steps].some((step) => step === "" || step === "." || step === "..")) {
    return undefined;
  }
  const name = steps.join("/").replace(/\.jsonl$/, "");
  const [root] = steps;
  if (steps.length > 1 && root !== undefined && root !== agentsFolder) {
    return { slug, name, root, isOldAgent: false };
  }
  return { slug, name, isOldAgent: last.startsWith(agentPrefix) };
}

export const sessionSuffix = ".jsonl";
/** In the folder of a session; in that of a project if somebody moved them. */
export const agentsFolder = "subagents";
export const agentPrefix = "agent-";
export const agentSuffix = ".meta.json";
