import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isJsonObject, parseJson } from "@pond/canonical";
import { isSystemError, type Surroundings } from "@pond/canonical/adapter";

/**
 * Where pi keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; and the
 * session folder that the environment or the client's settings name.
 */
export function piHomes({ home, env }: Surroundings): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  // Both clients go by this variable.
  const agent = named && !isOmps(named) ? expanded(named, home) : join(home, ".pi", "agent");
  const sessions = env["PI_CODING_AGENT_SESSION_DIR"] || sessionFolder(agent);
  return sessions ? [agent, resolve(agent, expanded(sessions, home))] : [agent];
}

/**
 * Where omp keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.omp/agent`, and the
 * home of each profile; `$XDG_DATA_HOME/omp` where the user moved them there.
 */
export function ompHomes({ home, env }: Surroundings): readonly string[] {
  const named = env["PI_CODING_AGENT_DIR"];
  if (named && isOmps(named)) return [expanded(named, home)];
  const config = join(home, env["PI_CONFIG_DIR"] || ".omp");
  const profile = env["OMP_PROFILE"] ?? env["PI_PROFILE"];
  const data = env["XDG_DATA_HOME"];
  const moved = data ? join(data, "omp") : undefined;
  const profiles = join(config, "profiles");
  const all = [
    ...(profile ? [join(profiles, profile, "agent")] : []),
    ...(moved && existsSync(join(moved, "sessions")) ? [moved] : []),
    join(config, "agent"),
    ...namesIn(profiles).map((name) => join(profiles, name, "agent")),
  ];
  return [...new Set(all)];
}

/** A folder that both clients may be told to use is omp's where omp has left its traces. */
function isOmps(folder: string): boolean {
  const traces = ["agent.db", "history.db", "models.db", "blobs", "terminal-sessions"];
  return folder.includes(".omp") || traces.some((name) => existsSync(join(folder, name)));
}

function expanded(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** The session folder in pi's settings; undefined where they name none or cannot be read. */
function sessionFolder(agent: string): string | undefined {
  try {
    const settings = parseJson(readFileSync(join(agent, "settings.json"), "utf8"));
    const folder = isJsonObject(settings) ? settings["sessionDir"] : undefined;
    return typeof folder === "string" && folder !== "" ? folder : undefined;
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const folders = readdirSync(folder, { withFileTypes: true });
  return folders.flatMap((entry) => (entry.isDirectory() ? [basename(entry.name)] : [])).sort();
}
