import {
  carriedRecord,
  type Installed,
  objectAt,
  type Resume,
  type SessionContent,
} from "@pond/canonical/adapter";
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

/** True for an agent of the second kind: the client loads it with the thread that spawned it alone. */
export function codexResumesAbove({ messages }: SessionContent): boolean {
  const records = messages.map((message) => carriedRecord(message));
  const header = records.find((record) => record?.["type"] === "session_meta") ?? {};
  const meta = objectAt(header, "payload");
  const { thread_spawn: spawn } = objectAt(objectAt(meta, "source"), "subagent");
  return spawn !== undefined && meta["multi_agent_version"] === "v2";
}
