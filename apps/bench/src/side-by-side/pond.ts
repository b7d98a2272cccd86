import { search } from "@pond/search";
import { openSessions, type SessionStore } from "@pond/sessions";
import { messagesOf, parseCorpus, syncHome } from "../shared/importing.ts";
import type { Bench } from "./bench.ts";
import type { Contender, Outcome } from "./measure.ts";
import { linesIn, timed } from "./outcome.ts";

/** These come first, because the others are compared with them and they name the operations. */
export function pondContenders({ home, corpus, queries, pond }: Bench): Contender[] {
  const kind = "process";
  const sync = (): Outcome => {
    const run = syncHome(home, corpus.home);
    return { ...run, found: messagesOf(run) };
  };
  let opened: Promise<SessionStore> | undefined;
  const store = (): Promise<SessionStore> => {
    opened ??= openSessions(home.storage);
    return opened;
  };
  const answers = "the best sessions first, with snippets; an index";
  return [
    {
      ...{ operation: "read everything", tool: "pond sync", kind, isOnce: true },
      answers: "messages stored whole and indexed; restorable",
      run: sync,
    },
    {
      ...{ operation: "read everything", tool: "read + JSON.parse", kind },
      answers: "nothing: the least there is to do",
      run: () => ({ ...parseCorpus(corpus.files), found: corpus.records }),
    },
    {
      ...{ operation: "again, nothing new", tool: "pond sync", kind },
      answers: "that nothing is new",
      run: sync,
    },
    ...queries.flatMap(({ operation, asked }): Contender[] => [
      {
        ...{ operation, tool: "pond search", kind, answers },
        run: () => {
          const run = pond("search", asked, "--json");
          return { ...run, found: JSON.parse(run.stdout).sessions.length };
        },
      },
      {
        ...{ operation, tool: "pond, in a server", kind: "open", answers },
        run: async () => {
          const sessions = await store();
          return timed(async () => (await search(sessions, { query: asked })).sessions.length);
        },
      },
    ]),
    {
      ...{ operation: "list sessions", tool: "pond list --all", kind },
      answers: "titles, projects, messages, last activity",
      run: () => {
        const run = pond("list", "--all", "--json");
        return { ...run, found: linesIn(run.stdout) };
      },
    },
    {
      ...{ operation: "count by project", tool: "pond status", kind },
      answers: "sessions and messages; the state of the store too",
      run: () => {
        const run = pond("status", "--json");
        return { ...run, found: Object.keys(JSON.parse(run.stdout).by_project).length };
      },
    },
  ];
}
