import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isJsonObject, parseJson } from "@pond/canonical";
import { isSystemError, type Surroundings } from "@pond/canonical/adapter";
import { isSessionStem, logSuffix } from "./layout.ts";
import { startOf } from "./log-start.ts";

/**
 * Where pi keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; and the
 * session folder that the environment or the client's settings name.
 */
export function piHomes(surroundings: Surroundings): readonly string[] {
  const agent = piAgent(surroundings);
  const shared = sharedSessions(surroundings);
  if (shared !== undefined) return holdsOmps(shared, surroundings) ? [agent] : [agent, shared];
  const sessions = sessionFolder(agent);
  return sessions ? [agent, resolve(agent, expanded(sessions, surroundings.home))] : [agent];
}

/**
 * Where omp keeps its files on this machine: `$PI_CODING_AGENT_DIR`, else `~/.omp/agent`, and the
 * home of each profile; `$XDG_DATA_HOME/omp` where the user moved them there; and the session
 * folder that the environment names, where omp's logs are in it.
 */
export function ompHomes(surroundings: Surroundings): readonly string[] {
  const agents = ompAgents(surroundings);
  const shared = sharedSessions(surroundings);
  return shared !== undefined && holdsOmps(shared, surroundings) ? [...agents, shared] : agents;
}

/** The folders of omp that hold its sessions and the files that these refer to. */
export function ompAgents({ home, env }: Surroundings): readonly string[] {
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

function piAgent({ home, env }: Surroundings): string {
  const named = env["PI_CODING_AGENT_DIR"];
  // Both clients go by this variable.
  return named && !isOmps(named) ? expanded(named, home) : join(home, ".pi", "agent");
}

/** The session folder that the environment names to both clients. */
function sharedSessions(surroundings: Surroundings): string | undefined {
  const { home, env } = surroundings;
  const named = env["PI_CODING_AGENT_SESSION_DIR"];
  return named ? resolve(piAgent(surroundings), expanded(named, home)) : undefined;
}

/**
 * True for a folder of omp's logs: all begin with its line for the title. Those of older releases
 * begin as pi's do, and are omp's only where there is no pi: its logs are not to be taken from it.
 */
function holdsOmps(folder: string, surroundings: Surroundings): boolean {
  const logs = logsIn(folder);
  const titled = logs.filter(beginsWithTitle);
  if (titled.length > 0 && titled.length === logs.length) return true;
  if (existsSync(piAgent(surroundings))) return false;
  return titled.length > 0 || ompAgents(surroundings).some((agent) => existsSync(agent));
}

function logsIn(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const logs = files.filter(({ name }) => isSessionStem(name) && name.endsWith(logSuffix));
    return logs.map(({ name }) => join(folder, name));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function beginsWithTitle(log: string): boolean {
  return startOf(log, titleStart.length) === titleStart;
}

const titleStart = '{"type":"title"';

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
