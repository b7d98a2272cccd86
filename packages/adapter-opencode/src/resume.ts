import { basename, join } from "node:path";
import type { Installed, Resume } from "@pond/canonical/adapter";
import { sessionId } from "./foreign/names.ts";
import { origin } from "./origin.ts";
import { millisOf } from "./records/envelope.ts";

/**
 * The client takes exported files into its database, parents first, and continues a session by its
 * id. It gives what it imports the directory that it runs in.
 */
export function opencodeResume({ session, home, files }: Installed): Resume {
  const exported = files.filter(({ path }) => !isTreeFile(path) && path.endsWith(".json"));
  const imports = exported.map(({ path }) => ["opencode", "import", join(home, path)]);
  const isNative = session.source_agent === origin;
  const id = isNative ? session.id : sessionId(session.id, millisOf(session.created_at));
  return {
    commands: [...imports, ["opencode", "--session", id]],
    directory: session.project,
  };
}

/** Only releases that still have a JSON tree read one, and they find it by themselves. */
function isTreeFile(path: string): boolean {
  return /(?:^|\/)storage\//.test(path) && !basename(path).startsWith("pond");
}
