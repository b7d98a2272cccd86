import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSessions, type SessionStore, sessionTables } from "@pond/sessions";
import { StorageUnavailableError, type Table } from "@pond/substrate";
import type { IngestEvent } from "@pond/wire";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chat, sessionOf, textMessage } from "../testing.ts";
import { storeTogether } from "./ingest-group.ts";
import { groupRows } from "./ingest-rows.ts";

const resources = { host: "test", now: () => new Date(0), signal: undefined };

/** What became of a request: how many messages each of its sessions got, or why it failed. */
async function stored(
  store: SessionStore,
  events: readonly IngestEvent[],
  signal?: AbortSignal,
): Promise<unknown> {
  const { sessions } = groupRows(events);
  try {
    const outcomes = await storeTogether(store, sessions, { ...resources, signal });
    return sessions.map((each) => {
      const { status, messages_added, parts_added, revisions, rejected } = outcomes.get(each) ?? {};
      return { id: each.id, status, messages_added, parts_added, revisions, rejected };
    });
  } catch (error) {
    return error;
  }
}

async function withStore<T>(use: (sessions: SessionStore) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "pond-group-"));
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  try {
    return await use(sessions);
  } finally {
    sessions.close();
    rmSync(folder, { recursive: true });
  }
}

/** Every row but for when it came, in the order of their keys. */
async function allRows({ store }: SessionStore): Promise<string[]> {
  const tables = sessionTables.map(async ({ name, columns }) => {
    const { ingested_at: _, ...compared } = columns;
    const rows = await store.table(name).rows({ columns: Object.keys(compared) });
    return rows.map((row) => `${name}: ${Object.values(row).map(String).join(" | ")}`).sort();
  });
  return (await Promise.all(tables)).flat();
}

type Insert = Table["insert"];

/** The same store, but for how one of its tables takes rows. */
function inserting(
  sessions: SessionStore,
  name: string,
  insert: (batch: Parameters<Insert>[0], original: Insert) => ReturnType<Insert>,
): SessionStore {
  const store = new Proxy(sessions.store, {
    get(target, key) {
      if (key !== "table") {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (asked: string): unknown => {
        const table = target.table(asked);
        if (asked !== name) return table;
        return new Proxy(table, {
          get(_, member) {
            if (member === "insert") {
              return (batch: Parameters<Insert>[0]) => insert(batch, table.insert.bind(table));
            }
            const value: unknown = Reflect.get(table, member, table);
            return typeof value === "function" ? value.bind(table) : value;
          },
        });
      };
    },
  });
  return { store, close: () => sessions.close() };
}

const ids = ["a", "b", "c", "d"] as const;
const requests = fc.array(
  fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      project: fc.constantFrom("/one", "/two"),
      first: fc.nat(3),
      texts: fc.array(fc.constantFrom("ice", "frost", "thaw"), { maxLength: 3 }),
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
  ),
  { minLength: 2, maxLength: 7 },
);

describe("ingest requests that come at once", () => {
  test("store and answer the same as when they come one after the other", () =>
    fc.assert(
      fc.asyncProperty(requests, async (drawn) => {
        const asked = drawn.map((sessions) =>
          sessions.flatMap(({ id, project, first, texts }) => [
            sessionOf(id, { project }),
            ...texts.flatMap((text, at) => textMessage(id, first + at, text)),
          ]),
        );
        const together = await withStore(async (store) => ({
          answers: await Promise.all(asked.map((events) => stored(store, events))),
          rows: await allRows(store),
        }));
        const apart = await withStore(async (store) => {
          const answers: unknown[] = [];
          for (const events of asked) answers.push(await stored(store, events));
          return { answers, rows: await allRows(store) };
        });

        expect(together).toEqual(apart);
      }),
      { numRuns: 8 },
    ));

  test("are stored in few commits", () =>
    withStore(async (sessions) => {
      let commits = 0;
      const store = inserting(sessions, "messages", (batch, insert) => {
        commits += 1;
        return insert(batch);
      });

      const answers = Array.from({ length: 20 }, (_, at) => stored(store, chat(`s${at}`, ["x"])));
      await Promise.all(answers);

      // The first one goes alone: nothing waits when it comes.
      expect(commits).toBeLessThanOrEqual(2);
      expect(await sessions.store.table("messages").count()).toBe(20);
    }));

  test("are answered only after their rows are stored", () =>
    withStore(async (sessions) => {
      const seen = Array.from({ length: 8 }, async (_, at) => {
        await stored(sessions, chat(`s${at % 3}`, [`text ${at}`]));
        return (await sessions.store.table("messages").count()) > 0;
      });

      expect(await Promise.all(seen)).toEqual(Array(8).fill(true));
    }));

  test("succeed although one among them cannot be stored", () =>
    withStore(async (sessions) => {
      const failure = new Error("a row that no table takes");
      const store = inserting(sessions, "messages", (batch, insert) => {
        const ids = batch["session_id"];
        return Array.isArray(ids) && ids.includes("bad") ? Promise.reject(failure) : insert(batch);
      });

      const names = ["first", "good-1", "bad", "good-2"];
      const answers = await Promise.all(names.map((name) => stored(store, chat(name, ["x"]))));

      const added = { status: "new", messages_added: 1 };
      expect(answers).toMatchObject([
        [{ id: "first", ...added }],
        // What of it was there already, from when it failed with the others, is not new.
        [{ id: "good-1", status: "new" }],
        failure,
        [{ id: "good-2", status: "new" }],
      ]);
      const rows = await sessions.store.table("messages").rows({ columns: ["session_id"] });
      expect(rows.map((row) => row["session_id"]).sort()).toEqual(["first", "good-1", "good-2"]);
    }));

  test("fail together when storage fails, in at most two commits", () =>
    withStore(async (sessions) => {
      const failure = new StorageUnavailableError("/store", "no space left");
      let commits = 0;
      const store = inserting(sessions, "parts", () => {
        commits += 1;
        return Promise.reject(failure);
      });

      const names = ["s1", "s2", "s3", "s4"];
      const answers = await Promise.all(names.map((name) => stored(store, chat(name, ["x"]))));

      expect(answers).toEqual(names.map(() => failure));
      expect(commits).toBeLessThanOrEqual(2);
    }));

  test("are stored without the one that was aborted meanwhile", () =>
    withStore(async (sessions) => {
      const reason = new Error("gone");
      const stop = new AbortController();
      const answers = [
        stored(sessions, chat("first", ["x"])),
        stored(sessions, chat("gone", ["x"]), stop.signal),
        stored(sessions, chat("last", ["x"])),
      ];
      stop.abort(reason);

      expect(await Promise.all(answers)).toMatchObject([[{}], reason, [{}]]);
      expect(await sessions.store.table("sessions").count()).toBe(2);
    }));

  test("record the host of each request in its own sessions", () =>
    withStore(async (sessions) => {
      await Promise.all(
        ["alder", "birch", "alder"].map((host, at) => {
          const { sessions: rows } = groupRows(chat(`s${at}`, ["x"]));
          return storeTogether(sessions, rows, { ...resources, host });
        }),
      );

      const rows = await sessions.store.table("sessions").rows({ columns: ["id", "options"] });
      const hosts = rows.map(({ id, options }) => `${id} ${JSON.parse(String(options)).pond.host}`);
      expect(hosts.sort()).toEqual(["s0 alder", "s1 birch", "s2 alder"]);
    }));
});
