/**
 * What is left alone in the client's home, and why. Deliberate and documented, as
 * `model-lossless-projection` asks; the README repeats this table and a test compares them.
 */
export const notIngested: readonly { readonly path: string; readonly why: string }[] = [
  {
    path: "session_index.jsonl, other lines",
    why: "names of threads that have no file here: deleted, or in another home",
  },
  {
    path: "history.jsonl",
    why: "the prompts of all sessions again; those of sessions deleted before a sync are in it alone",
  },
  {
    path: "state_5.sqlite, thread_history_1.sqlite, sqlite/",
    why: "made by the client from the session files; what its app adds to threads is in them alone: sections, projects, attachments",
  },
  {
    path: "queue_1.sqlite",
    why: "prompts that wait for their turn: once sent, they are in the session file",
  },
  {
    path: "goals_1.sqlite, memories_1.sqlite, logs_2.sqlite",
    why: "goals, which session files tell of, and what is no transcript",
  },
  {
    path: "external_agent_session_imports.json",
    why: "what another client's session a thread was imported from, with a title of then",
  },
  {
    path: "*.jsonl.zst beside *.jsonl",
    why: "the same file compressed; the client reads the plain one",
  },
  {
    path: "a second copy in archived_sessions/",
    why: "left by an archiving that was interrupted; the longer of the two is read",
  },
  { path: "attachments/, generated_images/", why: "files the log names, or holds itself" },
  { path: "memories/, skills/, rules/, prompts/", why: "notes across sessions, not a transcript" },
  { path: "auth.json, config.toml", why: "account data, keys and settings" },
  { path: "log/, .tmp/, shell_snapshots/, *.lock", why: "the client's own" },
  {
    path: "symbolic links",
    why: "none is followed; one out of the folder or for a session is reported",
  },
];
