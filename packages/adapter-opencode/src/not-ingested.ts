/**
 * What is left alone in the client's data, and why. Deliberate and documented, as
 * `model-lossless-projection` asks; the README repeats this table and a test compares them.
 */
export const notIngested: readonly { readonly path: string; readonly why: string }[] = [
  { path: "auth.json, mcp-auth.json, account.json", why: "keys" },
  { path: "tables account*, control_account, credential", why: "keys" },
  { path: "table session_share, storage/share/, storage/session_share/", why: "hold secrets" },
  {
    path: "storage/project/, table project",
    why: "belong to no session; the directory of a session that names none is looked up there",
  },
  { path: "storage/permission/, table permission", why: "settings of a project" },
  {
    path: "storage/migration, tables migration, data_migration, kv",
    why: "the client's own bookkeeping",
  },
  { path: "tables workspace, worktree, project_directory", why: "places of a project" },
  {
    path: "tables event*, session_input, session_inbox, session_pending, session_context_epoch, instruction_*",
    why: "what happens with it is in the log; queued prompts are there once they are sent",
  },
  {
    path: "rows of 2.x that were copied from 1.x",
    why: "the copy is lossy; the original is read where it still is",
  },
  {
    path: "rows of session_message with the id of a row of message",
    why: "a preview of it by early releases of 1.x; where the table has no seq, all rows are",
  },
  {
    path: "table session_entry",
    why: "such a preview of the releases before those, which the client removed with the table",
  },
  { path: "tool-output/", why: "deleted after a week; the log has the part the model was given" },
  { path: "snapshot/, log/, bin/, repos/, worktree/", why: "no sessions" },
  {
    path: "tables sessions, messages, files",
    why: "of the older program of this name, another client; their database is named",
  },
];

/** True for a file of a JSON tree that belongs to no session. */
export function notIngestedFile(path: string): boolean {
  return /(?:^|\/)storage\/(?:project\/|permission\/|share\/|session_share\/|migration$)/.test(
    path,
  );
}
