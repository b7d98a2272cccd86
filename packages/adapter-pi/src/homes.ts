import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, isAbsolute, join, sep } from "node:path";
import type { Surroundings } from "@pond/canonical/adapter";
import { logSuffix, scansFolder } from "./layout.ts";
import { expanded, sessionDirs } from "./session-dir.ts";

/**
 * Where pi keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; and the
 * session folders that the environment or the client's settings name.
 */
export function piHomes({ home, env }: Surroundings): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  // Both clients go by this variable.
  const agent = named && !isOmps(named) ? expanded(named, home) : join(home, ".pi", "agent");
  return [agent, ...sessionDirs(agent, { home, env })];
}

/**
 * Where omp keeps its files on this machine: the homes of its agents, the one it uses now first;
 * where it keeps the sessions of security scans; and each log that it was told to keep elsewhere.
 */
export function ompHomes(surroundings: Surroundings): readonly string[] {
  const agents = ompAgents(surroundings);
  const state = surroundings.env["XDG_STATE_HOME"];
  const bases = [configOf(surroundings), ...(state ? [join(state, "omp")] : [])];
  const roots = bases.flatMap((base) => [base, ...foldersIn(join(base, "profiles"))]);
  const scans = roots.flatMap(scansIn);
  const elsewhere = [...agents, ...roots].flatMap(logsElsewhere);
  // The others are read where they lie, or are copies of what somebody else hosts.
  const isBelow = (log: string): boolean => roots.some((root) => log.startsWith(`${root}${sep}`));
  return [...new Set([...agents, ...scans, ...elsewhere.filter((log) => !isBelow(log))])];
}

/**
 * The homes of omp's agents: that of the profile, else `$PI_CODING_AGENT_DIR`, else
 * `$XDG_DATA_HOME/omp` where the user moved them there, else `~/.omp/agent`; then those of all
 * profiles.
 */
export function ompAgents({ home, env }: Surroundings): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  const own = named && isOmps(named) ? [expanded(named, home)] : [];
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

function configOf({ home, env }: Surroundings): string {
  return join(home, env["PI_CONFIG_DIR"] || ".omp");
}

/**
 * A security scan is a session that omp does not keep with its others: each repository's lie in a
 * folder of their own.
 */
function scansIn(root: string): readonly string[] {
  const repositories = foldersIn(join(root, scansFolder));
  return repositories.filter((folder) => existsSync(join(folder, "sessions")));
}

/** omp notes the path of each log outside of its own folders, in a file for each. */
function logsElsewhere(root: string): readonly string[] {
  const notes = join(root, "custom-session-files");
  return filesIn(notes).flatMap((note) => {
    const log = readFileSync(note, "utf8").trim();
    return isAbsolute(log) && log.endsWith(logSuffix) && existsSync(log) ? [log] : [];
  });
}

/** The profile that omp uses, where that is not the one everybody has. */
function profileIn(env: Surroundings["env"]): string | undefined {
  const profile = (env["OMP_PROFILE"] ?? env["PI_PROFILE"])?.trim();
  const isNamed = profile !== undefined && profile !== "default" && profileName.test(profile);
  return isNamed ? profile : undefined;
}

/** omp takes no other names. */
const profileName = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/;

/** A folder that both clients may be told to use is omp's where omp has left its traces. */
function isOmps(folder: string): boolean {
  const traces = ["agent.db", "history.db", "models.db", "blobs", "terminal-sessions"];
  return folder.includes(".omp") || traces.some((name) => existsSync(join(folder, name)));
}

function foldersIn(folder: string): readonly string[] {
  return namesIn(folder, (entry) => entry.isDirectory());
}

function filesIn(folder: string): readonly string[] {
  return namesIn(folder, (entry) => entry.isFile());
}

function namesIn(folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (isWanted(entry) ? [join(folder, entry.name)] : [])).sort();
}
