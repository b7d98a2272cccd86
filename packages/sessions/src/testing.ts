// Sessions for the tests of this package, built through the seam as an adapter's would be.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type JsonObject,
  type MessageEvent,
  partsOf,
  type ReadEvent,
  SourceFault,
} from "@pond/canonical";
import * as seam from "@pond/canonical/adapter";
import type { Row, Table } from "@pond/substrate";
import { createIngest, type IngestOptions } from "./ingest/ingest.ts";
import type { IngestOutcome, SessionHooks } from "./ingest/outcome.ts";
import { onlyPlace } from "./ingest/source-place.ts";
import { loadLineage } from "./restore/lineage.ts";
import { openSessions, type SessionStore } from "./session-store.ts";
import { sessionTables } from "./tables.ts";

export type DemoMessage = {
  readonly id: string;
  /** Default: user. A carrier is a record that maps to no message. */
  readonly role?: "user" | "assistant" | "tool" | "carrier";
  readonly text?: string;
  /** Text parts beyond the first. */
  readonly more?: readonly string[];
  readonly isInjected?: boolean;
  readonly isIncomplete?: boolean;
  readonly isStoredComplete?: MessageEvent["isStoredComplete"];
  readonly bytes?: Uint8Array;
  readonly seconds?: number;
  readonly options?: JsonObject;
};

export type DemoSession = {
  readonly id: string;
  readonly messages: readonly (DemoMessage | "fault" | "fault beside" | "pending")[];
  readonly agent?: string;
  readonly project?: string;
  readonly parent?: string;
  readonly seconds?: number;
};

const location = { adapter: "demo", uri: "demo.jsonl", record: 1 };
const start = Date.parse("2026-01-01T00:00:00Z");

export function demoEvents(demo: DemoSession): ReadEvent[] {
  const record = seam.openRecord(location, {
    id: demo.id,
    project: demo.project ?? "/work/demo",
    at: time(demo.seconds ?? 0),
    ...(demo.parent !== undefined && { parent: demo.parent }),
  });
  const session = seam.sessionEvent({
    id: record.requireString("id"),
    parentSessionId: record.id("parent"),
    sourceAgent: demo.agent ?? "demo",
    createdAt: record.timestamp("at") ?? fail(),
    project: record.requireString("project"),
    source: {},
  });
  const rest = demo.messages.flatMap((message): ReadEvent[] => {
    if (message === "fault" || message === "fault beside") {
      const fault = new SourceFault(location, "broken on purpose");
      return [{ kind: "fault", fault, isLogWhole: message === "fault beside" }];
    }
    if (message === "pending") return [{ kind: "pending", location: "demo", reason: "live" }];
    return messageEvents(session, message, demo.seconds ?? 0);
  });
  return [session, ...rest];
}

function messageEvents(
  session: ReturnType<typeof seam.sessionEvent>,
  demo: DemoMessage,
  seconds: number,
): ReadEvent[] {
  const { id, role = "user", text, more = [], bytes, options = {} } = demo;
  const texts = text === undefined ? [] : [text, ...more];
  const record = seam.openRecord(location, { id, at: time(demo.seconds ?? seconds), ...options });
  const init = {
    id: record.requireString("id"),
    timestamp: record.timestamp("at") ?? fail(),
  };
  if (role === "carrier") {
    return [seam.carrierEvent(session, { ...init, record: record.whole(), source: {} })];
  }
  const header = seam.messageEvent(session, role, { ...init, source: { rest: record.rest() } });
  const { isIncomplete, isStoredComplete } = demo;
  const message = {
    ...header,
    ...(isIncomplete && { isIncomplete }),
    ...(isStoredComplete && { isStoredComplete }),
  };
  const provenance = demo.isInjected ? "injected" : "conversational";
  const parts = texts.map((each, position) => {
    const fields = seam.openRecord(location, { text: each, call: "call-1" });
    const base = { id: seam.positionId(position), provenance } as const;
    if (role !== "tool") {
      return seam.textPart(message, { ...base, text: fields.requireString("text") });
    }
    return seam.toolResultPart(message, {
      ...base,
      callId: fields.requireString("call"),
      isFailure: undefined,
      result: fields.requireJson("text"),
    });
  });
  if (bytes === undefined) return [message, ...parts];
  const file = seam.openRecord(location, { data: Buffer.from(bytes).toString("base64") });
  const filePart = seam.filePart(message, {
    id: seam.positionId(texts.length),
    provenance,
    mediaType: undefined,
    content: file.base64("data") ?? fail(),
  });
  return [message, ...parts, filePart];
}

/** Says `text` as a person would. */
export function said(id: string, text: string = `This is ${id}.`): DemoMessage {
  return { id, text };
}

export type IngestDemoOptions = Partial<IngestOptions> &
  Partial<SessionHooks> & {
    /** Only some of each session comes; else what it lacks has disappeared. */
    readonly addsOnly?: boolean;
  };

/** Ingests sessions and gives their outcomes, in the order they were acknowledged. */
export async function ingestDemo(
  sessions: SessionStore,
  demos: readonly (DemoSession | readonly ReadEvent[])[],
  {
    host = "here",
    now = () => new Date(start),
    maxBatchBytes,
    damaged,
    shouldQualifyIds = false,
    addsOnly = false,
    ...hooks
  }: IngestDemoOptions = {},
): Promise<IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  const options = {
    host,
    now,
    damaged,
    shouldQualifyIds,
    ...(maxBatchBytes !== undefined && { maxBatchBytes }),
  };
  const ingest = createIngest(sessions, options);
  try {
    for (const demo of demos) {
      await ingest.session(streamOf("id" in demo ? demoEvents(demo) : demo), {
        ...(!addsOnly && { placeOf: () => onlyPlace }),
        isUnchanged: async () => true,
        onCommitted: (outcome) => void outcomes.push(outcome),
        ...hooks,
      });
    }
  } finally {
    await ingest.finish();
  }
  return outcomes;
}

