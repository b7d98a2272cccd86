import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { adapterNamed, meaningsOf } from "@pond/adapters";
import type { ReadEvent } from "@pond/canonical";
import type { Lineage, Origin, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import {
  createIngest,
  loadLineage,
  openSessions,
  restore,
  rootIds,
  type SessionStore,
  writeFiles,
} from "@pond/sessions";

/** The whole folder of a client in a store of pond. */
export type StoredHome = {
  readonly origin: Origin;
  readonly sessions: SessionStore;
  /** The stored session of a key; undefined if its file holds none. */
  readonly idOf: (key: string) => string | undefined;
  /** The faults of the reader: data that it could not read, or that is incomplete. */
  readonly remarks: readonly string[];
};

/** Stores everything that a client keeps in `home`, below `folder`. */
export async function storeHome(origin: Origin, home: string, folder: string): Promise<StoredHome> {
  const sessions = await openSessions(mkdtempSync(join(folder, "store-")), { mode: "write" });
  const ingest = createIngest(sessions, { host: "test", now: () => new Date(0) });
  const ids = new Map<string, string>();
  const remarks: string[] = [];
  const reader = adapterNamed(origin).from(home);
  const noted = async function* (key: string): AsyncGenerator<ReadEvent> {
    for await (const event of reader.read(key)) {
      if (event.kind === "session") ids.set(key, event.session.id);
      if (event.kind === "fault") remarks.push(event.fault.message);
      if (event.kind === "pending") remarks.push(`pending: ${event.location}: ${event.reason}`);
      yield event;
    }
  };
  for await (const source of reader.sessions()) {
    if (source.kind === "fault") {
      remarks.push(source.fault.message);
      continue;
    }
    await ingest.session(noted(source.key), {
      isUnchanged: async () => true,
      onCommitted: () => undefined,
    });
  }
  await ingest.finish();
  return { origin, sessions, idOf: (key) => ids.get(key), remarks };
}

/** A session with everything below it, as it comes out of the store. */
export async function lineageOf(stored: StoredHome, key: string): Promise<Lineage> {
  const id = stored.idOf(key);
  if (id === undefined) throw new Error(`no session at ${key}: ${stored.remarks.join("; ")}`);
  return loadLineage(stored.sessions, id);
}

/** A session and everything below it. */
export function contentsOf({ root, descendants }: Lineage): readonly SessionContent[] {
  return [root, ...descendants];
}

/** Writes every session of a store into `folder`, as its own client keeps them. */
export async function restoreHome({ origin, sessions }: StoredHome, folder: string): Promise<void> {
  for (const id of await rootIds(sessions)) {
    const { files } = await restore(sessions, id, adapterNamed(origin).to);
    await writeFiles(files, folder);
  }
}

/** Writes a session into `folder` as another client keeps it; the session's own file first. */
export async function restoreForeign(
  lineage: Lineage,
  target: Origin,
  folder: string,
): Promise<readonly RestoredFile[]> {
  const files = [...adapterNamed(target).to.writeForeign(lineage, meaningsOf())];
  await writeFiles(files, folder);
  const isOwn = ({ session }: RestoredFile): boolean => session === lineage.root.session.id;
  return [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))];
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
