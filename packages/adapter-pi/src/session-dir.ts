import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type FaultEvent, isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { type Environment, fileFault, isSystemError, type Origin } from "@pond/canonical/adapter";

const variable = "PI_CODING_AGENT_SESSION_DIR";

/**
 * The folders in which pi was told to keep sessions, by the environment, its settings, or those of
 * a project. It takes a relative one from the working directory, so there is one in each project:
 * the projects that it was asked to trust are known.
 */
export function sessionDirs(agent: string, { home, env }: Environment): readonly string[] {
  const named = env[variable] || sessionDirIn(join(agent, "settings.json"));
  const own = named ? foldersAt(agent, named, home) : [];
  const projects = projectsOf(agent).flatMap((project) => {
    const there = env[variable] || sessionDirIn(join(project, ".pi", "settings.json")) || named;
    return there ? foldersAt(project, there, home).filter((folder) => existsSync(folder)) : [];
  });
  const sessions = resolve(agent, "sessions");
  const isInSessions = (folder: string): boolean => [folder, dirname(folder)].includes(sessions);
  return [...new Set([...own, ...projects])].filter((folder) => !isInSessions(folder));
}

/** Reports once that sessions may be in folders that nothing names, because nobody can be sure. */
export function* unknownSessionDirs(origin: Origin, agent: string): Generator<FaultEvent> {
  const settings = join(agent, "settings.json");
  const named = process.env[variable] || sessionDirIn(settings);
  if (!named || isAbsolute(named) || startsWithTilde(named) || isFileUrl(named)) return;
  const reason = `sessions are kept in ${named} below each working directory; those of projects that trust.json does not name are read with --path`;
  yield { ...fileFault(origin, settings, reason), isLeftover: true };
}

/** The folder that a name means if pi runs in `from`; none if the name is an invalid address. */
function foldersAt(from: string, name: string, home: string): readonly string[] {
  if (!isFileUrl(name)) return [resolve(from, expandHome(name, home))];
  try {
    return [fileURLToPath(name)];
  } catch (error) {
    // pi does not start with it.
    if (error instanceof TypeError) return [];
    throw error;
  }
}

function isFileUrl(name: string): boolean {
  return name.startsWith("file://");
}

export function expandHome(path: string, home: string): string {
  return startsWithTilde(path) ? join(home, path.slice(1)) : path;
}

function startsWithTilde(path: string): boolean {
  return path === "~" || path.startsWith("~/");
}

/** The folder that settings name; undefined if they name none or cannot be read. */
function sessionDirIn(file: string): string | undefined {
  const folder = objectIn(file)["sessionDir"];
  return typeof folder === "string" && folder !== "" ? folder : undefined;
}

/** The projects that pi asked its user about, whatever the answer was. */
function projectsOf(agent: string): readonly string[] {
  return Object.keys(objectIn(join(agent, "trust.json"))).filter((path) => isAbsolute(path));
}

/** The content of a file of the client's; empty if it cannot be read. */
function objectIn(file: string): JsonObject {
  try {
    // Nobody may ever write into a pipe.
    if (!statSync(file).isFile()) return {};
    const value = parseJson(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}
