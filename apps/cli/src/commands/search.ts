import type { SearchRequest, SearchResponse } from "@pond/search";
import type { SessionStore } from "@pond/sessions";
import { Command, Option } from "commander";
import { parseCountUpTo, parseProject, parseScore, parseTime } from "../arguments.ts";
import { type Context, warnOfMissingIndex, withStore } from "../context.ts";
import { withEmbedder } from "../embedder.ts";
import { exitCodes } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import { rememberSearch } from "../last-search.ts";
import { printJson } from "../output/json.ts";
import type { RunAction } from "../run.ts";
import { printResults } from "../search-text.ts";
import { resolveSessionId } from "../session-id.ts";
import { warnOfFailure } from "../warn-of-failure.ts";

type SearchFlags = {
  readonly project?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly role?: string;
  readonly since?: bigint;
  readonly until?: bigint;
  readonly minScore?: number;
  readonly limit?: number;
  readonly after?: string;
  readonly explain?: boolean;
};

// Messages of other roles are not searched.
const roles = ["user", "assistant"];

export function searchCommand(run: RunAction): Command {
  return new Command("search")
    .description("find what was said in any session, best match first")
    .argument("<query...>", 'words, "a phrase", +required, -excluded (after --)')
    .option(
      "--project <folder>",
      "only in this folder (/x, ./x or .) and folders below it",
      parseProject,
    )
    .option("--session <id>", "only in this session")
    .option("--agent <name>", "only sessions of this client")
    .addOption(new Option("--role <role>", "only messages of this role").choices(roles))
    .option("--since <time>", "only from this time on: 2026-03-01, 7d, today", (text) =>
      parseTime(text),
    )
    .option("--until <time>", "only before this time", (text) => parseTime(text))
    .option("--min-score <n>", "leave out matches with a lower word score (BM25)", parseScore)
    .option(
      "--limit <n>",
      "show at most this many sessions, 1 to 100 (default: 10)",
      parseCountUpTo(100),
    )
    .option("--after <cursor>", "continue after an earlier answer: its `next`")
    .option("--explain", "show how the query was read and run")
    .action((query: string[], flags: SearchFlags, command: Command) =>
      run(command, (context) => search(context, query.join(" "), flags)),
    );
}

async function search(context: Context, query: string, flags: SearchFlags) {
  const { signal, stop } = onInterrupt();
  const response = await find(context, query, { flags, signal }).finally(stop);
  if (context.output.isJson) await printJson(context.output, response);
  else {
    printResults(context, response, isNarrowed(flags));
    await remember(context, response);
  }
  return exitCodes.done;
}

function isNarrowed(flags: SearchFlags): boolean {
  const { project, session, agent, role, since, until, minScore } = flags;
  const filters = [project, session, agent, role, since, until, minScore];
  return filters.some((filter) => filter !== undefined);
}

/** The results are on the screen; if their numbers cannot be typed, the search has not failed. */
async function remember({ output, settings }: Context, { sessions }: SearchResponse) {
  try {
    const ids = sessions.map(({ session_id }) => session_id);
    await rememberSearch(settings, ids);
  } catch (error) {
    warnOfFailure(output, "`pond get 1` will not know these numbers", error);
  }
}

function find(
  context: Context,
  query: string,
  { flags, signal }: { readonly flags: SearchFlags; readonly signal: AbortSignal },
): Promise<SearchResponse> {
  const use = async (sessions: SessionStore): Promise<SearchResponse> => {
    const { search } = await import("@pond/search");
    const { session: typed } = flags;
    const session =
      typed === undefined ? undefined : await resolveSessionId(context.settings, sessions, typed);
    const request = await toRequest(query, { ...flags, session });
    return withEmbedder(context, async ({ embedder, failure }) => {
      const found = await search(sessions, request, { embedder, signal, withTitles: true });
      return failure === undefined ? found : withWarning(found, failure);
    });
  };
  return withStore(context, "read", use, { onMissingIndex: warnOfMissingIndex(context) });
}

/** A model that cannot be used costs a search its meaning, never the search itself. */
function withWarning(response: SearchResponse, { message }: Error): SearchResponse {
  const warning = {
    code: "embedding_failed",
    message: `the model cannot be used, so only words were searched: ${message}`,
  } as const;
  return { ...response, warnings: [warning, ...(response.warnings ?? [])] };
}

async function toRequest(
  query: string,
  {
    since,
    until,
    minScore,
    ...flags
  }: Omit<SearchFlags, "session"> & { session: string | undefined },
): Promise<SearchRequest> {
  const { toRfc3339 } = await import("@pond/canonical");
  return {
    query,
    ...flags,
    since: since === undefined ? undefined : toRfc3339(since),
    until: until === undefined ? undefined : toRfc3339(until),
    min_score: minScore,
  };
}
