import type { SessionStore } from "@pond/sessions";

/** When the newest session of each client and each project began, as RFC 3339. */
export type LastSessions = {
  readonly byAgent: ReadonlyMap<string, string>;
  readonly byProject: ReadonlyMap<string, string>;
};

/** Reads three short columns of the sessions, none of the messages. */
export async function lastSessions({ store }: SessionStore): Promise<LastSessions> {
  const byAgent = new Map<string, bigint>();
  const byProject = new Map<string, bigint>();
  const columns = ["source_agent", "project", "created_at"];
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const { source_agent, project, created_at } of rows) {
      const micros = BigInt(created_at as bigint);
      keepLatest(byAgent, String(source_agent), micros);
      keepLatest(byProject, String(project), micros);
    }
  }
  const { toRfc3339 } = await import("@pond/canonical");
  const toTexts = (times: ReadonlyMap<string, bigint>): Map<string, string> =>
    new Map(Array.from(times, ([name, micros]) => [name, toRfc3339(micros)]));
  return { byAgent: toTexts(byAgent), byProject: toTexts(byProject) };
}

function keepLatest(times: Map<string, bigint>, name: string, micros: bigint): void {
  const known = times.get(name);
  if (known === undefined || known < micros) times.set(name, micros);
}
