/**
 * What is left alone in the clients' homes, and why. Deliberate and documented, as
 * `model-lossless-projection` asks; the README repeats this table and a test compares them.
 */
export const notIngested: readonly { readonly path: string; readonly why: string }[] = [
  { path: "auth.json, agent.db", why: "keys and accounts" },
  {
    path: "settings.json, models.json, models-store.json, models.db, keybindings.json",
    why: "the client's own",
  },
  { path: "history.db", why: "the prompts of all sessions again; each is in its own session" },
  { path: "terminal-sessions/", why: "which terminal showed which session last" },
  { path: "session-pins.json", why: "which sessions stand first in a list" },
  {
    path: "collab/, beside the agent's folder",
    why: "copies of sessions that another omp hosts, where it cut what is long; the host has them",
  },
  {
    path: "security/<repository>/scans/, plans/",
    why: "what a scan found, for machines; its session is read",
  },
  {
    path: "edit-blackbox.jsonl",
    why: "edits that broke a file, for whoever makes omp; each is in its session",
  },
  {
    path: "custom-session-files/",
    why: "says where `--session` keeps logs; they are read if they end in `.jsonl`, and still are there",
  },
  {
    path: "sessions.sqlite",
    why: "where you chose that pi keeps sessions in a database; only logs are read",
  },
  {
    path: "other files in the folder of a project, or deeper",
    why: "what extensions write, such as the events of a run; in a home a log is read at any depth",
  },
  { path: "extensions/, skills/, prompts/, themes/, tools/", why: "what you installed" },
  { path: "draft.txt, .draft-only-session", why: "input that was not sent" },
  { path: "*.tmp, *.bak", why: "half written or replaced; only in a session's folder, not deeper" },
  { path: "blobs/<hash>", why: "only where no session refers to it" },
  { path: "blobs/<hash>.<ext>", why: "a copy with a suffix, for viewers" },
  {
    path: "logs of version 4",
    why: "another library's, which neither client writes; a fault says so",
  },
  {
    path: "symbolic links",
    why: "one inside the folder is read where it points; others are reported",
  },
];
