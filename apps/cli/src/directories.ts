import { existsSync, mkdirSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { ConfigError } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where pond keeps its own files (XDG base directories). */
export type Directories = {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
  /** Downloaded models, one folder each. */
  readonly models: string;
};

export function directoriesOf(env: Environment, home: string): Directories {
  return {
    home,
    config: baseOf(env["XDG_CONFIG_HOME"], join(home, ".config")),
    data: baseOf(env["XDG_DATA_HOME"], join(home, ".local", "share")),
    state: baseOf(env["XDG_STATE_HOME"], join(home, ".local", "state")),
    models: join(cacheDirectory(env, home), "models"),
  };
}

/**
 * The home of the user who runs this process. A service may be started with an empty HOME.
 *
 * @throws {ConfigError} if nothing says it, as in a container, for a user that only has a number.
 */
export function homeDirectory(): string {
  try {
    return homedir() || userInfo().homedir;
  } catch (cause) {
    const message = "this user has no home folder; set HOME to a folder";
    throw new ConfigError(message, {}, { cause });
  }
}

/** For files that can be made again at any time. */
export function cacheDirectory(env: Environment, home: string): string {
  return baseOf(env["XDG_CACHE_HOME"], join(home, ".cache"));
}

/**
 * Makes a folder and the missing folders above it, for this user alone. It goes one step at a time:
 * in a place that accepts no folder, such as `/proc` or an automounter's missing home, Node's
 * recursive way never comes to an end.
 *
 * @throws the system's error for the first folder that cannot be made.
 */
export function makeFolder(folder: string): void {
  const parent = dirname(folder);
  if (existsSync(folder) || parent === folder) return;
  makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Before a store is made in pond's own folder, makes that for this user alone, as clients keep
 * their sessions: the engine would make it for everybody. A place that the user names follows the
 * umask, because users may share it.
 */
export function makeDataFolder(location: string, { data }: Directories): void {
  if (dirname(location) !== data) return;
  try {
    makeFolder(data);
  } catch {
    // What opens the store says what is wrong there.
  }
}

/** The XDG specification says to ignore a relative path in these variables. */
function baseOf(given: string | undefined, fallback: string): string {
  return join(given?.startsWith("/") ? given : fallback, "pond");
}

/** Expands `~` and `~/x` as a shell would, in paths that a shell never saw. */
export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** A path under the home folder, shorter for reading. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
