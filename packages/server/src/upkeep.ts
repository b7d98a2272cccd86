import { type SessionStore, sessionTables } from "@pond/sessions";
import { inTurn } from "./turns.ts";

/** Tells upkeep that something was stored. Returns at once; whatever there is to do is done later. */
export type Upkeep = (sessions: SessionStore, messages: number) => void;

// A look costs milliseconds, so not every ingest is worth one; but each leaves fragments, and many
// small ones as many as a few large ones.
const messagesToLook = 1_000;
const ingestsToLook = 20;

/**
 * Keeps indexes near what is ingested (`lance-index-maintenance`), between ingests: where nobody
 * runs `pond sync`, nothing else does, and searches would get slower with every request. Tables are
 * folded only where it pays.
 *
 * @param onFailed - Told of what went wrong. Nothing is lost by it; a later ingest tries again.
 */
export function createUpkeep(onFailed: (error: unknown) => void): Upkeep {
  const since = new WeakMap<SessionStore, { messages: number; ingests: number }>();
  return (sessions, messages) => {
    const before = since.get(sessions) ?? { messages: 0, ingests: 0 };
    const now = { messages: before.messages + messages, ingests: before.ingests + 1 };
    const isDue = now.messages >= messagesToLook || now.ingests >= ingestsToLook;
    since.set(sessions, isDue ? { messages: 0, ingests: 0 } : now);
    if (isDue) inTurn(sessions, undefined, () => fold(sessions)).catch(onFailed);
  };
}

async function fold({ store }: SessionStore): Promise<void> {
  for (const { name } of sessionTables) await store.table(name).fold();
}
