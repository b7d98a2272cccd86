import type { CanonicalEvent } from "@pond/canonical";
import { createIngest, type IngestOutcome, type SessionStore } from "@pond/sessions";
import { ConflictError, StorageUnavailableError } from "@pond/substrate";
import type { Resources } from "../resources.ts";
import { runInTurn } from "../turns.ts";
import type { SessionRows } from "./ingest-rows.ts";

/** The outcomes for the sessions of a request. A session that could not be stored has none. */
type Outcomes = ReadonlyMap<SessionRows, IngestOutcome>;

/** A request that waits to be stored. */
type PendingRequest = {
  readonly sessions: readonly SessionRows[];
  readonly resources: Pick<Resources, "host" | "now" | "signal">;
  readonly resolve: (outcomes: Outcomes) => void;
  readonly reject: (error: unknown) => void;
};

const queues = new WeakMap<SessionStore, PendingRequest[]>();

// A commit of a thousand rows takes as long as one of a single row, and commits to one store take
// turns: concurrent ones would race each other.
const maxGroupEvents = 10_000;

/**
 * Stores the content of a request. Requests that arrive while others are written are stored
 * together, in the order of their arrival, and each is answered when its own rows are durable. An
 * error of one fails no other.
 *
 * @throws What storing it by itself throws; the reason of its signal, if that is aborted before its
 * turn.
 */
export function storeTogether(
  store: SessionStore,
  sessions: readonly SessionRows[],
  resources: PendingRequest["resources"],
): Promise<Outcomes> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcomes>();
  const queue = queues.get(store) ?? [];
  queues.set(store, queue);
  queue.push({ sessions, resources, resolve, reject });
  // There are as many turns as requests: those of requests that were stored with an earlier one
  // find nothing.
  void runInTurn(store, undefined, () => storeNext(store, queue));
  return promise;
}

async function storeNext(store: SessionStore, queue: PendingRequest[]): Promise<void> {
  const group = takeGroup(queue);
  const retries = await storeGroup(store, group, group.length > 1);
  for (const each of retries) await storeGroup(store, [each], false);
}

/** The waiting requests, up to the first that continues a session of an earlier one. */
function takeGroup(queue: PendingRequest[]): PendingRequest[] {
  const group: PendingRequest[] = [];
  const ids = new Set<string>();
  let events = 0;
  for (let next = queue[0]; next !== undefined; next = queue[0]) {
    const { sessions, resources } = next;
    if (resources.signal?.aborted) {
      next.reject(resources.signal.reason);
      queue.shift();
      continue;
    }
    const others = group[0];
    events += sessions.reduce((sum, each) => sum + each.events.length, 0);
    const isOtherHost = others !== undefined && others.resources.host !== resources.host;
    const isShared = sessions.some(({ id }) => ids.has(id));
    if (others !== undefined && (isOtherHost || isShared || events > maxGroupEvents)) break;
    for (const { id } of sessions) ids.add(id);
    group.push(next);
    queue.shift();
  }
  return group;
}

/**
 * Stores requests together and answers them.
 *
 * @returns Those that may succeed by themselves, if `canSplit` is set.
 */
async function storeGroup(
  store: SessionStore,
  group: readonly PendingRequest[],
  canSplit: boolean,
): Promise<readonly PendingRequest[]> {
  const [first] = group;
  if (first === undefined) return [];
  const outcomes = new Map<SessionRows, IngestOutcome>();
  let failure: { readonly error: unknown } | undefined;
  try {
    await write(store, group, first.resources, outcomes);
  } catch (error) {
    failure = { error };
  }
  const retries: PendingRequest[] = [];
  for (const each of group) {
    if (isStored(each, outcomes)) each.resolve(outcomes);
    // A failure of storage fails all of them.
    else if (canSplit && !isStorageError(failure?.error)) retries.push(each);
    else each.reject(failure?.error);
  }
  return retries;
}

async function write(
  store: SessionStore,
  group: readonly PendingRequest[],
  { host, now }: PendingRequest["resources"],
  outcomes: Map<SessionRows, IngestOutcome>,
): Promise<void> {
  const sessions = group.flatMap((each) => each.sessions.filter(isStorable));
  const sessionIds = sessions.map(({ id }) => id);
  const ingesting = createIngest(store, { host, now: increasingClock(now), sessionIds });
  try {
    for (const each of sessions) {
      await ingesting.session(eventsOf(each), {
        // No place: a request holds what is new in a session, and nothing else has disappeared.
        isUnchanged: async () => true,
        onCommitted: (outcome) => void outcomes.set(each, outcome),
      });
    }
  } finally {
    await ingesting.finish();
  }
}

function isStored({ sessions }: PendingRequest, outcomes: Outcomes): boolean {
  return sessions.every((each) => !isStorable(each) || outcomes.has(each));
}

function isStorable({ session }: SessionRows): boolean {
  return session !== undefined;
}

function isStorageError(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof StorageUnavailableError;
}

async function* eventsOf({ session, messages }: SessionRows): AsyncGenerator<CanonicalEvent> {
  if (session !== undefined) yield session.value;
  for (const { rows } of messages) for (const { value } of rows) yield value;
}

let lastMs = 0;

/**
 * Never returns the same time twice in this process, because a batch recognizes its rows by the
 * time it was made.
 */
function increasingClock(now: () => Date): () => Date {
  return () => {
    lastMs = Math.max(lastMs + 1, now().getTime());
    return new Date(lastMs);
  };
}