export async function* streamOf(events: readonly ReadEvent[]): AsyncGenerator<ReadEvent> {
  yield* events;
}

/** Runs with a new store in a temporary folder, which is removed. */
export async function withStore<T>(use: (sessions: SessionStore) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "pond-sessions-"));
  try {
    const sessions = await openSessions(join(folder, "store"), { mode: "write" });
    try {
      return await use(sessions);
    } finally {
      sessions.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row as it should be, by the name of its table; undefined if it should be gone. */
export type Alter = (table: string, row: Row) => Row | undefined;

/** Runs with a store of the rows that these sessions get, altered, and with one where they are not. */
export async function withAltered(
  demos: readonly (DemoSession | readonly ReadEvent[])[],
  alter: Alter,
  use: (altered: SessionStore, whole: SessionStore) => Promise<void>,
): Promise<void> {
  await withStore(async (whole) => {
    for (const each of demos) await ingestDemo(whole, [each]);
    await withStore(async (store) => {
      for (const { name, columns } of sessionTables) {
        const names = Object.keys(columns);
        const rows = await whole.store.table(name).rows({ columns: names });
        const altered = rows.map((row) => alter(name, row)).filter((row) => row !== undefined);
        const batch = names.map((column) => [column, altered.map((row) => row[column] ?? null)]);
        await store.store.table(name).insert(Object.fromEntries(batch));
      }
      await use(store, whole);
    });
  });
}

function time(seconds: number): string {
  return new Date(start + seconds * 1000).toISOString();
}

function fail(): never {
  throw new TypeError("a demo record lacks what it needs");
}

/** What a session shows: the id and the text of each message, in order. */
export async function shown(
  sessions: SessionStore,
  id: string,
  at: "first" | "last" = "last",
): Promise<string[]> {
  const { root } = await loadLineage(sessions, id, { at });
  return root.messages.map((message) => {
    const texts = partsOf(message).map((part) => ("text" in part ? part.text : part.type));
    return [message.id, ...texts].join(": ");
  });
}

/** Every row of every table but for when it came, in the order of their keys. */
export async function allRows(sessions: SessionStore): Promise<Record<string, string[]>> {
  const tables = sessionTables.map(async ({ name, columns }) => {
    const { ingested_at: _, ...compared } = columns;
    const rows = await sessions.store.table(name).rows({ columns: Object.keys(compared) });
    return [name, rows.map((row) => Object.values(row).map(String).join(" | ")).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** The same store, but for one table whose next inserts fail. */
export function failingInserts(sessions: SessionStore, name: string): SessionStore {
  return beforeInsert(sessions, name, async () => {
    throw new Error("no space left on device");
  });
}

/** The same store, where something is done before rows are put into one table. */
export function beforeInsert(
  sessions: SessionStore,
  name: string,
  run: () => Promise<void>,
): SessionStore {
  const inserting = withTableMethod(sessions, name, "insert", (insert) => async (...values) => {
    await run();
    return insert(...values);
  });
  return withTableMethod(inserting, name, "replace", (replace) => async (...values) => {
    await run();
    return replace(...values);
  });
}

/** The same store, which notes the id of each row that one table is given to write. */
export function recordingWrites(
  sessions: SessionStore,
  name: string,
  written: string[],
): SessionStore {
  const note = (batch: Readonly<Record<string, unknown>>): void =>
    void written.push(...((batch["id"] ?? []) as readonly string[]));
  const inserting = withTableMethod(
    sessions,
    name,
    "insert",
    (insert) =>
      async (batch, ...rest) => {
        note(batch);
        return insert(batch, ...rest);
      },
  );
  return withTableMethod(inserting, name, "replace", (replace) => async (batch, ...rest) => {
    note(batch);
    return replace(batch, ...rest);
  });
}

/** The same store, which notes how many parts each query gives. */
export function recordingPartQueries(sessions: SessionStore, read: number[]): SessionStore {
  return withTableMethod(sessions, "parts", "rows", (rows) => async (options) => {
    const found = await rows(options);
    read.push(found.length);
    return found;
  });
}

/** The same store, which notes of each scan how many parts it gave, or what these weigh. */
export function recordingPartScans(
  sessions: SessionStore,
  read: number[],
  weigh: (part: Row) => number = () => 1,
): SessionStore {
  return withTableMethod(
    sessions,
    "parts",
    "scan",
    (scan) =>
      async function* (options) {
        let found = 0;
        try {
          for await (const rows of scan(options)) {
            for (const row of rows) found += weigh(row);
            yield rows;
          }
        } finally {
          read.push(found);
        }
      },
  );
}

/** The same store, one of whose tables does something else. */
export function withTableMethod<Name extends "rows" | "scan" | "insert" | "replace">(
  sessions: SessionStore,
  name: string,
  member: Name,
  make: (own: Table[Name]) => Table[Name],
): SessionStore {
  const store = new Proxy(sessions.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "table") return typeof value === "function" ? value.bind(target) : value;
      return (asked: string): unknown => {
        const table = target.table(asked);
        if (asked !== name) return table;
        return new Proxy(table, {
          get(_, each) {
            const own: unknown = Reflect.get(table, each, table);
            const bound = typeof own === "function" ? own.bind(table) : own;
            return each === member ? make(bound) : bound;
          },
        });
      };
    },
  });
  return { store, close: () => sessions.close() };
}
