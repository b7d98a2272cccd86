import { toRfc3339 } from "@pond/canonical";
import { and, eq, type Filter, isNotNull, oneOf, or, prefix } from "@pond/substrate";
import type { SessionStore } from "./session-store.ts";

export type ListOptions = {
  /** A project, or a folder above it. */
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  /** Microseconds since the epoch; by the time the session began. */
  readonly since?: bigint | undefined;
  readonly limit?: number | undefined;
  /** List sub-agents beside their roots instead of counting them. */
  readonly isUnfolded?: boolean;
};

export type ListedSession = {
  readonly session_id: string;
  readonly parent_session_id?: string;
  readonly source_agent: string;
  readonly project: string;
  readonly created_at: string;
  /** The beginning of the first thing said in it. */
  readonly title?: string;
  /** Sessions below it. */
  readonly descendants: number;
};

const titleChars = 120;

/** Sessions, newest first; those below another are counted, not listed. */
export async function listSessions(
  sessions: SessionStore,
  { limit = 50, isUnfolded = false, ...filters }: ListOptions = {},
): Promise<ListedSession[]> {
  const columns = ["id", "parent_session_id", "source_agent", "project", "created_at"];
  const rows = await sessions.store.table("sessions").rows({ columns });
  const parents = new Map(
    rows.map((row) => [String(row["id"]), row["parent_session_id"] as string | null]),
  );
  const descendants = new Map<string, number>();
  for (const id of parents.keys()) {
    const root = rootOf(parents, id);
    if (root !== id) descendants.set(root, (descendants.get(root) ?? 0) + 1);
  }
  const chosen = rows
    .filter((row) => isUnfolded || rootOf(parents, String(row["id"])) === row["id"])
    .filter((row) => matches(row, filters))
    .sort((left, right) =>
      BigInt(right["created_at"] as bigint) > BigInt(left["created_at"] as bigint) ? 1 : -1,
    )
    .slice(0, limit);
  const titles = await firstTexts(
    sessions,
    chosen.map((row) => String(row["id"])),
  );
  return chosen.map((row): ListedSession => {
    const { id, parent_session_id: parent, source_agent, project, created_at } = row;
    const title = titles.get(String(id));
    return {
      session_id: String(id),
      ...(parent !== null && { parent_session_id: String(parent) }),
      source_agent: String(source_agent),
      project: String(project),
      created_at: toRfc3339(BigInt(created_at as bigint)),
      ...(title !== undefined && { title }),
      descendants: descendants.get(String(id)) ?? 0,
    };
  });
}

/** The topmost stored session above `id`; itself where it has no stored parent. */
export function rootOf(parents: ReadonlyMap<string, string | null>, id: string): string {
  const seen = new Set([id]);
  for (let root = id; ; ) {
    const parent = parents.get(root);
    if (parent === null || parent === undefined || !parents.has(parent) || seen.has(parent))
      return root;
    seen.add(parent);
    root = parent;
  }
}

/** Rows of this project and of folders below it. */
export function projectFilter(project: string): Filter {
  const folder = project.endsWith("/") ? project : `${project}/`;
  return or(eq("project", project), prefix("project", folder));
}

function matches(
  row: Readonly<Record<string, unknown>>,
  { project, agent, since }: Pick<ListOptions, "project" | "agent" | "since">,
): boolean {
  const own = String(row["project"]);
  if (
    project !== undefined &&
    own !== project &&
    !own.startsWith(project.endsWith("/") ? project : `${project}/`)
  )
    return false;
  if (agent !== undefined && row["source_agent"] !== agent) return false;
  return since === undefined || BigInt(row["created_at"] as bigint) >= since;
}

async function firstTexts(
  sessions: SessionStore,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const first = new Map<string, { readonly ordinal: bigint; readonly text: string }>();
  const columns = ["session_id", "ordinal", "search_text"];
  const where = and(oneOf("session_id", ids), eq("role", "user"), isNotNull("search_text"));
  if (ids.length > 0) {
    for await (const rows of sessions.store.table("messages").scan({ columns, where })) {
      for (const row of rows) {
        const id = String(row["session_id"]);
        const ordinal = BigInt(row["ordinal"] as bigint);
        const known = first.get(id);
        if (known && known.ordinal <= ordinal) continue;
        first.set(id, { ordinal, text: String(row["search_text"]) });
      }
    }
  }
  return new Map([...first].map(([id, { text }]) => [id, shorten(text)]));
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= titleChars ? line : `${line.slice(0, titleChars).toWellFormed()}…`;
}
