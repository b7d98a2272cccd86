import type { Installed, Resume } from "@pond/canonical/adapter";
import { fileName, isArchived } from "./layout.ts";

/**
 * The client finds a thread by its id, and works in the directory it is started in. It refuses one
 * that is archived.
 */
export function codexResume({ session, files }: Installed): Resume {
  const file = files.find((each) => each.session === session.id);
  const thread = fileName(file?.path.split("/").at(-1) ?? "")?.thread ?? session.id;
  const isBehind = file !== undefined && isArchived(file.path);
  return {
    commands: [...(isBehind ? [["codex", "unarchive", thread]] : []), ["codex", "resume", thread]],
    directory: session.project,
  };
}
