import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Embedder } from "@pond/embed";
import { createIngest, openSessions, type SessionStore } from "@pond/sessions";
import { embedMessages, foldIndexes } from "@pond/sync";
import { eventsOf, latencySessions } from "./corpus.ts";
import { LatencySqlite } from "./sqlite.ts";

/** The same rows in pond and in SQLite, and texts to make queries from. */
export type LatencyStores = {
  readonly sessions: SessionStore;
  readonly sqlite: LatencySqlite;
  readonly facts: LatencyFacts;
};

type LatencyFacts = {
  readonly messages: number;
  readonly textBytes: number;
  /** Some of the stored texts, from everywhere. */
  readonly samples: readonly string[];
};

const samplesWanted = 2_000;

/**
 * Opens the stores of so many messages below `folder`; the first time they are made, which takes
 * minutes.
 *
 * @param embedder - Gives every message a vector.
 */
export async function openLatencyStores(
  folder: string,
  messages: number,
  embedder?: Embedder,
): Promise<LatencyStores> {
  const home = join(folder, `messages-${messages}${embedder ? "-by-meaning" : ""}`);
  if (!existsSync(home)) {
    const draft = `${home}.draft`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    await build(draft, messages, embedder);
    renameSync(draft, home);
  }
  return {
    sessions: await openSessions(join(home, "store")),
    sqlite: new LatencySqlite(join(home, "rows.db")),
    facts: JSON.parse(readFileSync(join(home, "facts.json"), "utf8")),
  };
}

async function build(
  home: string,
  messages: number,
  embedder: Embedder | undefined,
): Promise<void> {
  const samples: string[] = [];
  let textBytes = 0;
  let seen = 0;
  const sessions = await openSessions(join(home, "store"), { mode: "write" });
  const now = (): Date => new Date();
  const ingest = createIngest(sessions, { host: "bench", now });
  const hooks = { isUnchanged: async () => true, onCommitted: () => undefined };
  for (const session of latencySessions(messages)) {
    await ingest.session(eventsOf(session), hooks);
    for (const { text } of session.messages) {
      textBytes += Buffer.byteLength(text);
      seen += 1;
      if (seen % Math.ceil(messages / samplesWanted) === 0) samples.push(text.slice(0, 2_000));
    }
  }
  await ingest.finish();
  if (embedder) await embedMessages(sessions, embedder, { now });
  await foldIndexes(sessions, { isForced: true });
  sessions.close();
  const sqlite = new LatencySqlite(join(home, "rows.db"));
  sqlite.fill(latencySessions(messages));
  sqlite.close();
  const facts: LatencyFacts = { messages, textBytes, samples };
  writeFileSync(join(home, "facts.json"), JSON.stringify(facts));
}
