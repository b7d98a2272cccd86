import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { type FaultEvent, isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import { fileFault, isSystemError, type Origin, type Surroundings } from "@pond/canonical/adapter";

const variable = "PI_CODING_AGENT_SESSION_DIR";

/**
 * The folders that pi was told to keep sessions in, by the environment, its settings, or those of a
 * project. It takes a relative one from the working directory, so it has one in each project: those
 * that it was asked to trust are known.
 */
export function sessionDirs(agent: string, { home, env }: Surroundings): readonly string[] {
  const named = env[variable] || sessionDirIn(join(agent, "settings.json"));
  const projects = projectsOf(agent).flatMap((project) => {
    const own = env[variable] || sessionDirIn(join(project, ".pi", "settings.json")) || named;
    const folder = own && resolve(project, expanded(own, home));
    return folder && existsSync(folder) ? [folder] : [];
  });
  return [...new Set([...(named ? [resolve(agent, expanded(named, home))] : []), ...projects])];
}

/** Tells where sessions may lie in folders that nothing names: once, for nobody can be sure. */
export function* unknownSessionDirs(origin: Origin, agent: string): Generator<FaultEvent> {
  const settings = join(agent, "settings.json");
  const named = process.env[variable] || sessionDirIn(settings);
  if (!named || isAbsolute(named) || isOfHome(named)) return;
  const reason = `sessions are kept in ${named} below each working directory; those of projects that trust.json does not name are read with --path`;
  yield { ...fileFault(origin, settings, reason), isLeftover: true };
}

export function expanded(path: string, home: string): string {
  return isOfHome(path) ? join(home, path.slice(1)) : path;
}

function isOfHome(path: string): boolean {
  return path === "~" || path.startsWith("~/");
}

/** The folder that settings name; undefined where they name none or cannot be read. */
function sessionDirIn(file: string): string | undefined {
  const folder = objectIn(file)["sessionDir"];
  return typeof folder === "string" && folder !== "" ? folder : undefined;
}

/** The projects that pi asked its user about, whatever the answer was. */
function projectsOf(agent: string): readonly string[] {
  return Object.keys(objectIn(join(agent, "trust.json"))).filter((path) => isAbsolute(path));
}

/** What a file of the client's holds; nothing where it cannot be read. */
function objectIn(file: string): JsonObject {
  try {
    // Into a pipe nobody may ever write.
    if (!statSync(file).isFile()) return {};
    const value = parseJson(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (isSystemError(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}
