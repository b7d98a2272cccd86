import type { CanonicalEvent } from "@pond/canonical";
import { createIngest, type IngestOutcome, type SessionStore } from "@pond/sessions";
import { ConflictError, StorageUnavailableError } from "@pond/substrate";
import type { Resources } from "../resources.ts";
import { inTurn } from "../turns.ts";
import type { SessionRows } from "./ingest-rows.ts";

/** The outcomes for the sessions of a request. A session that could not be stored has none. */
type Outcomes = ReadonlyMap<SessionRows, IngestOutcome>;

/** A request that waits to be stored. */
type Waiting = {
  readonly sessions: readonly SessionRows[];
  readonly resources: Pick<Resources, "host" | "now" | "signal">;
  readonly resolve: (outcomes: Outcomes) => void;
  readonly reject: (error: unknown) => void;
};

const queues = new WeakMap<SessionStore, Waiting[]>();

// A commit of a thousand rows takes as long as one of a single row, and commits to one store take
// turns: concurrent ones would race each other.
const groupEvents = 10_000;

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
  resources: Waiting["resources"],
): Promise<Outcomes> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcomes>();
  const queue = queues.get(store) ?? [];
  queues.set(store, queue);
  queue.push({ sessions, resources, resolve, reject });
  // There are as many turns as requests: those of requests that were stored with an earlier one
  // find nothing.
  void inTurn(store, undefined, () => storeNext(store, queue));
  return promise;
}

async function storeNext(store: SessionStore, queue: Waiting[]): Promise<void> {
  const group = takeGroup(queue);
  const left = await storeGroup(store, group, group.length > 1);
  for (const each of left) await storeGroup(store, [each], false);
}

/** The waiting requests, up to the first that continues a session of an earlier one. */
function takeGroup(queue: Waiting[]): Waiting[] {
  const group: Waiting[] = [];
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
    const isApart = others !== undefined && others.resources.host !== resources.host;
    const isShared = sessions.some(({ id }) => ids.has(id));
    if (others !== undefined && (isApart || isShared || events > groupEvents)) break;
    for (const { id } of sessions) ids.add(id);
    group.push(next);
    queue.shift();
  }
  return group;
}

/**
 * Stores requests together and answers them.
 *
 * @returns Those that may succeed by themselves, if `mayPart` is set.
 */
async function storeGroup(
  store: SessionStore,
  group: readonly Waiting[],
  mayPart: boolean,
): Promise<readonly Waiting[]> {
  const [first] = group;
  if (first === undefined) return [];
  const outcomes = new Map<SessionRows, IngestOutcome>();
  let failure: { readonly error: unknown } | undefined;
  try {
    await write(store, group, first.resources, outcomes);
  } catch (error) {
    failure = { error };
  }
  const left: Waiting[] = [];
  for (const each of group) {
    if (isStored(each, outcomes)) each.resolve(outcomes);
    // A failure of storage fails all of them.
    else if (mayPart && !isOfStorage(failure?.error)) left.push(each);
    else each.reject(failure?.error);
  }
  return left;
}

async function write(
  store: SessionStore,
  group: readonly Waiting[],
  { host, now }: Waiting["resources"],
  outcomes: Map<SessionRows, IngestOutcome>,
): Promise<void> {
  const sessions = group.flatMap((each) => each.sessions.filter(isStorable));
  const sessionIds = sessions.map(({ id }) => id);
  const ingesting = createIngest(store, { host, now: laterThanBefore(now), sessionIds });
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

function isStored({ sessions }: Waiting, outcomes: Outcomes): boolean {
  return sessions.every((each) => !isStorable(each) || outcomes.has(each));
}

function isStorable({ session }: SessionRows): boolean {
  return session !== undefined;
}

function isOfStorage(error: unknown): boolean {
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
function laterThanBefore(now: () => Date): () => Date {
  return () => {
    lastMs = Math.max(lastMs + 1, now().getTime());
    return new Date(lastMs);
  };
}
