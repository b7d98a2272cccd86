import { mkdtempSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { createIngest, openSessions, type SessionStore } from "@pond/sessions";
import { corpusFolder } from "../corpus.ts";

/** Claude Code homes: our samples, and the corpus where there is one. */
const samples = resolve("fixtures/samples/claude-code");
const homes = [samples, corpusFolder("claude-code")].filter((home) => home !== undefined);

export type ClientSession = {
  readonly home: string;
  /** Folder below `projects`. */
  readonly directory: string;
  readonly session: string;
};

/** The sessions the client can name: its ids are UUIDs. */
const clientSessions: readonly ClientSession[] = homes.flatMap((home) =>
  readdirSync(join(home, "projects")).flatMap((directory) =>
    readdirSync(join(home, "projects", directory)).flatMap((file): ClientSession[] =>
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/.test(file)
        ? [{ home, directory, session: file.slice(0, -".jsonl".length) }]
        : [],
    ),
  ),
);

/** Two seconds each: all of them on request, else ours and some of the others. */
export function chosenSessions(every: number): readonly ClientSession[] {
  return clientSessions.filter(
    ({ home }, index) => process.env["POND_ALL"] || home === samples || index % every === 0,
  );
}

/** A new store below `folder` with everything of a client's home in it. */
export async function storeHome(home: string, folder: string): Promise<SessionStore> {
  const storage = mkdtempSync(join(folder, "store-"));
  const sessions = await openSessions(storage, { mode: "write" });
  const ingest = createIngest(sessions, { host: "test", now: () => new Date(0) });
  const reader = adapterNamed("claude-code").from(home);
  for await (const source of reader.sessions()) {
    if (source.kind !== "source") continue;
    await ingest.session(reader.read(source.key), {
      seenBefore: false,
      isUnchanged: async () => true,
      onCommitted: () => undefined,
    });
  }
  await ingest.finish();
  return sessions;
}

/** Runs `make` once for each key. */
export function once<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
