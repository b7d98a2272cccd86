import { basename, join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import type { SourceSession } from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { fileName } from "../file-name.ts";
import { replacement } from "./cells.ts";
import { continuedIn } from "./continued.ts";
import { originalOf } from "./converted.ts";
import type { Database } from "./database.ts";
import { isSecondExport, openExport, secondExportPath } from "./export-file.ts";
import { measureSides, measureTree } from "./measure-tree.ts";
import { mixSessions } from "./mixed.ts";
import {
  type FailedDatabase,
  listFault,
  openFault,
  openReadable,
  otherClientFault,
} from "./open-databases.ts";
import { hasOtherPartAt, readSession1 } from "./rows-1.ts";
import { copyStartMs, readSession2 } from "./rows-2.ts";
import type { StoredSession } from "./stored.ts";
import {
  isShared,
  noId,
  type Summaries,
  type Summary,
  sessionTable2,
  summaries1,
  summaries2,
} from "./summaries.ts";
import { readTree, sidesOf } from "./tree.ts";
import {
  findInTree,
  linkFaults,
  listTree,
  orphanFaults,
  sidesOfDatabase,
  type TreePlaces,
  type TreeSession,
} from "./tree-layout.ts";

/** One folder of the client, in which a session may be in several stores at once. */
export type Home = {
  readonly folder: string;
  /** The prefix of every path and key of this folder: its place below what is read. */
  readonly prefix: string;
  /** Names of its databases, the one that counts first. */
  readonly databases: readonly string[];
  readonly hasTree: boolean;
};

/** The places of one session. */
type SessionStores = {
  readonly tree: TreeSession | undefined;
  readonly first: DatabaseRows | undefined;
  readonly second: DatabaseRows | undefined;
};
type DatabaseRows = { readonly database: Database; readonly summary: Summary };

const noTree = { sessions: new Map<string, TreeSession>(), places: new Map(), faults: [] };

/** Where the sessions of trees were when a reader last listed them, by the client's folder. */
export type KnownPlaces = Map<string, TreePlaces>;

/** Every session of the folder, once, and faults for what belongs to none. */
export function* listHome(home: Home, known: KnownPlaces): Generator<SourceSession | FaultEvent> {
  const { sessions: tree, places, faults } = home.hasTree ? listTree(home.folder) : noTree;
  known.set(home.folder, places);
  const { databases, failed } = openReadable(home.folder, home.databases);
  try {
    for (const { file, error } of failed) yield openFault(file, error);
    const listed: ListedDatabase[] = [];
    for (const database of databases) {
      const [first, second] = [summaries1(database), summaries2(database)];
      listed.push({ database, first, second });
      const other = otherClientFault(database);
      if (other) yield other;
      const error = first.error ?? second.error;
      if (error) yield listFault(database.file, error);
      yield* first.faults;
      // What stands beside sessions of 1.x and of 2.x in one table was found with both.
      const reported = new Set(isShared(database) ? first.faults.map(messageOf) : []);
      yield* second.faults.filter((event) => !reported.has(messageOf(event)));
    }
    const ids = new Set([...tree.keys(), ...listed.flatMap(idsOf)]);
    for (const id of ids) {
      if (!isKey(id)) {
        yield fault(`${home.folder}:${id}`, noId);
        continue;
      }
      yield* unreadDatabaseFaults(id, listed);
      const stores = storesOf(id, tree.get(id), listed);
      yield { kind: "source", key: `${home.prefix}${id}`, ...measure(home, id, stores) };
    }
    yield* faults;
    if (home.hasTree) {
      yield* linkFaults(home.folder);
      yield* orphanFaults(home.folder, tree);
    }
  } finally {
    for (const database of databases) database.close();
  }
}

function messageOf({ fault: { message } }: FaultEvent): string {
  return message;
}

/** True for an id that names a session below its home, and not a file of another kind or place. */
function isKey(id: string): boolean {
  const isName = id !== "" && id !== ".." && !id.includes("/") && !id.endsWith(".json");
  // A file name whose bytes are not text is not found again by what was read of it.
  return isName && !id.includes(replacement);
}

/** The current state of one session; undefined if it is gone. */
export function measureSession(home: Home, id: string, known: KnownPlaces): Measured | undefined {
  const { databases, failed } = openReadable(home.folder, home.databases);
  try {
    const stores = findStores(home, id, known, databases, failed);
    return isInNoStore(stores) ? undefined : measure(home, id, stores);
  } finally {
    for (const database of databases) database.close();
  }
}

/**
 * Runs with one session, from the store that holds it best; undefined if it is gone.
 *
 * @throws if a file or database cannot be read.
 */
export function* withSession<T>(
  home: Home,
  id: string,
  known: KnownPlaces,
  run: (session: StoredSession | undefined) => Iterable<T>,
): Generator<T> {
  const { databases, failed } = openReadable(home.folder, home.databases);
  try {
    for (const database of databases) database.freeze();
    const stores = findStores(home, id, known, databases, failed);
    const found = open(home, id, stores);
    const beside = found ? otherHalfFaults(home, id, found) : [];
    yield* run(found && { ...found, faults: [...(found.faults ?? []), ...beside] });
  } finally {
    for (const database of databases) database.close();
  }
}

/** A fault for the half of a session that no store has, only a file from which it is imported. */
function otherHalfFaults(home: Home, id: string, session: StoredSession): readonly FaultEvent[] {
  const first = join(home.folder, "pond", `${fileName(id)}.json`);
  if (session.continued || !isSecondExport(secondExportPath(first))) return [];
  const half = session.schema === 1 ? secondExportPath(first) : first;
  if (session.isMixed && holdsAllOf(session, openExport(half))) return [];
  return [fault(half, "the other half of a session that a store holds: not read")];
}

/** True if a session has every message of another. */
function holdsAllOf(session: StoredSession, other: StoredSession | undefined): boolean {
  const ids = new Set(idsIn(session));
  return other !== undefined && idsIn(other).every((id) => ids.has(id));
}

function idsIn(session: StoredSession): readonly unknown[] {
  const messages = [...session.messages()].filter((event) => event.kind === "message");
  return messages.map(({ record }) => record.peek("id"));
}

type Measured = Pick<SourceSession, "fingerprint" | "bytes">;
type ListedDatabase = {
  readonly database: Database;
  readonly first: Summaries;
  readonly second: Summaries;
};

function listDatabase(database: Database, id: string): ListedDatabase {
  return { database, first: summaries1(database, id), second: summaries2(database, id) };
}

function idsOf({ first, second }: ListedDatabase): readonly string[] {
  return [...first.sessions.keys(), ...second.sessions.keys()];
}

function storesOf(
  id: string,
  tree: TreeSession | undefined,
  listed: readonly ListedDatabase[],
): SessionStores {
  const [first] = rowsOf(id, listed, "first");
  const [second] = rowsOf(id, listed, "second");
  return { tree, first, second };
}

/** The databases that hold a session, the most recently updated one first. */
function rowsOf(
  id: string,
  listed: readonly ListedDatabase[],
  key: "first" | "second",
): readonly DatabaseRows[] {
  const all = listed.flatMap(({ database, [key]: { sessions } }) => {
    const summary = sessions.get(id);
    return summary ? [{ database, summary }] : [];
  });
  return all.sort((left, right) => right.summary.updatedMs - left.summary.updatedMs);
}

/** A fault for each database whose state of a session is not the one that is read. */
function* unreadDatabaseFaults(
  id: string,
  listed: readonly ListedDatabase[],
): Generator<FaultEvent> {
  for (const key of ["first", "second"] as const) {
    const [read, ...others] = rowsOf(id, listed, key);
    for (const { database, summary } of others) {
      // What the betas had was copied to the database of releases.
      const isCopy = basename(database.file) === "opencode-next.db";
      if (read === undefined || isCopy || summary.fingerprint === read.summary.fingerprint)
        continue;
      yield fault(`${database.file}:${id}`, `read from ${read.database.file} and not from here`);
    }
  }
}

function isInNoStore({ tree, first, second }: SessionStores): boolean {
  return tree === undefined && first === undefined && second === undefined;
}

function measure(home: Home, id: string, { tree, first, second }: SessionStores): Measured {
  const files = tree ? [measureTree(home.folder, tree)] : measureSides(home.folder, id);
  const marks = [...files, first?.summary, second?.summary].filter((mark) => mark !== undefined);
  return {
    fingerprint: marks.map(({ fingerprint }) => fingerprint).join("+"),
    bytes: Math.max(0, ...marks.map(({ bytes }) => bytes)),
  };
}

/** @throws the error of an unreadable database, if no other store has the session. */
function findStores(
  home: Home,
  id: string,
  known: KnownPlaces,
  databases: readonly Database[],
  failed: readonly FailedDatabase[],
): SessionStores {
  const listed = databases.map((database) => listDatabase(database, id));
  const isInRows = listed.some((each) => idsOf(each).length > 0);
  const stores = storesOf(id, treeOf(home, id, known.get(home.folder), isInRows), listed);
  const errors = listed.flatMap(({ first, second }) => [first.error, second.error]);
  const unread = failed[0]?.error ?? errors.find((error) => error !== undefined);
  if (unread && isInNoStore(stores)) throw unread;
  return stores;
}

/**
 * What the trees have of a session. A session in a database is not searched for if it was in none
 * of them.
 */
function treeOf(
  home: Home,
  id: string,
  places: TreePlaces | undefined,
  isInRows: boolean,
): TreeSession | undefined {
  if (!home.hasTree || (isInRows && places?.has(id) === false)) return undefined;
  return findInTree(home.folder, id, places);
}

/**
 * The session from the stores that are its record: its rows of 1.x, or the tree that they were made
 * of if that holds as much; what its client said there through the API of 2.x; what came later in
 * 2.x; and 2.x alone if there is nothing else.
 */
function open(home: Home, id: string, stores: SessionStores): StoredSession | undefined {
  const path = `${home.prefix}pond/${fileName(id)}.json`;
  const second = withSides(home, id, stores.second && openSecond(stores.second.database, id, path));
  const rows = withSides(home, id, stores.first && readSession1(stores.first.database, id, path));
  const isAlone = rows === undefined && second === undefined;
  const tree = stores.tree && readTree(home.folder, stores.tree, home.prefix, isAlone);
  const hasOthersCreatedAt = (ms: number): boolean =>
    stores.first !== undefined && hasOtherPartAt(stores.first.database, id, ms);
  const original = rows && tree ? originalOf(rows, tree, hasOthersCreatedAt) : (rows ?? tree);
  const others = stores.first && openSharedSecond(stores.first.database, id, path);
  const first = original && others ? mixSessions(original, others) : original;
  if (first === undefined || second === undefined) return first ?? second;
  return continuedIn(first, second, stores.second && copyStartMs(stores.second.database));
}

/** A database's session with the lists that the client keeps in files. */
function withSides(
  { folder }: Home,
  id: string,
  session: StoredSession | undefined,
): StoredSession | undefined {
  if (session === undefined) return undefined;
  return {
    ...session,
    sides: function* (count) {
      yield* session.sides(count);
      yield* sidesOf(folder, { sides: sidesOfDatabase(id) }, count);
    },
  };
}

function openSecond(database: Database, id: string, path: string): StoredSession | undefined {
  const table = sessionTable2(database);
  return table && readSession2(database, table, id, path);
}

/** What the table of 2.x holds of a session that both versions have in one table. */
function openSharedSecond(database: Database, id: string, path: string): StoredSession | undefined {
  return isShared(database) ? readSession2(database, "session", id, path) : undefined;
}
