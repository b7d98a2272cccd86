import type { Embedder } from "@pond/embed";
import { search } from "@pond/search";
import { median, percentile } from "../shared/percentile.ts";
import { stopwatch, type TimeSpent } from "../shared/stopwatch.ts";
import { type Kind, queriesOf, scopes } from "./queries.ts";
import type { Tokenizer } from "./sqlite.ts";
import type { LatencyStores } from "./store.ts";

/** Milliseconds of several queries. */
type Summary = {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Median over all threads: other work of the machine hardly lengthens it. */
  readonly cpuMs: number;
};

/** One kind of query with one filter, or all of them. */
export type LatencyRow = {
  readonly kind: string;
  readonly scope: string;
  readonly pond: Summary;
  readonly sqlite: Readonly<Record<Tokenizer, Summary>>;
  /**
   * Median over the queries of the ratio of pond's time to that of FTS5 trigram right afterwards.
   */
  readonly ratio: number;
  readonly isMet: boolean;
};

type Times = { readonly pond: TimeSpent; readonly sqlite: Readonly<Record<Tokenizer, TimeSpent>> };

/** Only for pond: everything SQLite keeps between queries is in the system's cache already. */
const warmUps = 5;

/** The bar: how long a warm search may take among so many messages. */
export function maxWarmMs(messages: number): number {
  return messages <= 150_000 ? 15 : 30;
}

type LatencyOptions = {
  readonly kinds: readonly Kind[];
  /** Queries of each kind, with each filter. */
  readonly queries: number;
  /** Searches by meaning, too. */
  readonly embedder: Embedder | undefined;
};

/**
 * Asks all of them the same queries in turn, so that other work of the machine affects each alike.
 */
export async function measureLatency(
  stores: LatencyStores,
  { kinds, queries, embedder }: LatencyOptions,
): Promise<LatencyRow[]> {
  const maxMs = maxWarmMs(stores.facts.messages);
  const rows: LatencyRow[] = [];
  const byScope = new Map<string, Times[]>(Object.keys(scopes).map((scope) => [scope, []]));
  for (const kind of kinds) {
    for (const [scope, ofAllKinds] of byScope) {
      const times = await timesOf(stores, { kind, scope, queries, embedder });
      ofAllKinds.push(...times);
      rows.push(rowOf(kind, scope, times, maxMs));
    }
  }
  const ofScopes = [...byScope].map(([scope, times]) => rowOf("all", scope, times, maxMs));
  return [...rows, ...ofScopes, rowOf("all", "all", [...byScope.values()].flat(), maxMs)];
}

type QueryOptions = Omit<LatencyOptions, "kinds"> & { readonly kind: Kind; readonly scope: string };

async function timesOf(
  { sessions, sqlite, facts }: LatencyStores,
  { kind, scope, queries, embedder }: QueryOptions,
): Promise<Times[]> {
  const asked = queriesOf(kind, facts.samples, queries + warmUps);
  const times: Times[] = [];
  for (const [at, query] of asked.entries()) {
    const bounds = scopes[scope]?.(at) ?? {};
    const request = { query: query.text, ...bounds };
    const pond = await timed(() => search(sessions, request, embedder && { embedder }));
    if (at < warmUps) continue;
    const bySqlite = (tokenizer: Tokenizer): Promise<TimeSpent> =>
      timed(async () => sqlite.search(tokenizer, query, bounds));
    const [trigram, unicode61] = [await bySqlite("trigram"), await bySqlite("unicode61")];
    times.push({ pond, sqlite: { trigram, unicode61 } });
  }
  return times;
}

function rowOf(kind: string, scope: string, times: readonly Times[], maxMs: number): LatencyRow {
  const pond = summaryOf(times.map((each) => each.pond));
  const ratio = median(times.map((each) => each.pond.wallMs / each.sqlite.trigram.wallMs));
  const ofSqlite = (tokenizer: Tokenizer): Summary =>
    summaryOf(times.map(({ sqlite }) => sqlite[tokenizer]));
  return {
    ...{ kind, scope, pond, ratio },
    sqlite: { trigram: ofSqlite("trigram"), unicode61: ofSqlite("unicode61") },
    isMet: pond.p50Ms < maxMs && ratio <= 1,
  };
}

function summaryOf(times: readonly TimeSpent[]): Summary {
  const wall = times.map(({ wallMs }) => wallMs);
  return {
    p50Ms: median(wall),
    p95Ms: percentile(wall, 0.95),
    cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
  };
}

async function timed(ask: () => Promise<unknown>): Promise<TimeSpent> {
  const spent = stopwatch();
  await ask();
  return spent();
}
