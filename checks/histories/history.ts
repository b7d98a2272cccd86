import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findSessions, firstDifference, readAll } from "@pond/adapter-testkit";
import { adapterNamed } from "@pond/adapters";
import { type JsonObject, stringifyJson } from "@pond/canonical";
import { objectAt, sourceOf } from "@pond/canonical/adapter";
import { openSessions, readPages, type SessionStore } from "@pond/sessions";
import { type AdapterReport, discoverSources, sync } from "@pond/sync";
import { Random } from "../chaos/random.ts";
import { ChangingLog } from "./changing-log.ts";

/** A client's home with logs of JSON lines. */
export type Home = { readonly client: string; readonly path: string };

// Each step reads all of them twice.
const maxLines = 400;
const mostSteps = 8;

/** True if a home has logs, none of them long. */
export function hasShortLogs({ path }: Home): boolean {
  const counts = logsIn(path).map((file) => readFileSync(file, "utf8").split("\n").length);
  return counts.length > 0 && counts.every((count) => count <= maxLines);
}

/**
 * Lets the logs of a home change at random, with a sync after each change, and compares what the
 * store shows each time with a store that only saw the logs as they are then: a store has to show
 * what its source holds, however the source came to hold it. What could not be read removes
 * nothing.
 *
 * @returns The history up to the first difference, and the differences; nothing if there is none.
 */
