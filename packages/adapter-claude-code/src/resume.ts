import { basename } from "node:path";
import type { Installed, Resume } from "@pond/canonical/adapter";

/** The client finds a session by its id, in the directory that the session worked in. */
export function claudeCodeResume({ session, files }: Installed): Resume {
  const file = files.find((each) => each.session === session.id && each.path.endsWith(".jsonl"));
  const id = basename(file?.path ?? `${session.id}.jsonl`, ".jsonl");
  return { commands: [["claude", "--resume", id]], directory: session.project };
}
