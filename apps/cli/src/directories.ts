import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where pond keeps its own files (XDG base directories). */
export type Directories = {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
};

export function directoriesOf(env: Environment, home: string): Directories {
  const of = (name: string, ...otherwise: readonly string[]): string => {
    // A relative path in these variables is to be ignored, says the XDG specification.
    const given = env[name];
    const base = given?.startsWith("/") ? given : join(home, ...otherwise);
    return join(base, "pond");
  };
  return {
    home,
    config: of("XDG_CONFIG_HOME", ".config"),
    data: of("XDG_DATA_HOME", ".local", "share"),
    state: of("XDG_STATE_HOME", ".local", "state"),
  };
}

/** `~` and `~/x` as the shell would write them out, for places a shell never saw. */
export function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** A path under the home folder, shorter for reading. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
