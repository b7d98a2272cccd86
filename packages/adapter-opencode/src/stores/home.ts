import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import type { SourceSession } from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { fileName } from "../file-name.ts";
import { replacement } from "./cells.ts";
import { continuedIn } from "./continued.ts";
import { Database } from "./database.ts";
import { measureTree } from "./measure-tree.ts";
import { readSession1 } from "./rows-1.ts";
import { readSession2 } from "./rows-2.ts";
import type { StoredSession } from "./stored.ts";
import {
  noId,
  type Summaries,
  type Summary,
  summaries1,
  summaries2,
  tableOf2,
} from "./summaries.ts";
import { readTree } from "./tree.ts";
import { findInTree, listTree, type TreeSession } from "./tree-layout.ts";

/** One folder of the client, in which a session may be in several stores at once. */
export type Home = {
  readonly folder: string;
  /** Before every path and key of this folder: where it stands below what is read. */
  readonly prefix: string;
  /** Names of its databases, the one that counts first. */
  readonly databases: readonly string[];
  readonly hasTree: boolean;
};

/** Where one session is. */
type Stand = {
  readonly tree: TreeSession | undefined;
  readonly first: { readonly database: Database; readonly summary: Summary } | undefined;
  readonly second: { readonly database: Database; readonly summary: Summary } | undefined;
};

/** Every session of the folder, once, and faults for what belongs to none. */
export function* listHome(home: Home): Generator<SourceSession | FaultEvent> {
  const tree = home.hasTree ? listTree(home.folder) : new Map<string, TreeSession>();
  const databases = yield* openAll(home);
  try {
    const listed: Listed[] = [];
    for (const database of databases) {
      const [first, second] = [summaries1(database), summaries2(database)];
      listed.push({ database, first, second });
      yield* first.faults;
      yield* second.faults;
    }
    const ids = new Set([...tree.keys(), ...listed.flatMap(idsOf)]);
    for (const id of ids) {
      if (!isKey(id)) {
        yield fault(`${home.folder}:${id}`, noId);
        continue;
      }
      const stand = standOf(id, tree.get(id), listed);
      yield { kind: "source", key: `${home.prefix}${id}`, ...measure(home, stand) };
    }
    yield* orphansOf(home, tree);
  } finally {
    for (const database of databases) database.close();
  }
}

/** True for an id that names a session below its home, and no file of another kind or place. */
function isKey(id: string): boolean {
  const isName = id !== "" && id !== ".." && !id.includes("/") && !id.endsWith(".json");
  // A file name whose bytes are no text is not found again by what was read of it.
  return isName && !id.includes(replacement);
}

/** What one session is now; undefined where it is gone. */
export function measureSession(home: Home, id: string): Measured | undefined {
  return withStand(home, id, (stand) => (isNowhere(stand) ? undefined : measure(home, stand)));
}

/**
 * Runs with one session, whichever store holds it best; undefined where it is gone.
 *
 * @throws where a file or database cannot be read.
 */
export function* withSession<T>(
  home: Home,
  id: string,
  run: (session: StoredSession | undefined) => Iterable<T>,
): Generator<T> {
  const databases = openDatabases(home.databases.map((name) => join(home.folder, name)));
  try {
    for (const database of databases) database.freeze();
    const listed = databases.map((database) => listOne(database, id));
    const tree = home.hasTree ? findInTree(home.folder, id) : undefined;
    yield* run(open(home, id, standOf(id, tree, listed)));
  } finally {
    for (const database of databases) database.close();
  }
}

type Measured = Pick<SourceSession, "fingerprint" | "bytes">;
type Listed = {
  readonly database: Database;
  readonly first: Summaries;
  readonly second: Summaries;
};

function listOne(database: Database, id: string): Listed {
  return { database, first: summaries1(database, id), second: summaries2(database, id) };
}

function idsOf({ first, second }: Listed): readonly string[] {
  return [...first.sessions.keys(), ...second.sessions.keys()];
}

