import { join, posix, win32 } from "node:path";
import { tryParseObject } from "@pond/canonical";
import {
  directoryOf,
  type InstalledSession,
  type RestoredFile,
  type Resume,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { projectSlug, sessionPath, sessionSuffix } from "./layout.ts";

/**
 * The command that resumes a session. The client finds a session by its id, in the directory that
 * the session worked in. It finds a session by its file if the name is not a UUID, such as that of
 * a copied file, or if the session had no directory. It does not take a sub-agent: that continues
 * in its main session, whose id its own id begins with. This is for callers that have not looked
 * for the main session first, as {@link claudeCodeResumesInParent} asks for.
 */
export function claudeCodeResume({ session, home, files }: InstalledSession): Resume {
  const file = files.find(
    (each) => each.session === session.id && each.path.endsWith(sessionSuffix),
  );
  const place = sessionPath(file?.path.replace(/^projects\//, "") ?? "");
  // The place of an agent's file beside its main session does not say whose it is.
  const name = place === undefined || place.isOldAgent ? session.id : place.name;
  const [main = name] = name.split("/");
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(main);
  const mainFile = join(home, "projects", place?.slug ?? "", `${main}${sessionSuffix}`);
  const moved = file === undefined ? undefined : lastMove(file);
  // The client looks in the folder of the directory that it is started in.
  const isThere = moved !== undefined && projectSlug(moved) === place?.slug;
  const directory = isThere ? moved : directoryOf(session);
  const isFound = (isUuid && directory !== undefined) || place === undefined;
  return {
    commands: [["claude", "--resume", isFound ? main : mainFile]],
    ...(directory !== undefined && { directory }),
  };
}

/** True for a sub-agent: the client continues it only in its main session. */
export function claudeCodeResumesInParent({ session }: SessionContent): boolean {
  const place = sessionPath(String(sourceOf(session)["path"]));
  return place !== undefined && (place.root !== undefined || place.isOldAgent);
}

/** The directory that a session was moved to last; undefined if it stayed. */
function lastMove({ content }: RestoredFile): string | undefined {
  let directory: string | undefined;
  for (const piece of content) {
    const lines = Buffer.from(piece).toString().split("\n");
    for (const line of lines.filter((each) => each.includes('"relocatedCwd"'))) {
      const { type, relocatedCwd } = tryParseObject(line) ?? {};
      const isMove = type === "relocated" && typeof relocatedCwd === "string";
      if (isMove && (posix.isAbsolute(relocatedCwd) || win32.isAbsolute(relocatedCwd))) {
        directory = relocatedCwd;
      }
    }
  }
  return directory;
}
