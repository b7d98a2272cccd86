import { search } from "@pond/search";
import { getSession, openSessions } from "@pond/sessions";
import { median } from "../shared/percentile.ts";
import { stopwatch, type TimeSpent } from "../shared/stopwatch.ts";

const warmUps = 5;
const asked = 20;

/** Searches and pages over a store that is already open, as in a server; medians. */
export async function measureWarm(
  storage: string,
  queries: readonly string[],
  session: string,
): Promise<{ readonly search: TimeSpent; readonly page: TimeSpent }> {
  const sessions = await openSessions(storage);
  try {
    return {
      search: await timed((at) =>
        search(sessions, { query: queries[at % queries.length] ?? "ba" }),
      ),
      page: await timed(() => getSession(sessions, session, {})),
    };
  } finally {
    sessions.close();
  }
}

async function timed(run: (at: number) => Promise<unknown>): Promise<TimeSpent> {
  const times: TimeSpent[] = [];
  for (let at = 0; at < warmUps + asked; at += 1) {
    const spent = stopwatch();
    await run(at);
    if (at >= warmUps) times.push(spent());
  }
  return {
    wallMs: median(times.map(({ wallMs }) => wallMs)),
    cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
  };
}
