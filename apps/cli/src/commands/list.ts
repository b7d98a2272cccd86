import type { ListedSession, SessionStore } from "@pond/sessions";
import { Command } from "commander";
import { parseCount, parseProject, parseTime } from "../arguments.ts";
import { type Context, withStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { UsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { type SafeText, safe, safeLine, safeText } from "../output/safe-text.ts";
import { formatMoment, formatWhen } from "../output/time.ts";
import type { RunAction } from "../run.ts";
import { shortIds } from "../short-ids.ts";
import { unknownProjectText } from "../unknown-project.ts";

type ListFlags = {
  readonly project?: string;
  readonly agent?: string;
  readonly since?: bigint;
  readonly until?: bigint;
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
    .option("--until <time>", "only active before this time", (text) => parseTime(text))
    .option("--limit <n>", "list at most this many sessions (default: 50)", parseCount)
    .option("--all", "list every session, also sub-agents, without a limit")
    .action((flags: ListFlags, command: Command) =>
      run(command, (context) => list(context, flags)),
    );
}

async function list(context: Context, { all = false, limit = 50, ...filters }: ListFlags) {
  const { output } = context;
  const { since, until } = filters;
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError("--until: it is not after --since");
  }
  const { found, similar } = await withStore(context, "read", async (sessions) => {
    const { listSessions, similarProjects } = await import("@pond/sessions");
    // One more than asked for shows whether there are more.
    const atMost = all ? Number.MAX_SAFE_INTEGER : limit + 1;
    const listed = await listSessions(sessions, { ...filters, limit: atMost, isFlat: all });
    if (listed.length > 0) return { found: listed };
    await refuseUnknownAgent(sessions, filters.agent);
    const { project } = filters;
    const similar = project === undefined ? undefined : await similarProjects(sessions, project);
    return { found: listed, similar };
  });
  const listed = all ? found : found.slice(0, limit);
  if (output.isJson) {
    for (const session of listed) output.jsonText(JSON.stringify(session));
    return exitCodes.done;
  }
  if (listed.length > 0) print(context, listed, found.length > listed.length);
  else if (similar !== undefined) output.line(unknownProjectText(context, similar));
  else {
    const isNarrowed = Object.values(filters).some((filter) => filter !== undefined);
    const why = isNarrowed ? "No session matches." : "No session is stored yet.";
    output.line(safeText(`${why} \`pond sync\` fetches what is new.`));
  }
  return exitCodes.done;
}

/** @throws {UsageError} if no session of this client is stored, as `pond search` does. */
async function refuseUnknownAgent(sessions: SessionStore, agent: string | undefined) {
  if (agent === undefined) return;
  const { storedAgents } = await import("@pond/sessions");
  const known = await storedAgents(sessions);
  if (known.includes(agent)) return;
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
    { title: safeText("SESSION"), style: output.style.accent },
    { title: safeText("ACTIVE"), align: "right" },
    { title: safeText("CLIENT"), minWidth: 6 },
    { title: safeText("PROJECT"), minWidth: 10, cutAt: "start" },
    { title: safeText("MESSAGES"), align: "right", minTableWidth: 90 },
    {
      title: safeText("+AGENTS"),
      align: "right",
      style: output.style.faint,
      minTableWidth: hasAgents ? 100 : Number.POSITIVE_INFINITY,
    },
    { title: safeText("TITLE"), minWidth: 12 },
  ] as const;
  printTable(output, columns, rows);
  const more = hasMore ? safe` There are more: --limit, --all.` : safeText("");
  output.note(safe`${formatCounted(listed.length, "session")}.${more}`);
}

function rowOf({ output, home, now }: Context, session: ListedSession, name: string): SafeText[] {
  const { last_activity, source_agent, project, messages, descendants, title = "" } = session;
  return [
    safeLine(name),
    output.isTerminal ? formatWhen(last_activity, now()) : formatMoment(last_activity),
    safeLine(source_agent),
    safeLine(shortenHome(project, home)),
    formatCount(messages),
    descendants === 0 ? safeText("") : formatCount(descendants),
    safeLine(title),
  ];
}
