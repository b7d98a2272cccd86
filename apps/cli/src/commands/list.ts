import type { ListedSession, SessionStore } from "@pond/sessions";
import { Command } from "commander";
import { parseCount, parseProject, parseTime } from "../arguments.ts";
import { type Context, withStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { UsageError } from "../errors.ts";
import { exitCodes } from "../exit.ts";
import { formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { type Shown, say, shown, shownLine } from "../output/shown.ts";
import { formatMoment, formatWhen } from "../output/time.ts";
import type { RunAction } from "../run.ts";
import { shortIds } from "../short-ids.ts";
import { storedSessions } from "../stored-sessions.ts";

type ListFlags = {
  readonly project?: string;
  readonly agent?: string;
  readonly since?: bigint;
  readonly limit?: number;
  readonly all?: boolean;
};

export function listCommand(run: RunAction): Command {
  return new Command("list")
    .description(
      "list sessions, last active first; sub-agents count with the session that they served",
    )
    .option(
      "--project <folder>",
      "only of this folder (/x, ./x or .) and folders below it",
      parseProject,
    )
    .option("--agent <name>", "only sessions of this client")
    .option("--since <time>", "only active since this time: 2026-03-01, 7d, today", (text) =>
      parseTime(text),
    )
    .option("--limit <n>", "list at most this many sessions (default: 50)", parseCount)
    .option("--all", "list every session, also sub-agents, without a limit")
    .action((flags: ListFlags, command: Command) =>
      run(command, (context) => list(context, flags)),
    );
}

async function list(context: Context, { all = false, limit = 50, ...filters }: ListFlags) {
  const { output } = context;
  const found = await withStore(context, "read", async (sessions) => {
    const { listSessions } = await import("@pond/sessions");
    // One more than asked for shows whether there are more.
    const atMost = all ? Number.MAX_SAFE_INTEGER : limit + 1;
    const listed = await listSessions(sessions, { ...filters, limit: atMost, isUnfolded: all });
    if (listed.length === 0) await refuseUnknownAgent(sessions, filters.agent);
    return listed;
  });
  const listed = all ? found : found.slice(0, limit);
  if (output.isJson) {
    for (const session of listed) output.jsonText(JSON.stringify(session));
    return exitCodes.done;
  }
  if (listed.length > 0) print(context, listed, found.length > listed.length);
  else {
    const isNarrowed = Object.values(filters).some((filter) => filter !== undefined);
    const why = isNarrowed ? "No session matches." : "No session is stored yet.";
    output.line(shown(`${why} \`pond sync\` fetches what is new.`));
  }
  return exitCodes.done;
}

/** @throws {UsageError} if no session of this client is stored, as `pond search` does. */
async function refuseUnknownAgent(sessions: SessionStore, agent: string | undefined) {
  if (agent === undefined) return;
  const stored = await storedSessions(sessions);
  const agents = new Set([...stored.values()].map(({ source_agent }) => source_agent));
  if (agents.has(agent)) return;
  const known = [...agents].sort();
  throw new UsageError(
    `no session of "${agent}" is stored; there are: ${known.join(", ") || "none"}`,
    { agent, known },
  );
}

function print(context: Context, listed: readonly ListedSession[], hasMore: boolean): void {
  const { output } = context;
  const ids = listed.map(({ session_id }) => session_id);
  // In a pipe a script reads the ids, so they are whole.
  const names = output.isTerminal ? shortIds(ids) : ids;
  const rows = listed.map((session, at) => rowOf(context, session, names[at] ?? ""));
  // Nobody at a terminal needs an empty column, but a reader of a pipe counts on it.
  const hasAgents = !output.isTerminal || listed.some(({ descendants }) => descendants > 0);
  const columns = [
    { title: shown("SESSION"), style: output.style.accent },
    { title: shown("ACTIVE"), align: "right" },
    { title: shown("CLIENT"), minWidth: 6 },
    { title: shown("PROJECT"), minWidth: 10, cutAt: "start" },
    { title: shown("MESSAGES"), align: "right", leastTableWidth: 90 },
    {
      title: shown("+AGENTS"),
      align: "right",
      style: output.style.faint,
      leastTableWidth: hasAgents ? 100 : Number.POSITIVE_INFINITY,
    },
    { title: shown("TITLE"), minWidth: 12 },
  ] as const;
  printTable(output, columns, rows);
  const more = hasMore ? say` There are more: --limit, --all.` : shown("");
  output.note(say`${formatCounted(listed.length, "session")}.${more}`);
}

function rowOf({ output, home, now }: Context, session: ListedSession, name: string): Shown[] {
  const { last_activity, source_agent, project, messages, descendants, title = "" } = session;
  return [
    shownLine(name),
    output.isTerminal ? formatWhen(last_activity, now()) : formatMoment(last_activity),
    shownLine(source_agent),
    shownLine(shortenHome(project, home)),
    formatCount(messages),
    descendants === 0 ? shown("") : formatCount(descendants),
    shownLine(title),
  ];
}
