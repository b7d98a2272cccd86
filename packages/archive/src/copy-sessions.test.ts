import { join } from "node:path";
import { openSessions } from "@pond/sessions";
import { startS3 } from "@pond/storage-testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import type { Progress } from "./progress.ts";
import { rangesOf } from "./ranges.ts";
import { allRows, demoSessions, ingest, openStore, storeOf, temporaryFolder } from "./testing.ts";

describe("copySessions", () => {
  it("goes from a folder to a bucket and back", async () => {
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

  it("adds what each of two stores lacks of the other", async () => {
    const [one, two, three] = demoSessions(3);
    if (one === undefined || two === undefined || three === undefined) throw new TypeError();
    const left = await storeOf(one, two);
    const right = await storeOf(two, three);

    await copySessions(left, right);
    await copySessions(right, left);

    expect(await allRows(left)).toEqual(await allRows(right));
    expect(await left.store.table("sessions").count()).toBe(3);
  });

  it("takes no session without its messages while another process writes", async () => {
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

  it("leaves out what an ingest that broke off left", async () => {
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

  it("tells how far it is, up to the end", async () => {
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

  it("writes nothing of an empty store", async () => {
    const location = join(temporaryFolder(), "store");

    const report = await copySessions(await openStore(), await openStore(location));

    expect(report).toEqual({ tables: {}, differing: 0, vectorsLeftOut: 0 });
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
    "puts whole sessions together up to %i rows, in the order of their ids",
    async (most, expected) => {
      const source = await storeOf(...demoSessions(3));
      await ingest(source, [{ id: "a", texts: [] }]);

      const ranges = await rangesOf(source.store, most);

      expect(ranges.map(({ first, last, rows }) => [first, last, rows])).toEqual(expected);
    },
  );
});
