import { join, posix, win32 } from "node:path";
import { parsedObject } from "@pond/canonical";
import {
  directoryOf,
  type Installed,
  type RestoredFile,
  type Resume,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { projectSlug, sessionPath, sessionSuffix } from "./layout.ts";

/**
 * The client finds a session by its id, in the directory that the session worked in; one whose name
 * is no UUID, such as the copy of a file, or that worked in none, by its file. It takes no sub-agent:
 * that goes on in its main session, whose id begins its own. So it is for who has not looked for that
 * one before, as {@link claudeCodeResumesAbove} asks for.
 */
export function claudeCodeResume({ session, home, files }: Installed): Resume {
  const file = files.find(
    (each) => each.session === session.id && each.path.endsWith(sessionSuffix),
  );
  const place = sessionPath(file?.path.replace(/^projects\//, "") ?? "");
  // Beside its main session an agent's file does not tell whose it is.
  const name = place === undefined || place.isOldAgent ? session.id : place.name;
  const [main = name] = name.split("/");
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(main);
  const mainFile = join(home, "projects", place?.slug ?? "", `${main}${sessionSuffix}`);
  const moved = file === undefined ? undefined : lastMove(file);
  // It looks in the folder of the directory it is started in.
  const isThere = moved !== undefined && projectSlug(moved) === place?.slug;
  const directory = isThere ? moved : directoryOf(session);
  const isFound = (isUuid && directory !== undefined) || place === undefined;
  return {
    commands: [["claude", "--resume", isFound ? main : mainFile]],
    ...(directory !== undefined && { directory }),
  };
}

/** True for a sub-agent: the client goes on with it in its main session alone. */
export function claudeCodeResumesAbove({ session }: SessionContent): boolean {
  const place = sessionPath(String(sourceOf(session)["path"]));
  return place !== undefined && (place.root !== undefined || place.isOldAgent);
}

/** The directory that a session was taken to last; undefined where it stayed. */
function lastMove({ content }: RestoredFile): string | undefined {
  let directory: string | undefined;
  for (const piece of content) {
    const lines = Buffer.from(piece).toString().split("\n");
    for (const line of lines.filter((each) => each.includes('"relocatedCwd"'))) {
      const { type, relocatedCwd } = parsedObject(line) ?? {};
      const isMove = type === "relocated" && typeof relocatedCwd === "string";
      if (isMove && (posix.isAbsolute(relocatedCwd) || win32.isAbsolute(relocatedCwd))) {
        directory = relocatedCwd;
      }
    }
  }
  return directory;
}
