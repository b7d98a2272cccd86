import type { ReadEvent } from "@pond/canonical";
import { eq } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  beforeInsert,
  type DemoSession,
  demoEvents,
  failingInserts,
  ingestDemo,
  said,
  shown,
  streamOf,
  withAltered,
  withStore,
} from "../testing.ts";
import { createIngest } from "./ingest.ts";

// Sessions of one id that are stored at once, of which one breaks off, or gets on with it late.

const apart = { shouldQualifyIds: true };
const later = { ...apart, now: () => new Date(2) };
const last = { ...apart, now: () => new Date(3) };
const ofPi: DemoSession = { id: "s", agent: "pi", messages: [said("a"), said("b"), said("pi")] };
const ofOmp: DemoSession = { id: "s", agent: "omp", messages: [said("a"), said("b"), said("omp")] };
const inShop: DemoSession = { id: "s", project: "/shop", messages: [said("c"), said("d")] };
const inBlog: DemoSession = { id: "s", project: "/blog", seconds: 60, messages: [said("e")] };

/** The sessions there are, with what each says and what search looks through. */
async function sessionsIn(sessions: SessionStore): Promise<unknown> {
  const { store } = sessions;
  await store.refresh();
  const rows = await store.table("sessions").rows({ columns: ["id", "source_agent", "project"] });
  const found = rows.map(async ({ id, source_agent: agent, project }) => {
    const columns = ["message_ids", "source_agent", "project"];
    const where = eq("session_id", String(id));
    const windows = await store.table("windows").rows({ columns, where });
    for (const each of windows) {
      if (each["message_ids"] === "[]") continue;
      expect([each["source_agent"], each["project"]]).toEqual([agent, project]);
    }
    const ids = windows.flatMap((each) => JSON.parse(String(each["message_ids"])));
    const texts = await shown(sessions, String(id));
    return [id, texts.map((text) => text.split(":")[0]).join(" "), ids.join(" ")];
  });
  return (await Promise.all(found)).sort();
}

it("does not wait for another client's interrupted ingest, and keeps its session apart if it resumes", () =>
  withStore(async (sessions) => {
    await expect(ingestDemo(failingInserts(sessions, "sessions"), [ofPi], apart)).rejects.toThrow();

    const [outcome] = await ingestDemo(sessions, [ofOmp], later);
    const before = await sessionsIn(sessions);
    const [late] = await ingestDemo(sessions, [ofPi], last);

    expect(outcome).toMatchObject({ session_id: "s", status: "new", deferred: 0 });
    expect(before).toEqual([["s", "a b omp", "a b omp"]]);
    expect(late).toMatchObject({ session_id: "pi:s", status: "new", messages_added: 3 });
    expect(await sessionsIn(sessions)).toEqual([
      ["pi:s", "a b pi", "a b pi"],
      ["s", "a b omp", "a b omp"],
    ]);
  }));

it.each([
  ["another client", ofPi, ofOmp, "omp:s"],
  ["another project", inShop, inBlog, "demo:1767225660000000:s"],
])(
  "defers a session whose id a session of %s has just taken, and then stores it apart",
  (_, one, two, id) =>
    withStore(async (sessions) => {
      let isFirst = true;
      const late = beforeInsert(sessions, "messages", async () => {
        if (isFirst) {
          isFirst = false;
          await ingestDemo(sessions, [one], apart);
        }
      });
      const [outcome] = await ingestDemo(late, [two], later);
      const before = await sessionsIn(sessions);
      await ingestDemo(sessions, [two], last);

      const [words, others] = [one, two].map(({ messages }) =>
        messages.map((each) => (typeof each === "object" ? each.id : "")).join(" "),
      );
      expect(outcome).toMatchObject({ session_id: undefined, deferred: 1 });
      expect(before).toEqual([["s", words, words]]);
      expect(await sessionsIn(sessions)).toEqual([
        [id, others, others],
        ["s", words, words],
      ]);
    }),
);

it.each(["messages", "sessions"])(
  "removes from search the leftovers of an ingest that broke off before its %s",
  (table) =>
    withStore(async (sessions) => {
      await expect(ingestDemo(failingInserts(sessions, table), [inShop], apart)).rejects.toThrow();

      await ingestDemo(sessions, [inBlog], later);

      expect(await sessionsIn(sessions)).toEqual([["s", "e", "e"]]);
    }),
);

it("removes what an interrupted ingest left in another client's session when it is read again", () =>
  withStore(async (sessions) => {
    const killed = failingInserts(sessions, "sessions");
    const late = beforeInsert(killed, "messages", async () => {
      if ((await sessions.store.table("sessions").count()) === 0) {
        await ingestDemo(sessions, [ofPi], apart);
      }
    });
    await expect(ingestDemo(late, [ofOmp], later)).rejects.toThrow();

    await ingestDemo(sessions, [ofOmp], last);

    expect(await sessionsIn(sessions)).toEqual([
      ["omp:s", "a b omp", "a b omp"],
      ["s", "a b pi", "a b pi"],
    ]);
  }));

