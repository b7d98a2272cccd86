import { foldSessions, type SessionStore } from "@pond/sessions";
import { ConflictError } from "@pond/substrate";
import { runBesideTurns, runInTurn } from "./turns.ts";

/** Keeps indexes close to what is stored. */
export type Upkeep = {
  /**
   * Notes an ingest. Returns at once; any maintenance runs in the background.
   *
   * @param messages - How many were added, or would hold as much text if that is more.
   */
  stored(sessions: SessionStore, messages: number): void;
  /**
   * Resolves when indexes are no further behind than searches can bear, or when that took too long.
   */
  caughtUp(sessions: SessionStore): Promise<void>;
};

type UpkeepTimes = {
  /** How long no ingest must arrive before a smaller backlog is indexed. Default: a second. */
  readonly quietMs?: number;
  /** The longest that an ingest is held up. Default: five seconds. */
  readonly holdMs?: number;
};

// A check costs milliseconds, so not every ingest is worth one. But each leaves fragments, and many
// small ones leave as many as a few large ones.
const minMessagesToFold = 1_000;
const maxIngestsBeforeFold = 20;
// A fold rewrites whole indexes, so while more keeps coming it waits until there is half as much
// again. But every search reads what is not in an index.
const foldGrowth = 0.5;
const maxMessagesBeforeFold = 10_000;
const maxMessagesAhead = 10_000;
const defaults = { quietMs: 1_000, holdMs: 5_000 } as const;

type Backlog = {
  /** Rows when the last fold began. */
  rows: number;
  /** Since that fold. */
  messages: number;
  ingests: number;
  /** Whether a fold has run at all: nobody counted what this process, or an earlier one, left. */
  isKnown: boolean;
  running: Promise<void> | undefined;
  quiet: NodeJS.Timeout | undefined;
};

/**
 * Keeps indexes close to what is ingested (`lance-index-maintenance`). If nobody runs `pond sync`,
 * nothing else does, and searches would get slower with every request. Tables are folded only if
 * that pays off, and one store once at a time. Ingests go on meanwhile: under load, a fold takes
 * seconds.
 *
 * @param onFailed - Called with an error. Nothing is lost by it; a later ingest tries again.
 */
export function createUpkeep(onFailed: (error: unknown) => void, times: UpkeepTimes = {}): Upkeep {
  const { quietMs, holdMs } = { ...defaults, ...times };
  const backlogs = new WeakMap<SessionStore, Backlog>();

  const startFold = (sessions: SessionStore, backlog: Backlog): void => {
    if (backlog.running !== undefined) return;
    backlog.messages = 0;
    backlog.ingests = 0;
    backlog.isKnown = true;
    backlog.running = runBesideTurns(sessions, async () => {
      backlog.rows = await foldOrTakeTurn(sessions);
    })
      .catch(onFailed)
      .finally(() => {
        backlog.running = undefined;
        foldIfDue(sessions, backlog);
      });
  };

  const foldIfDue = (sessions: SessionStore, backlog: Backlog): void => {
    const { rows, messages, ingests, isKnown } = backlog;
    clearTimeout(backlog.quiet);
    const threshold = Math.max(
      minMessagesToFold,
      Math.min(rows * foldGrowth, maxMessagesBeforeFold),
    );
    if (messages >= threshold || ingests >= maxIngestsBeforeFold) startFold(sessions, backlog);
    else if (messages >= minMessagesToFold || !isKnown) {
      backlog.quiet = setTimeout(() => startFold(sessions, backlog), quietMs).unref();
    }
  };

  return {
    stored(sessions, messages) {
      const known = backlogs.get(sessions);
      const backlog = known ?? {
        ...{ rows: 0, messages: 0, ingests: 0, isKnown: false },
        ...{ running: undefined, quiet: undefined },
      };
      backlogs.set(sessions, backlog);
      backlog.messages += messages;
      backlog.ingests += 1;
      foldIfDue(sessions, backlog);
    },
    async caughtUp(sessions) {
      const backlog = backlogs.get(sessions);
      if (backlog?.running === undefined || backlog.messages < maxMessagesAhead) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, holdMs);
      await Promise.race([backlog.running, promise]);
      clearTimeout(timer);
    },
  };
}

/** Makes ingests wait only if they win every race. */
async function foldOrTakeTurn(sessions: SessionStore): Promise<number> {
  try {
    return await fold(sessions);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return runInTurn(sessions, undefined, () => fold(sessions));
  }
}

/** @returns How many messages there were before. */
async function fold(sessions: SessionStore): Promise<number> {
  const rows = await sessions.store.table("messages").count();
  await foldSessions(sessions);
  return rows;
}
