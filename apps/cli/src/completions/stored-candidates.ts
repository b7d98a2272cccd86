import type { SessionStore } from "@pond/sessions";
import type { Filter, Row } from "@pond/substrate";
import { isAddress } from "../config-values.ts";
import { numberedSession } from "../last-search.ts";
import { formatCounted } from "../output/numbers.ts";
import type { Settings } from "../settings.ts";
import type { Candidate, CandidateOptions } from "./candidates.ts";
import { uniquePrefixes } from "./unique-prefixes.ts";

export type StoredCandidateOptions = CandidateOptions & { readonly settings: Settings };

const maxSessions = 200;
const maxNumbers = 50;
const maxTitleLength = 80;
const columns = ["id", "created_at", "project"];

/**
 * How long somebody who presses Tab waits, in milliseconds. A folder answers in a tenth of that; a
 * bucket that does not exist would be tried for half a minute.
 */
const timeoutsMs = { folder: 5_000, bucket: 1_000 };

/** Candidates from the store. @throws the error that keeps it from being read in time. */
export async function storedCandidates(
  kind: "sessions" | "projects" | "agents",
  typed: string,
  options: StoredCandidateOptions,
): Promise<Candidate[]> {
  const { location } = options.settings;
  const timeoutMs = isAddress(location) ? timeoutsMs.bucket : timeoutsMs.folder;
  return withTimeout(timeoutMs, async () => {
    const sessions = await openReadOnly(options, kind === "sessions" && options.isDescribed);
    try {
      if (kind === "sessions") return await sessionCandidates(sessions, typed, options);
      return kind === "projects" ? await projects(sessions) : await agents(sessions);
    } finally {
      sessions.close();
    }
  });
}

async function withTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the store takes too long")), timeoutMs);
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens no more than is needed, and heals nothing, because nobody could be told. */
async function openReadOnly(
  { settings }: StoredCandidateOptions,
  hasTitles: boolean,
): Promise<SessionStore> {
  const { openStore } = await import("@pond/substrate");
  const { sessionTables } = await import("@pond/sessions");
  const names = hasTitles ? ["sessions", "messages", "parts"] : ["sessions"];
  const store = await openStore(settings.location, {
    tables: sessionTables.filter(({ name }) => names.includes(name)),
    storageOptions: settings.storageOptions,
    heals: false,
  });
  return { store, close: () => store.close() };
}

/** Numbers of the last search, then the newest sessions; sub-agents if nothing else fits. */
async function sessionCandidates(
  sessions: SessionStore,
  typed: string,
  options: StoredCandidateOptions,
): Promise<Candidate[]> {
  const { and, isNull, oneOf, prefix } = await import("@pond/substrate");
  const table = sessions.store.table("sessions");
  const startsAsTyped = prefix("id", typed);
  const orderBy = [{ column: "created_at", direction: "desc" }] as const;
  const newest = (where: Filter): Promise<Row[]> =>
    table.rows({ columns, where, orderBy, limit: maxSessions });
  const roots = await newest(and(startsAsTyped, isNull("parent_session_id")));
  const listed = roots.length > 0 ? roots : await newest(startsAsTyped);
  const all = await table.rows({ columns: ["id"], where: startsAsTyped });
  const names = uniquePrefixes(all.map(idOf), typed.length);

  const numbers = await numberedIds(options.settings, typed);
  // Some of what was found may be gone by now.
  const found = await table.rows({ columns, where: oneOf("id", [...new Set(numbers.values())]) });
  const rowsById = new Map([...listed, ...found].map((row) => [idOf(row), row]));
  const about = options.isDescribed ? await descriptions(sessions, rowsById) : undefined;
  const describe = (id: string): string => about?.get(id) ?? "";
  return [
    ...[...numbers].flatMap(([number, id]) =>
      rowsById.has(id) ? [{ value: number, description: describe(id) }] : [],
    ),
    ...listed.map((row) => {
      const id = idOf(row);
      return { value: names.get(id) ?? id, description: describe(id) };
    }),
  ];
}

/** The ids for the numbers that begin as typed. */
async function numberedIds(settings: Settings, typed: string): Promise<Map<string, string>> {
  const numbers = new Map<string, string>();
  if (!/^\d*$/.test(typed)) return numbers;
  for (let number = 1; number <= maxNumbers; number++) {
    const id = await numberedSession(settings, `${number}`);
    if (id === undefined) break;
    if (`${number}`.startsWith(typed)) numbers.set(`${number}`, id);
  }
  return numbers;
}

async function descriptions(
  sessions: SessionStore,
  rowsById: ReadonlyMap<string, Row>,
): Promise<Map<string, string>> {
  const { titles } = await import("@pond/sessions");
  const known = await titles(sessions, [...rowsById.keys()]);
  return new Map(
    [...rowsById].map(([id, { created_at, project }]) => {
      const folder = String(project).split(/[/\\]/).findLast(Boolean) ?? "";
      const title = known.get(id) ?? "";
      const begin = [...title].slice(0, maxTitleLength).join("");
      return [id, `${dayOf(created_at)} ${folder}${begin && `: ${begin}`}`];
    }),
  );
}

async function projects({ store }: SessionStore): Promise<Candidate[]> {
  const counts = new Map<string, { sessions: number; last: bigint }>();
  for await (const rows of store.table("sessions").scan({ columns: ["project", "created_at"] })) {
    for (const { project, created_at } of rows) {
      const known = counts.get(String(project)) ?? { sessions: 0, last: 0n };
      const created = BigInt(created_at as bigint);
      const last = created > known.last ? created : known.last;
      counts.set(String(project), { sessions: known.sessions + 1, last });
    }
  }
  return [...counts]
    .sort(([, left], [, right]) => Number(right.last - left.last))
    .map(([value, { sessions, last }]) => ({
      value,
      description: `${formatCounted(sessions, "session")}, the last of ${dayOf(last)}`,
    }));
}

async function agents({ store }: SessionStore): Promise<Candidate[]> {
  const counts = new Map<string, number>();
  for await (const rows of store.table("sessions").scan({ columns: ["source_agent"] })) {
    for (const { source_agent } of rows) {
      const name = String(source_agent);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([value, sessions]) => ({
    value,
    description: formatCounted(sessions, "session"),
  }));
}

function dayOf(micros: unknown): string {
  const date = new Date(Number(BigInt(micros as bigint) / 1000n));
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

function idOf(row: Row): string {
  return String(row["id"]);
}