it("stores each session once when two ingests read them in different orders", () =>
  withStore(async (sessions) => {
    const hooks = { isUnchanged: async () => true, onCommitted: () => undefined };
    const read = async (ingest: ReturnType<typeof createIngest>, demo: DemoSession) =>
      ingest.session(streamOf(demoEvents(demo)), hooks);
    const [one, two] = [1, 2].map((at) =>
      createIngest(sessions, { ...apart, now: () => new Date(at) }),
    );
    if (!one || !two) throw new TypeError("there are two");
    await read(one, ofPi);
    await read(two, ofOmp);
    await read(one, ofOmp);
    await read(two, ofPi);
    for (const ingest of [one, two]) await ingest.finish();

    expect(await sessionsIn(sessions)).toEqual([
      ["omp:s", "a b omp", "a b omp"],
      ["s", "a b pi", "a b pi"],
    ]);
  }));

it("looks up leftovers once for many sessions that get other ids", () =>
  withStore(async (sessions) => {
    const windows = sessions.store.table("windows");
    const reads = [vi.spyOn(windows, "rows"), vi.spyOn(windows, "scan")];
    const readsOf = async (count: number, from: number): Promise<number> => {
      const ids = Array.from({ length: count }, (_, at) => `s${from + at}`);
      const of = (demo: DemoSession): DemoSession[] => ids.map((id) => ({ ...demo, id }));
      await ingestDemo(sessions, of(ofPi), apart);
      for (const read of reads) read.mockClear();
      await ingestDemo(sessions, of(ofOmp), later);
      return reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    };

    expect(await readsOf(20, 1)).toBe(await readsOf(1, 0));
  }));

it("removes the title of an interrupted session from search", () =>
  withStore(async (sessions) => {
    const called = (demo: DemoSession, title: string): ReadEvent[] =>
      demoEvents({ ...demo, messages: [...demo.messages, { id: title, role: "carrier" }] }).map(
        (event) => {
          if (event.kind !== "message" || event.message.id !== title) return event;
          const source = { record: { title }, titleField: "title" };
          return { ...event, message: { ...event.message, options: { source } } };
        },
      );
    const killed = failingInserts(sessions, "sessions");
    await expect(ingestDemo(killed, [called(inShop, "Shopping")], apart)).rejects.toThrow();

    await ingestDemo(sessions, [called(inBlog, "Writing")], later);

    const windows = await sessions.store.table("windows").rows({ columns: ["text"] });
    const texts = windows.flatMap(({ text }) => (text === null ? [] : [String(text)]));
    expect(texts.sort()).toEqual(["Writi", expect.stringContaining("This is e")].sort());
  }));

it("keeps what an interrupted ingest stored of the same session, in however many batches it comes", () =>
  withStore(async (sessions) => {
    const timed = ["a", "b", "c"].map((id) => ({ ...said(id), seconds: 0 }));
    const before: DemoSession = { id: "s", project: "/old", messages: timed.slice(0, 2) };
    const now: DemoSession = { id: "s", project: "/new", seconds: 60, messages: timed };
    await expect(
      ingestDemo(failingInserts(sessions, "sessions"), [before], apart),
    ).rejects.toThrow();

    await ingestDemo(sessions, [now], { ...later, maxBatchBytes: 1 });

    expect(await sessionsIn(sessions)).toEqual([["s", "a b c", "a b c"]]);
  }));

it("stores a session beside one whose messages cannot be read", () =>
  withAltered(
    [ofPi],
    (table, row) => (table === "messages" && row["id"] === "pi" ? { ...row, options: "{" } : row),
    async (sessions) => {
      await withStore(async (other) => {
        await ingestDemo(other, [{ ...ofOmp, messages: [said("omp")] }], apart);
        for (const name of ["windows", "messages"]) {
          const columns = Object.keys(sessions.store.table(name).declaration.columns);
          const rows = await other.store.table(name).rows({ columns });
          const cells = columns.map((column) => [column, rows.map((row) => row[column] ?? null)]);
          await sessions.store.table(name).insert(Object.fromEntries(cells));
        }
      });

      const outcomes = await ingestDemo(sessions, [ofOmp], later);

      expect(outcomes).toMatchObject([{ session_id: "omp:s", status: "new" }]);
      const where = eq("session_id", "s");
      const windows = await sessions.store.table("windows").rows({ columns: ["text"], where });
      expect(windows.map(({ text }) => text).join()).not.toContain("omp");
    },
  ));
