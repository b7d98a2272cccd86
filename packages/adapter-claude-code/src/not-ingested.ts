/**
 * What is left alone in the client's home, and why. Deliberate and documented, as
 * `model-lossless-projection` asks; the README repeats this table and a test compares them.
 */
export const notIngested: readonly { readonly path: string; readonly why: string }[] = [
  {
    path: "history.jsonl",
    why: "the prompts of all sessions again; those of `/btw`, and of sessions deleted before a sync, are in it alone",
  },
  { path: "todos/, tasks/", why: "state beside the log; the calls that made it are in the log" },
  { path: "plans/", why: "documents that live on after the session; their writing is in the log" },
  { path: "file-history/", why: "copies of your files for undo, often larger than the session" },
  { path: "projects/*/memory/", why: "notes the client edits across sessions, not a transcript" },
  {
    path: "any other projects/*/*/",
    why: "none of the client's; `.jsonl` files in it are reported",
  },
  { path: "projects/*/sessions-index.json", why: "a cache the client makes from the logs" },
  {
    path: "projects/*/<session>/",
    why: "only where its log is gone: agents are read, loose files are not",
  },
  {
    path: "subagents/*.meta.json.tmp.*",
    why: "an unfinished descriptor; named once where there is no whole one",
  },
  { path: "sessions/, .claude.json", why: "running processes, account data and keys" },
  {
    path: "jobs/, daemon/",
    why: "state of sessions in the background, each of which has its own log",
  },
  { path: "teams/", why: "mail among teammates; once read, it is in the log of who read it" },
  {
    path: "usage-data/, dump-prompts/, remote-control/",
    why: "made from the logs: reports, requests to the model, seeds of forks",
  },
  { path: "uploads/", why: "files that came from elsewhere; the log names them" },
  { path: "agent-memory/", why: "notes that agents keep across sessions, not a transcript" },
  { path: "plugins/, skills/, agents/, commands/, rules/", why: "what you installed" },
  {
    path: "settings.json, shell-snapshots/, session-env/, debug/, backups/",
    why: "the client's own",
  },
  { path: "image-cache/, paste-cache/", why: "what was pasted is in the log" },
  {
    path: "/tmp/claude-*/",
    why: "output of background tasks, outside of the home and short-lived",
  },
  {
    path: "symbolic links",
    why: "one inside the folder is read where it points; others are reported",
  },
];
