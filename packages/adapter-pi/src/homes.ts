import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Environment } from "@pond/canonical/adapter";
import { customFilesFolder, customSessionFiles, type OmpFolders } from "./custom-session-files.ts";
import { foldersIn, isForbidden } from "./folders.ts";
import { scansFolder } from "./layout.ts";
import { expandHome, sessionDirs } from "./session-dir.ts";

/**
 * Where pi keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; and the
 * session folders that the environment or the client's settings name.
 */
export function piHomes({ home, env }: Environment): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  // Both clients use this variable.
  const agent = named && !isOmpFolder(named) ? expandHome(named, home) : join(home, ".pi", "agent");
  return [agent, ...sessionDirs(agent, { home, env })];
}

/**
 * Where omp keeps its files on this machine: the homes of its agents, the current one first; where
 * it keeps the sessions of security scans; and each log that it was told to keep elsewhere. Folders
 * that may not be read are included: whoever reads them reports it.
 */
export function ompHomes(environment: Environment): readonly string[] {
  const folders = foldersOf(environment);
  const { agents, roots, scans } = folders;
  const closed = [
    ...roots.flatMap((root) => [join(root, "profiles"), join(root, scansFolder)]),
    ...[...agents, ...roots].map((folder) => join(folder, customFilesFolder)),
  ].filter(isForbidden);
  return [...new Set([...agents, ...scans, ...customSessionFiles(folders), ...closed])];
}

/** Each log that omp was told to keep elsewhere. */
export function ompCustomSessionFiles(environment: Environment): readonly string[] {
  return customSessionFiles(foldersOf(environment));
}

function foldersOf(environment: Environment): OmpFolders {
  const state = environment.env["XDG_STATE_HOME"];
  const bases = [configOf(environment), ...(state ? [join(state, "omp")] : [])];
  const roots = bases.flatMap((base) => [base, ...foldersIn(join(base, "profiles"))]);
  return { agents: ompAgents(environment), roots, scans: roots.flatMap(scansIn) };
}

/**
 * The homes of omp's agents: that of the profile, else `$PI_CODING_AGENT_DIR`, else
 * `$XDG_DATA_HOME/omp` if the user moved them there, else `~/.omp/agent`; then those of all
 * profiles.
 */
export function ompAgents({ home, env }: Environment): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  const own = named && isOmpFolder(named) ? [expandHome(named, home)] : [];
  const profile = profileIn(env);
  if (profile === undefined && own.length > 0) return own;
  const config = configOf({ home, env });
  const data = env["XDG_DATA_HOME"];
  const moved = data ? [join(data, "omp")].filter((folder) => existsSync(folder)) : [];
  const profiles = join(config, "profiles");
  const movedProfiles = moved.flatMap((folder) => foldersIn(join(folder, "profiles")));
  const isCurrent = (folder: string): boolean => basename(folder) === profile;
  const all = [
    ...movedProfiles.filter(isCurrent),
    ...(profile === undefined ? [] : [join(profiles, profile, "agent")]),
    ...own,
    ...moved,
    join(config, "agent"),
    ...foldersIn(profiles).map((folder) => join(folder, "agent")),
    ...movedProfiles,
  ];
  return [...new Set(all)];
}

function configOf({ home, env }: Environment): string {
  return join(home, env["PI_CONFIG_DIR"] || ".omp");
}

/**
 * A security scan is a session that omp does not keep with its others: each repository's scans are
 * in a folder of their own.
 */
function scansIn(root: string): readonly string[] {
  const repositories = foldersIn(join(root, scansFolder));
  return repositories.filter((folder) => existsSync(join(folder, "sessions")));
}

/** The profile that omp uses, if it is not the default one. */
function profileIn(env: Environment["env"]): string | undefined {
  const profile = (env["OMP_PROFILE"] ?? env["PI_PROFILE"])?.trim();
  const isNamed = profile !== undefined && profile !== "default" && profileName.test(profile);
  return isNamed ? profile : undefined;
}

/** omp accepts no other names. */
const profileName = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/;

/** A folder that both clients may be told to use is omp's if omp has left its traces there. */
function isOmpFolder(folder: string): boolean {
  const traces = ["agent.db", "history.db", "models.db", "blobs", "terminal-sessions"];
  return folder.includes(".omp") || traces.some((name) => existsSync(join(folder, name)));
}
