import type { OperationName } from "@pond/wire";
import { requireInRange } from "../limits.ts";

/** How many requests of one kind run at a time, and how many more may wait for their turn. */
export type Concurrency = { readonly running: number; readonly waiting: number };

/** The kinds that are counted separately. `mounted` is everything below the mounts together. */
export type RequestKind = OperationName | "mounted";

/** The limits of one server. Each keeps a stranger from exhausting the process. */
export type HttpLimits = {
  /** The body of every operation except ingest. */
  readonly maxBodyBytes: number;
  readonly maxIngestBytes: number;
  /** All bodies held at one time, whoever sent them. */
  readonly maxHeldBytes: number;
  /** All answers that their clients have not read yet. Beyond it, no new work begins. */
  readonly maxUnsentBytes: number;
  /** Nesting of arrays and objects, in every operation except ingest. */
  readonly maxDepth: number;
  /** Tool calls and results are stored unchanged, and some are deeply nested. */
  readonly maxIngestDepth: number;
  readonly headersTimeoutMs: number;
  /** For the whole body, once the headers have arrived. */
  readonly bodyTimeoutMs: number;
  /** For the answer, including the wait for a place. */
  readonly answerTimeoutMs: number;
  /** For the client to read its answer. */
  readonly sendTimeoutMs: number;
  /** After this time, a connection without a request is closed. */
  readonly idleTimeoutMs: number;
  /** How long the rest of a refused body is read and discarded, so that the answer arrives. */
  readonly lingerMs: number;
  readonly maxConnections: number;
  /**
   * Requests of one client that run and wait. All requests of a proxy count as one client, unless
   * it is trusted.
   */
  readonly maxPerClient: number;
  readonly concurrency: Readonly<Record<RequestKind, Concurrency>>;
};

/** Any of the {@link HttpLimits}. */
export type HttpLimitOptions = Partial<Omit<HttpLimits, "concurrency">> & {
  readonly concurrency?: Partial<HttpLimits["concurrency"]>;
};

const defaults: HttpLimits = {
  maxBodyBytes: 64 * 1024,
  maxIngestBytes: 16 * 1024 * 1024,
  maxHeldBytes: 128 * 1024 * 1024,
  maxUnsentBytes: 256 * 1024 * 1024,
  maxDepth: 32,
  maxIngestDepth: 10_000,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  answerTimeoutMs: 120_000,
  sendTimeoutMs: 300_000,
  idleTimeoutMs: 30_000,
  lingerMs: 1_000,
  maxConnections: 1_024,
  maxPerClient: Number.POSITIVE_INFINITY,
  concurrency: {
    search: { running: 4, waiting: 256 },
    list: { running: 2, waiting: 64 },
    get: { running: 8, waiting: 256 },
    ingest: { running: 8, waiting: 32 },
    status: { running: 1, waiting: 32 },
    restore: { running: 2, waiting: 32 },
    mounted: { running: 8, waiting: 256 },
  },
};

/** @throws {TypeError} for an impossible limit. */
export function limitsOf(options: HttpLimitOptions = {}): HttpLimits {
  const { concurrency: given, ...others } = options;
  const { concurrency: usual, ...usualOthers } = defaults;
  const limits = { ...usualOthers, ...others };
  for (const [name, limit] of Object.entries(limits)) {
    const min = name === "lingerMs" ? 0 : 1;
    requireInRange(name, limit, name.endsWith("Ms") ? { min, max: maxTimerMs } : { min });
  }
  const concurrency = { ...usual, ...given };
  for (const [kind, { running, waiting }] of Object.entries(concurrency)) {
    requireInRange(`concurrency.${kind}.running`, running);
    requireInRange(`concurrency.${kind}.waiting`, waiting, { min: 0 });
  }
  return { ...limits, concurrency };
}

/**
 * A timer takes anything longer for no time at all; the timer of a whole request is several of
 * these.
 */
const maxTimerMs = 2 ** 29;
