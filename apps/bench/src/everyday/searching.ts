import { join } from "node:path";
import { search } from "@pond/search";
import { openSessions, type SessionStore } from "@pond/sessions";
import { isNotNull } from "@pond/substrate";
import type { Home } from "../shared/home.ts";
import { median, percentile } from "../shared/percentile.ts";
import { createRandom } from "../shared/random.ts";
import type { Measure } from "./measure.ts";
import { createSqliteIndex, type SearchableRow, sqliteTokenizers } from "./sqlite-index.ts";

const queries = 200;
const warmUps = 20;
const filters = { project: "/work/project-1", role: "user" };

/** Milliseconds of each query, without and with filters. */
type Times = { readonly plain: readonly number[]; readonly filtered: readonly number[] };

/**
 * Warm search, compared with SQLite FTS5 on the same rows, with the same words, in the same run.
 */
export async function measureSearching(home: Home): Promise<Measure[]> {
  const sessions = await openSessions(home.storage);
  const rows = await searchableRows(sessions);
  const asked = askedWords(rows);
  const ours: Times = {
    plain: await timed(asked, async (query) => void (await search(sessions, { query }))),
    filtered: await timed(
      asked,
      async (query) => void (await search(sessions, { query, ...filters })),
    ),
  };
  sessions.close();
  const measures: Measure[] = [];
  const bySqlite = new Map<string, Times>();
  for (const tokenizer of sqliteTokenizers) {
    const index = createSqliteIndex(join(home.folder, `${tokenizer}.db`), tokenizer, rows);
    bySqlite.set(tokenizer, {
      plain: await timed(asked, async (query) => index.search(query)),
      filtered: await timed(asked, async (query) => index.search(query, filters)),
    });
    index.close();
  }
  for (const which of ["plain", "filtered"] as const) {
    const times = ours[which];
    const label = which === "plain" ? "warm search" : "warm search by project and role";
    const what = `${label}, ${rows.length} searchable messages`;
    for (const [tokenizer, theirs] of bySqlite) {
      const base = median(theirs[which]);
      const measure = {
        what: `${what}, p50`,
        value: median(times),
        unit: "ms",
        baseline: { name: `FTS5 ${tokenizer}`, ratio: median(times) / base },
      };
      const isBar = tokenizer === "trigram";
      measures.push(isBar ? { ...measure, bar: barOf(rows.length, median(times), base) } : measure);
    }
    measures.push({ what: `${what}, p95`, value: percentile(times, 0.95), unit: "ms" });
  }
  return measures;
}

function barOf(rows: number, ours: number, theirs: number): NonNullable<Measure["bar"]> {
  const most = rows <= 150_000 ? 15 : 30;
  return { text: `under ${most} ms, no slower`, isMet: ours < most && ours <= theirs };
}

async function searchableRows({ store }: SessionStore): Promise<SearchableRow[]> {
  const columns = ["search_text", "project", "role"];
  const rows: SearchableRow[] = [];
  const scan = { columns, where: isNotNull("search_text") };
  for await (const batch of store.table("messages").scan(scan)) {
    for (const row of batch) {
      const [text, project, role] = columns.map((column) => String(row[column]));
      rows.push({ text: text ?? "", project: project ?? "", role: role ?? "" });
    }
  }
  return rows;
}

/** Three words of one message each, as a person half remembers it. */
function askedWords(rows: readonly SearchableRow[]): string[] {
  const random = createRandom(99);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  return Array.from({ length: queries }, () => {
    const words = pick(rows)?.text.split(/\W+/).filter(Boolean) ?? [];
    return [0, 1, 2].map(() => pick(words) ?? "ba").join(" ");
  });
}

async function timed(
  asked: readonly string[],
  ask: (words: string) => Promise<void>,
): Promise<number[]> {
  for (const words of asked.slice(0, warmUps)) await ask(words);
  const times: number[] = [];
  for (const words of asked) {
    const startedMs = performance.now();
    await ask(words);
    times.push(performance.now() - startedMs);
  }
  return times;
}
