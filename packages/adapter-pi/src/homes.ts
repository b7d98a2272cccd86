import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Surroundings } from "@pond/canonical/adapter";
import { scansFolder } from "./layout.ts";
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
 * Where omp keeps its files on this machine, the folder it uses now first: that of the profile, else
 * `$PI_CODING_AGENT_DIR`, else `$XDG_DATA_HOME/omp` where the user moved them there, else
 * `~/.omp/agent`; then those of all profiles, and where they keep the sessions of security scans.
 */
export function ompHomes({ home, env }: Surroundings): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  const own = named && isOmps(named) ? [expanded(named, home)] : [];
  const profile = profileIn(env);
  const config = join(home, env["PI_CONFIG_DIR"] || ".omp");
  const state = env["XDG_STATE_HOME"];
  const scans = [config, ...(state ? [join(state, "omp")] : [])].flatMap(scansBelow);
  if (profile === undefined && own.length > 0) return [...own, ...scans];
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
    ...scans,
  ];
  return [...new Set(all)];
}

/**
 * A security scan is a session that omp does not keep with its others: each repository's lie in a
 * folder of their own, also those that a profile scanned.
 */
function scansBelow(root: string): readonly string[] {
  const roots = [root, ...foldersIn(join(root, "profiles"))];
  const repositories = roots.flatMap((each) => foldersIn(join(each, scansFolder)));
  return repositories.filter((folder) => existsSync(join(folder, "sessions")));
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
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])).sort();
}
