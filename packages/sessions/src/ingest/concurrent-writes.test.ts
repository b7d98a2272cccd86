import { copyStore, eq } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import { openSessions, type SessionStore } from "../session-store.ts";
import {
  beforeInsert,
  type DemoSession,
  demoEvents,
  failingInserts,
  ingestDemo,
  said,
  shown,
  streamOf,
  withStore,
} from "../testing.ts";
import { createIngest } from "./ingest.ts";

const apart = { shouldQualifyIds: true };
const inShop: DemoSession = { id: "s", project: "/shop", messages: [said("c"), said("d")] };
const inBlog: DemoSession = { id: "s", project: "/blog", seconds: 60, messages: [said("e")] };

const watched = ["sessions", "messages", "windows"] as const;

it("an ingest into an empty store reads back none of the rows it stored", () =>
  withStore(async (sessions) => {
    const demos = Array.from({ length: 9 }, (_, at): DemoSession => {
      return { id: `s${at}`, messages: [said("a"), said("b")] };
    });
    const tables = watched.map((name) => sessions.store.table(name));
    const scans = tables.map((table) => vi.spyOn(table, "scan"));
    const wheres = (): unknown[] =>
      scans.flatMap(({ mock }) => mock.calls.flatMap(([{ where }]) => where ?? []));

    await ingestDemo(sessions, demos, { ...apart, maxBatchBytes: 10 });
    const first = wheres().length;
    await ingestDemo(sessions, [{ id: "t", messages: [said("a")] }], apart);

    expect(first).toBe(0);
    // What is there now may be of others.
    expect(wheres().length).toBeGreaterThan(0);
  }));

const hooks = { isUnchanged: async () => true, onCommitted: () => undefined };

/** Takes two sessions in, and does something else before the first and before the second. */
async function ingestBetween(
  sessions: SessionStore,
  before: () => Promise<void>,
  between: () => Promise<void>,
): Promise<void> {
  await before();
  const ingest = createIngest(sessions, { ...apart, now: () => new Date(2) });
  await ingest.session(streamOf(demoEvents({ ...inShop, id: "other" })), hooks);
  await between();
  await ingest.session(streamOf(demoEvents(inBlog)), hooks);
  await ingest.finish();
}

const nothing = async (): Promise<void> => undefined;

/** Leaves some of a session, as one ingest that breaks off. */
async function leave(sessions: SessionStore, table: string): Promise<void> {
  await expect(ingestDemo(failingInserts(sessions, table), [inShop], apart)).rejects.toThrow();
}

/** Leaves the same rows without an ingest of this process. */
function leaveAsAnother(sessions: SessionStore, table: string): Promise<void> {
  return withStore(async (left) => {
    await leave(left, table);
    const other = await openSessions(sessions.store.location, { mode: "write" });
    await copyStore(left.store, other.store, ["parts", "windows", "messages"]);
    other.close();
  });
}

async function expectOnlyBlog(sessions: SessionStore): Promise<void> {
  const windows = sessions.store.table("windows");
  await windows.refresh();
  const rows = await windows.rows({ columns: ["message_ids"], where: eq("session_id", "s") });
  expect(rows.flatMap((row) => JSON.parse(String(row["message_ids"])))).toEqual(["e"]);
  expect(await shown(sessions, "s")).toEqual(["e: This is e."]);
}

it.each(["messages", "sessions"])(
  "removes the leftovers of another process that broke off before its %s",
  (table) =>
    withStore(async (sessions) => {
      await ingestBetween(sessions, () => leaveAsAnother(sessions, table), nothing);

      await expectOnlyBlog(sessions);
    }),
);

it.each(["messages", "sessions"])(
  "removes the leftovers of another process that breaks off meanwhile before its %s",
  (table) =>
    withStore(async (sessions) => {
      await ingestBetween(sessions, nothing, () => leaveAsAnother(sessions, table));

      await expectOnlyBlog(sessions);
    }),
);

it.each(["messages", "sessions"])(
  "removes the leftovers of another ingest of this process that breaks off meanwhile before its %s",
  (table) =>
    withStore(async (sessions) => {
      await ingestBetween(sessions, nothing, () => leave(sessions, table));

      await expectOnlyBlog(sessions);
    }),
);

it.each([
  ["one batch", 1_000_000],
  ["several batches", 10],
])(
  "makes the windows of a session of %s again that another process, which broke off, made of more messages",
  (_, maxBatchBytes) =>
    withStore(async (sessions) => {
      const long = "x".repeat(3_000);
      const own: DemoSession = { id: "s", messages: [said("a", long), said("b", long)] };
      const more = { ...own, messages: [said("a", `${long} and more`), ...own.messages.slice(1)] };
      let written = 0;
      const raced = beforeInsert(sessions, "messages", async () => {
        written += 1;
        // Its windows are there now, in place of ours, and its messages never will be.
        if (written !== (maxBatchBytes === 10 ? 2 : 1)) return;
        const other = await openSessions(sessions.store.location, { mode: "write" });
        await expect(ingestDemo(failingInserts(other, "messages"), [more])).rejects.toThrow();
        other.close();
      });

      await ingestDemo(raced, [own], { maxBatchBytes });

      const windows = sessions.store.table("windows");
      await windows.refresh();
      const texts = (await windows.rows({ columns: ["text"] })).map(({ text }) => String(text));
      expect(texts.join("\n")).not.toContain("and more");
    }),
);
