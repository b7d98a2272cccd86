import { tryParseObject } from "@pond/canonical";
import {
  carriedRecord,
  directoryOf,
  type InstalledSession,
  objectAt,
  type RestoredFile,
  type Resume,
  type SessionContent,
} from "@pond/canonical/adapter";
import { fileName, isArchived } from "./layout.ts";

/**
 * The command that resumes a thread. The client finds a thread by its id, and works in the
 * directory that it is started in. It refuses an archived thread, and the files of its own first
 * year.
 */
export function codexResume({ session, files }: InstalledSession): Resume {
  const file = files.find((each) => each.session === session.id);
  const thread = fileName(file?.path.split("/").at(-1) ?? "")?.thread ?? session.id;
  const directory = directoryOf(session);
  const isArchivedFile = file !== undefined && isArchived(file.path);
  return {
    commands: [
      ...(isArchivedFile ? [["codex", "unarchive", thread]] : []),
      ["codex", "resume", thread],
    ],
    // A thread without a directory has the address of a repository instead, which is not changed
    // into.
    ...(directory !== undefined && { directory }),
    ...(file !== undefined && isFirstYearFile(file) && { problems: [firstYearReason(file)] }),
  };
}

function firstYearReason({ path }: RestoredFile): string {
  return `${path} is of a client before September 2025: it does not begin with \`session_meta\``;
}

/** True if the file begins with anything but the header of the later clients. */
function isFirstYearFile({ content }: RestoredFile): boolean {
  let begin = "";
  for (const piece of content) {
    begin += Buffer.from(piece).toString();
    if (begin.includes("\n")) break;
  }
  const [line = ""] = begin.split("\n", 1);
  return line !== "" && tryParseObject(line)?.["type"] !== "session_meta";
}

/**
 * True for an agent of the second kind: the client loads it only with the thread that spawned it.
 */
export function codexResumesInParent({ messages }: SessionContent): boolean {
  const records = messages.map((message) => carriedRecord(message));
  const header = records.find((record) => record?.["type"] === "session_meta") ?? {};
  const meta = objectAt(header, "payload");
  const { thread_spawn: spawn } = objectAt(objectAt(meta, "source"), "subagent");
  return spawn !== undefined && meta["multi_agent_version"] === "v2";
}
