import { join } from "node:path";
import type { Environment } from "@pond/canonical/adapter";

/** Where the client keeps its data on this machine: `opencode` in the user's data folder. */
export function opencodeHomes({ home, env }: Environment): readonly string[] {
  return [join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode")];
}
