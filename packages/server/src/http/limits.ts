import type { OperationName } from "@pond/wire";
import { refuseUnfit } from "../limits.ts";

/** How many requests of one kind run at a time, and how many more may wait for their turn. */
export type Places = { readonly running: number; readonly waiting: number };

/** What is counted by itself. `mounted` is everything below the mounts together. */
export type RequestKind = OperationName | "mounted";

/** What one server gives at most. Every one of them keeps a stranger from using up the process. */
export type HttpLimits = {
  /** Body of every operation but ingest. */
  readonly maxBodyBytes: number;
  readonly maxIngestBytes: number;
  /** All bodies held at one time, whoever sent them. */
  readonly maxHeldBytes: number;
  /** All answers that their clients have yet to read; beyond it nothing new is begun. */
  readonly maxUnsentBytes: number;
  /** Arrays and objects inside each other, in every operation but ingest. */
  readonly maxDepth: number;
  /** Tool calls and results are kept as they were, and some are deep. */
  readonly maxIngestDepth: number;
  readonly headersTimeoutMs: number;
  /** For the whole body, once the headers are there. */
  readonly bodyTimeoutMs: number;
  /** For the answer, the wait for a place included. */
  readonly answerTimeoutMs: number;
  /** For the client to read its answer. */
  readonly sendTimeoutMs: number;
  /** A connection that asks nothing is closed. */
  readonly idleTimeoutMs: number;
  /** How long what is left of a refused body is taken and thrown away, so that the answer arrives. */
  readonly lingerMs: number;
  readonly maxConnections: number;
  /** Requests of one client that run and wait; all of a proxy are one, unless it is trusted. */
  readonly maxPerClient: number;
  readonly places: Readonly<Record<RequestKind, Places>>;
};

/** {@link HttpLimits}, of which any may be given. */
export type HttpLimitOptions = Partial<Omit<HttpLimits, "places">> & {
  readonly places?: Partial<HttpLimits["places"]>;
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
  places: {
    search: { running: 4, waiting: 256 },
    get: { running: 8, waiting: 256 },
    ingest: { running: 8, waiting: 32 },
    status: { running: 1, waiting: 32 },
    restore: { running: 2, waiting: 32 },
    mounted: { running: 8, waiting: 256 },
  },
};

/** @throws {TypeError} for one that nothing could keep to. */
export function limitsOf(options: HttpLimitOptions = {}): HttpLimits {
  const { places: given, ...others } = options;
  const { places: usual, ...usualOthers } = defaults;
  const limits = { ...usualOthers, ...others };
  for (const [name, limit] of Object.entries(limits)) {
    const least = name === "lingerMs" ? 0 : 1;
    refuseUnfit(name, limit, name.endsWith("Ms") ? { least, most: longestMs } : { least });
  }
  const places = { ...usual, ...given };
  for (const [kind, { running, waiting }] of Object.entries(places)) {
    refuseUnfit(`places.${kind}.running`, running);
    refuseUnfit(`places.${kind}.waiting`, waiting, { least: 0 });
  }
  return { ...limits, places };
}

/** Timers take what is longer for no time at all; that of a whole request is several of these. */
const longestMs = 2 ** 29;
