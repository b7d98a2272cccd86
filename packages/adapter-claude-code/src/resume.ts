import type { Installed, Resume } from "@pond/canonical/adapter";
import { sessionPath, sessionSuffix } from "./layout.ts";

/**
 * The client finds a session by its id, in the directory that the session worked in. It takes no
 * sub-agent: that goes on in its main session, whose id begins its own.
 */
export function claudeCodeResume({ session, files }: Installed): Resume {
  const file = files.find(
    (each) => each.session === session.id && each.path.endsWith(sessionSuffix),
  );
  const place = sessionPath(file?.path.replace(/^projects\//, "") ?? "");
  // Beside its main session an agent's file does not tell whose it is.
  const name = place === undefined || place.isOldAgent ? session.id : place.name;
  const [main = name] = name.split("/");
  return { commands: [["claude", "--resume", main]], directory: session.project };
}
