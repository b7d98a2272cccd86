import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSessions, type SessionStore } from "@pond/sessions";
import { startS3 } from "@pond/storage-testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import type { Progress } from "./progress.ts";
import { rangesOf } from "./ranges.ts";
import { locateRows } from "./row-locations.ts";
import {
  allRows,
  copyTable,
  demoSessions,
  ingest,
  openStore,
  partTexts,
  storeOf,
  temporaryFolder,
} from "./testing.ts";

describe("copySessions", () => {
  it("copies a store from a folder to a bucket and back", async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const source = await storeOf(...demoSessions(2));
    const bucket = await openStore(s3.url("store"), s3.storageOptions);
    const back = await openStore();

    await copySessions(source, bucket);
    await copySessions(bucket, back);
    const again = await copySessions(source, bucket);

    expect(await allRows(back)).toEqual(await allRows(source));
    expect(again.tables["messages"]).toEqual({ inserted: 0, present: 6 });
  });

  it("brings two stores to the same rows when run in both directions", async () => {
    const [one, two, three] = demoSessions(3);
    if (one === undefined || two === undefined || three === undefined) throw new TypeError();
    const left = await storeOf(one, two);
    const right = await storeOf(two, three);

    await copySessions(left, right);
    await copySessions(right, left);

    expect(await allRows(left)).toEqual(await allRows(right));
    expect(await left.store.table("sessions").count()).toBe(3);
  });

  const others: readonly (readonly [string, readonly string[]])[] = [
    ["fewer", ["half"]],
    ["more", ["half", "and more", "and yet more"]],
  ];

  it.each(others)("adds no part to a message that the target has with %s parts", async (_, own) => {
    const left = await storeOf({ id: "s", texts: [["whole", "and more"], "second"] });
    const right = await storeOf({ id: "s", texts: [own] });

    const report = await copySessions(left, right);

    expect(await partTexts(right, "m0")).toEqual(own);
    expect(await partTexts(right, "m1")).toEqual(["second"]);
    expect(report).toMatchObject({ differing: 1, tables: { parts: { inserted: 1, present: 2 } } });
  });

  it.each([
    ["other parts", ["half"], 1, ["half"]],
    ["more parts", ["whole", "and more", "left"], 1, ["whole", "and more", "left"]],
    ["all of its parts", ["whole", "and more"], 0, ["whole", "and more"]],
    ["some of its parts", ["whole"], 0, ["whole", "and more"]],
  ])(
    "stores a message only if the parts under its id are its own, when an ingest left %s",
    async (_, texts, differing, parts) => {
      const left = await storeOf({ id: "s", texts: [["whole", "and more"], "second"] });
      const begun = await storeOf({ id: "s", texts: [texts] });
      const right = await openStore();
      await copyTable(begun, right, "parts");

      const report = await copySessions(left, right);
      const messages = await right.store.table("messages").rows({ columns: ["id"] });

      expect(report.differing).toBe(differing);
      expect(messages.map(({ id }) => id).sort()).toEqual(differing ? ["m1"] : ["m0", "m1"]);
      expect(await partTexts(right, "m0")).toEqual(parts);
    },
  );

  it.each(["parts", "windows"])(
    "makes windows of the stored messages only, when an interrupted ingest left %s",
    async (left) => {
      const whole = await storeOf({ id: "s", texts: ["whole", "next"] });
      const begun = await storeOf({ id: "s", texts: ["half", "next", "third"] });
      const right = await openStore();
      for (const name of left === "parts" ? ["parts"] : ["parts", "windows"]) {
        await copyTable(begun, right, name);
      }

      await copySessions(whole, right);

      expect(await windowTexts(right)).toEqual(["next"]);
      expect((await copySessions(whole, right)).differing).toBe(1);
    },
  );

  it("discards the windows of a longer session that an interrupted ingest left", async () => {
    const whole = await storeOf({ id: "s", texts: ["first"] });
    const begun = await storeOf({ id: "s", texts: ["first", "second"] });
    const right = await openStore();
    for (const name of ["parts", "windows"]) await copyTable(begun, right, name);

    await copySessions(whole, right);

    expect(await windowTexts(right)).toEqual(await windowTexts(whole));
  });

  it("copies no session without its messages while another process writes", async () => {
    const location = join(temporaryFolder(), "store");
    const writer = await openStore(location);
    const [first, second] = demoSessions(2);
    if (first === undefined || second === undefined) throw new TypeError();
    await ingest(writer, [first]);
    // As far behind as a handle on a bucket may be, and more.
    const reader = await openSessions(location, { stalenessMs: 3_600_000 });
    onTestFinished(() => reader.close());
    await allRows(reader);
    const [sessions, messages] = [reader.store.table("sessions"), reader.store.table("messages")];
    const [seeSessions, seeMessages] = [sessions, messages].map((table) =>
      table.refresh.bind(table),
    ) as [() => Promise<void>, () => Promise<void>];
    let written: Promise<void> | undefined;
    // Between the one and the other a session is written.
    vi.spyOn(messages, "refresh").mockImplementationOnce(() => {
      // What is seen is what the first read finds.
      written = seeMessages()
        .then(() => messages.count())
        .then(() => ingest(writer, [second]));
      return written;
    });
    vi.spyOn(sessions, "refresh").mockImplementationOnce(async () => {
      await new Promise(setImmediate);
      await written;
      await seeSessions();
    });
    const copy = await openStore();

    await copySessions(reader, copy);

    expect(await allRows(copy)).toEqual(await allRows(writer));
    expect(await copy.store.table("messages").count()).toBe(6);
  });

  it("leaves out messages that an interrupted ingest left without a session", async () => {
    const source = await storeOf(...demoSessions(1));
    const columns = Object.keys(source.store.table("messages").declaration.columns);
    const [row] = await source.store.table("messages").rows({ columns, limit: 1 });
    const torn = { ...row, session_id: "torn" };
    await source.store
      .table("messages")
      .insert(Object.fromEntries(Object.entries(torn).map(([name, cell]) => [name, [cell]])));
    const target = await openStore();

    const { tables } = await copySessions(source, target);

    expect(tables["messages"]).toEqual({ inserted: 3, present: 0 });
  });

  it("reports its progress up to the end", async () => {
    const source = await storeOf(...demoSessions(2));
    const seen: Progress[] = [];

    await copySessions(source, await openStore(), { onProgress: (each) => seen.push(each) });

    const { store } = source;
    const counts = ["sessions", "messages", "parts", "windows"].map((name) =>
      store.table(name).count(),
    );
    const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    expect(seen.at(-1)).toEqual({ step: "copy", done: total, total });
  });

  it("writes nothing when it copies an empty store, or one that is there already", async () => {
    const location = join(temporaryFolder(), "store");
    const [source, target] = [await storeOf(...demoSessions(2)), await openStore(location)];
    await copySessions(source, target);
    const filesIn = (): string[] => readdirSync(location, { recursive: true, encoding: "utf8" });
    const before = filesIn().sort();

    const ofEmpty = await copySessions(await openStore(), target);
    const again = await copySessions(source, target);

    expect(ofEmpty).toEqual({ tables: {}, differing: 0, damaged: [], vectorsLeftOut: 0 });
    expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
    expect(filesIn().sort()).toEqual(before);
  });
});

describe("rangesOf", () => {
  it.each([
    [50_000, [["a", "session-002", 25]]],
    [
      20,
      [
        ["a", "session-001", 17],
        ["session-002", "session-002", 8],
      ],
    ],
    [
      8,
      [
        ["a", "a", 1],
        ["session-000", "session-000", 8],
        ["session-001", "session-001", 8],
        ["session-002", "session-002", 8],
      ],
    ],
  ])(
    "groups whole sessions into ranges of up to %i rows, in the order of their ids",
    async (most, expected) => {
      const source = await storeOf(...demoSessions(3));
      await ingest(source, [{ id: "a", texts: [] }]);

      const ranges = rangesOf(await locateRows(source.store), most);

      expect(ranges.map(({ first, last, rows }) => [first, last, rows])).toEqual(expected);
    },
  );
});

/** The texts of all windows that hold any. */
async function windowTexts({ store }: SessionStore): Promise<string[]> {
  const rows = await store.table("windows").rows({ columns: ["text"] });
  return rows.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).sort();
}