export async function problemsOfHistory(home: Home, seed: number): Promise<readonly string[]> {
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), "pond-history-"));
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  try {
    const place: Place = { client: home.client, path: join(folder, "home"), folder };
    cpSync(home.path, place.path, { recursive: true });
    const logs = logsIn(place.path).map((file) => new ChangingLog(file, random));
    const trail: string[] = [`seed ${seed}, ${home.path}`];
    let before: Shown = new Map();
    for (let step = 0; step <= mostSteps; step++) {
      const log = logs[random.below(logs.length)];
      if (step > 0 && log) trail.push(`${relative(place.path, log.file)} ${log.change(random)}`);
      await syncPlace(sessions, place, "state");
      const now = await shownIn(sessions);
      const problems = [
        ...differences(now, await freshlyRead(place, step), before, await wholeSessions(place)),
        ...changesOf(await syncPlace(sessions, place, "state")),
      ];
      if (problems.length > 0) return [...trail, ...problems];
      before = now;
    }
    return [];
  } finally {
    sessions.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Place = {
  readonly client: string;
  /** The client's home. */
  readonly path: string;
  /** Where stores and states are. */
  readonly folder: string;
};

/** What is shown of each session: its messages by id, in order, and the ids that windows name. */
type Shown = ReadonlyMap<
  string,
  { readonly messages: ReadonlyMap<string, JsonObject>; readonly inWindows: ReadonlySet<string> }
>;

function logsIn(path: string): readonly string[] {
  return globSync("**/*.jsonl", { cwd: path })
    .sort()
    .map((name) => join(path, name));
}

async function syncPlace(
  sessions: SessionStore,
  { client, path, folder }: Place,
  state: string,
): Promise<AdapterReport | undefined> {
  const environment = { home: folder, env: {} };
  const sources = discoverSources([adapterNamed(client)], {
    environment,
    paths: { [client]: [path] },
  });
  const options = { stateDirectory: join(folder, state), host: "loom", now: () => new Date() };
  const { adapters } = await sync(sessions, sources, options);
  return adapters[0];
}

async function freshlyRead(place: Place, step: number): Promise<Shown> {
  const store = join(place.folder, `fresh-${step}`);
  const sessions = await openSessions(store, { mode: "write" });
  try {
    await syncPlace(sessions, place, `state-${step}`);
    return await shownIn(sessions);
  } finally {
    sessions.close();
    rmSync(store, { recursive: true });
  }
}

async function shownIn(sessions: SessionStore): Promise<Shown> {
  const { store } = sessions;
  await store.refresh();
  const windows = await store.table("windows").rows({ columns: ["session_id", "message_ids"] });
  const named = Map.groupBy(windows, (row) => String(row["session_id"]));
  const shown = new Map<string, { messages: Map<string, JsonObject>; inWindows: Set<string> }>();
  for (const { id } of await store.table("sessions").rows({ columns: ["id"] })) {
    const own = String(id);
    const messages = new Map<string, JsonObject>();
    for await (const page of readPages(sessions, own, { mode: "verbatim" })) {
      for (const { revised: _, ...message } of page.messages) {
        messages.set(message.id, { ...message });
      }
    }
    const ids = (named.get(own) ?? []).flatMap((row) => JSON.parse(String(row["message_ids"])));
    shown.set(own, { messages, inWindows: new Set(ids) });
  }
  return shown;
}

/** Ids of sessions of which everything could be read. */
async function wholeSessions({ client, path }: Place): Promise<ReadonlySet<string>> {
  const reader = adapterNamed(client).from(path);
  const whole = new Map<string, boolean>();
  for (const { key } of (await findSessions(reader)).sessions) {
    const events = await readAll(reader, key);
    const session = events.find((event) => event.kind === "session")?.session.id;
    const isWhole = events.every(
      (event) => event.kind !== "pending" && (event.kind !== "fault" || event.isLogWhole === true),
    );
    if (session !== undefined) whole.set(session, (whole.get(session) ?? true) && isWhole);
  }
  return new Set([...whole].filter(([, isWhole]) => isWhole).map(([id]) => id));
}

function differences(
  now: Shown,
  fresh: Shown,
  before: Shown,
  whole: ReadonlySet<string>,
): readonly string[] {
  return [...fresh].flatMap(([id, expected]) => {
    const found = now.get(id);
    if (found === undefined) return [`${id} is not stored`];
    const changed = [...expected.messages].flatMap(([message, value]) => {
      const shown = found.messages.get(message);
      if (shown === undefined) return [`${id} ${message} is not shown`];
      const difference = firstDifference(value, shown);
      return difference === undefined ? [] : [`${id} ${message}: ${difference}`];
    });
    const order = [...found.messages.keys()].filter((message) => expected.messages.has(message));
    const isOrdered = order.join() === [...expected.messages.keys()].join();
    const kept = whole.has(id) ? [] : [...(before.get(id)?.messages.keys() ?? [])];
    const lost = kept.filter((message) => !found.messages.has(message));
    const extra = whole.has(id) ? missing(found.messages, expected.messages) : [];
    // Clients delete files beside a log by their age (`session-durable-copy`).
    const gone = extra.filter((message) => !isSideFile(found.messages.get(message) ?? {}));
    const windows = whole.has(id)
      ? [
          ...missing(expected.inWindows, found.inWindows),
          ...missing(found.inWindows, expected.inWindows),
        ]
      : [];
    return [
      ...changed,
      ...(isOrdered ? [] : [`${id} shows ${order}, which is not the order of its log`]),
      ...lost.map((message) => `${id} ${message} was removed because something could not be read`),
      ...gone.map((message) => `${id} ${message} is shown, but gone`),
      ...windows.map((message) => `${id} ${message} is in other windows than it should be`),
    ];
  });
}

function isSideFile(message: JsonObject): boolean {
  return sourceOf({ options: objectAt(message, "options") })["sidecar"] !== undefined;
}

type Ids = { keys(): Iterable<string>; has(id: string): boolean };

/** Ids of one that another lacks. */
function missing(one: Ids, other: Ids): readonly string[] {
  return [...one.keys()].filter((id) => !other.has(id));
}

/** What a second sync did, which had nothing to do. */
function changesOf(report: AdapterReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { sessions, messages_added, parts_added, revisions, tombstones } = report;
  const done = { ...sessions, messages_added, parts_added, revisions, tombstones };
  const counts = [sessions.new, sessions.grown, messages_added, parts_added, revisions, tombstones];
  return counts.some((count) => count > 0) ? [`a second sync did ${stringifyJson(done)}`] : [];
}