function standOf(id: string, tree: TreeSession | undefined, listed: readonly Listed[]): Stand {
  const find = (key: "first" | "second") => {
    for (const list of listed) {
      const summary = list[key].sessions.get(id);
      if (summary) return { database: list.database, summary };
    }
    return undefined;
  };
  return { tree, first: find("first"), second: find("second") };
}

function isNowhere({ tree, first, second }: Stand): boolean {
  return tree === undefined && first === undefined && second === undefined;
}

function measure(home: Home, { tree, first, second }: Stand): Measured {
  const marks = [tree && measureTree(home.folder, tree), first?.summary, second?.summary].filter(
    (mark) => mark !== undefined,
  );
  return {
    fingerprint: marks.map(({ fingerprint }) => fingerprint).join("+"),
    bytes: Math.max(0, ...marks.map(({ bytes }) => bytes)),
  };
}

function withStand<T>(home: Home, id: string, run: (stand: Stand) => T): T {
  const present = home.databases.map((name) => join(home.folder, name)).filter(existsSync);
  const databases = openDatabases(present);
  try {
    const listed = databases.map((database) => listOne(database, id));
    return run(standOf(id, home.hasTree ? findInTree(home.folder, id) : undefined, listed));
  } finally {
    for (const database of databases) database.close();
  }
}

/**
 * The session from the store that is its record: its rows of 1.x, or the tree they were made of
 * where that holds as much; what came after in 2.x; and 2.x alone where there is no other.
 */
function open(home: Home, id: string, stand: Stand): StoredSession | undefined {
  const path = `${home.prefix}pond/${fileName(id)}.json`;
  const second = stand.second && openSecond(stand.second.database, id, path);
  const rows = stand.first && readSession1(stand.first.database, id, path);
  const tree = stand.tree && readTree(home.folder, stand.tree, home.prefix);
  const first = rows && tree ? (isCovered(rows, tree) ? tree : rows) : (rows ?? tree);
  if (first === undefined || second === undefined) return first ?? second;
  return continuedIn(first, second);
}

function openSecond(database: Database, id: string, path: string): StoredSession | undefined {
  const table = tableOf2(database);
  return table && readSession2(database, table, id, path);
}

/** True where the tree holds every message of the rows, and nothing was changed since. */
function isCovered(rows: StoredSession, tree: StoredSession): boolean {
  if (updatedOf(rows) > updatedOf(tree)) return false;
  const known = messageIds(tree);
  return [...messageIds(rows)].every((id) => known.has(id));
}

function messageIds(session: StoredSession): Set<unknown> {
  const ids = new Set<unknown>();
  for (const event of session.messages()) {
    if (event.kind === "message") ids.add(event.record.peek("id"));
  }
  return ids;
}

function updatedOf({ record }: StoredSession): number {
  const updated = record.record("time")?.peek("updated");
  return typeof updated === "number" ? updated : 0;
}

/** All of them, or none: one that stays open keeps a running client from tidying up. */
function openDatabases(files: readonly string[]): readonly Database[] {
  const opened: Database[] = [];
  try {
    for (const file of files) opened.push(new Database(file));
    return opened;
  } catch (error) {
    for (const database of opened) database.close();
    throw error;
  }
}

/** Those that can be read; a fault for each other one. */
function* openAll({ folder, databases }: Home): Generator<FaultEvent, Database[]> {
  const opened: Database[] = [];
  for (const name of databases) {
    const file = join(folder, name);
    let database: Database | undefined;
    try {
      database = new Database(file);
      // Reads the first page: a file that is no database fails here.
      database.has("session");
      opened.push(database);
    } catch (error) {
      database?.close();
      if (!(error instanceof Error)) throw error;
      yield fault(file, `cannot be read (${error.message})`, error);
    }
  }
  return opened;
}

/** Messages and parts of a tree whose session or message is gone. */
function* orphansOf(
  { folder, hasTree }: Home,
  tree: ReadonlyMap<string, TreeSession>,
): Generator<FaultEvent> {
  if (!hasTree || !existsSync(join(folder, "storage/message"))) return;
  for (const id of readdirSync(join(folder, "storage/message")).sort()) {
    if (tree.has(id)) continue;
    yield fault(join(folder, "storage/message", id), "messages of a session that is gone");
  }
}
