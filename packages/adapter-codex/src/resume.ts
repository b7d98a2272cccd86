import type { Installed, Resume } from "@pond/canonical/adapter";
import { fileName } from "./layout.ts";

/** The client finds a thread by its id, and works in the directory it is started in. */
export function codexResume({ session, files }: Installed): Resume {
  const file = files.find((each) => each.session === session.id);
  const thread = fileName(file?.path.split("/").at(-1) ?? "")?.thread;
  return { commands: [["codex", "resume", thread ?? session.id]], directory: session.project };
}
