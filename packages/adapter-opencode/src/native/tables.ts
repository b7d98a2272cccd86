/**
 * The tables that hold sessions: those of 1.x, those of 2.x, or both.
 *
 * @param second - The table with the sessions of 2.x; late releases of 1.x have both in one.
 */
export function tables(isFirst: boolean, second?: "session" | "session_v2"): readonly string[] {
  return [
    project,
    ...(isFirst ? [session, message, part, todo] : []),
    ...(second === "session_v2" ? [session2] : []),
    ...(second === undefined ? [] : [message2(second)]),
  ];
}

const sessionFields = `
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project(id) ON DELETE CASCADE,
  workspace_id text, parent_id text, slug text NOT NULL, directory text NOT NULL, path text,
  version text NOT NULL, share_url text,
  summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text,
  metadata text, cost real DEFAULT 0 NOT NULL,
  tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
  tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
  tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text,
  model text, time_created integer NOT NULL, time_updated integer NOT NULL,
  time_compacting integer, time_archived integer`;

const project = `CREATE TABLE project (
  id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, icon_url text,
  icon_url_override text, icon_color text, time_created integer NOT NULL,
  time_updated integer NOT NULL, time_initialized integer, sandboxes text NOT NULL, commands text)`;

const session = `CREATE TABLE session (${sessionFields}, title text NOT NULL)`;

const session2 = `CREATE TABLE session_v2 (${sessionFields}, title text, fork_session_id text,
  fork_boundary text, time_idle integer, time_viewed integer, idle_outcome text,
  time_suspended integer, resume_attempts integer DEFAULT 0 NOT NULL)`;

const message = `CREATE TABLE message (
  id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`;

const part = `CREATE TABLE part (
  id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id) ON DELETE CASCADE,
  session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
  data text NOT NULL)`;

const todo = `CREATE TABLE todo (
  session_id text NOT NULL REFERENCES session(id) ON DELETE CASCADE, content text NOT NULL,
  status text NOT NULL, priority text NOT NULL, position integer NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, PRIMARY KEY (session_id, position))`;

const message2 = (sessions: string): string => `CREATE TABLE session_message (
  id text PRIMARY KEY, session_id text NOT NULL REFERENCES ${sessions}(id) ON DELETE CASCADE,
  type text NOT NULL, seq integer NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL)`;
