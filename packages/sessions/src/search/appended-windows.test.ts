import type { ReadEvent } from "@pond/canonical";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  type DemoMessage,
  type DemoSession,
  demoEvents,
  ingestDemo,
  recordingPartQueries,
  recordingWrites,
  withStore,
  withTableMethod,
} from "../testing.ts";

type Turn = {
  readonly text: string | undefined;
  readonly isBoundary: boolean;
  /** Of a record that says what the session is called. */
  readonly title?: string | undefined;
};

const turn: fc.Arbitrary<Turn> = fc.record({
  text: fc.constantFrom(
    undefined,
    "short",
    "x".repeat(900),
    "y".repeat(2_500),
    "z ".repeat(70_000),
  ),
  isBoundary: fc.boolean(),
  title: fc.constantFrom(undefined, undefined, "one", "two"),
});

const session = {
  kind: "session",
  session: { id: "s", source_agent: "demo", project: "/p", created_at: 0n, options: {} },
} as unknown as ReadEvent;

/** Turns of session `s`, from a place on, as events. */
function eventsOf(turns: readonly Turn[], from: number): ReadEvent[] {
  return turns.flatMap(({ text, isBoundary, title }, at) => {
    const id = `m${from + at}`;
    const timestamp = BigInt(from + at);
    if (title !== undefined) {
      const options = { source: { record: { type: "custom-title", customTitle: title } } };
      const record = { session_id: "s", id, role: "system", timestamp, content: "", options };
      return [{ kind: "message", message: record }] as unknown as ReadEvent[];
    }
    const options = isBoundary ? { source: { boundary: "compaction" } } : {};
    const place = { session_id: "s", options };
    const message = { ...place, id, role: "user", timestamp };
    const part = { ...place, message_id: id, id: "p", provenance: "conversational" };
    const parts =
      text === undefined ? [] : [{ kind: "part", part: { ...part, type: "text", text } }];
    return [{ kind: "message", message }, ...parts] as unknown as ReadEvent[];
  });
}

/** Ingests pieces of a session, each without what came before it. */
async function ingest(sessions: SessionStore, pieces: readonly (readonly Turn[])[]): Promise<void> {
  let from = 0;
  for (const turns of pieces) {
    await ingestDemo(sessions, [[session, ...eventsOf(turns, from)]], { addsOnly: true });
    from += turns.length;
  }
}

/** Ingests a session again and again, each time with one more piece. */
async function ingestWhole(
  sessions: SessionStore,
  pieces: readonly (readonly Turn[])[],
): Promise<void> {
  for (const [at] of pieces.entries()) {
    await ingestDemo(sessions, [[session, ...eventsOf(pieces.slice(0, at + 1).flat(), 0)]]);
  }
}

/** Windows by their first message, those that were emptied left out. */
async function windows({ store }: SessionStore): Promise<Record<string, unknown>> {
  const columns = ["id", "timestamp", "text", "message_ids"];
  const rows = await store.table("windows").rows({ columns });
  const shown = rows.filter(({ text }) => text !== null);
  return Object.fromEntries(shown.map(({ id, ...row }) => [id, row]));
}

it.each([
  ["it comes piece by piece", ingest],
  ["it is read as a whole after each addition", ingestWhole],
])("makes the same windows as one ingest of the whole session when %s", (_, ingestGrowing) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(turn, { maxLength: 4 }), { minLength: 2, maxLength: 5 }),
      async (pieces) => {
        const grown = await withStore(async (sessions) => {
          await ingestGrowing(sessions, pieces);
          return windows(sessions);
        });
        const whole = await withStore(async (sessions) => {
          await ingest(sessions, [pieces.flat()]);
          return windows(sessions);
        });

        expect(grown).toEqual(whole);
      },
    ),
    { numRuns: 10 },
  ),
);

const said = (text: string): Turn => ({ text, isBoundary: false });
const silent: Turn = { text: undefined, isBoundary: false };

it("makes new windows from the last window alone, however long the session is", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [Array.from({ length: 30 }, (_, at) => said(`${at} `.repeat(600)))]);
    const read: number[] = [];
    const watched = recordingPartQueries(sessions, read);

    await ingestDemo(watched, [[session, ...eventsOf([said("more")], 30)]], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ m30: { message_ids: '["m30"]' } });
    expect(Math.max(...read)).toBeLessThan(5);
  }));

it.each([100, 300])("reads no parts again to extend a last window of %s messages", (count) =>
  withStore(async (sessions) => {
    const turns = [said("first"), ...Array.from({ length: count }, () => silent), said("last")];
    await ingest(sessions, [turns]);
    const parts: number[] = [];
    const columns: string[] = [];
    const watched = withTableMethod(
      recordingPartQueries(sessions, parts),
      "windows",
      "rows",
      (rows) => async (options) => {
        columns.push(...(options.columns ?? []));
        return rows(options);
      },
    );

    await ingestDemo(watched, [[session, ...eventsOf([...turns, said("more")], 0)]]);

    expect(await windows(sessions)).toMatchObject({ m0: { text: "first\nlast\nmore" } });
    expect(Math.max(...parts)).toBe(0);
    // That of the window that is written anew.
    expect(columns.filter((column) => column === "text")).toHaveLength(1);
  }),
);

it("reads no parts of messages without searchable text to extend a window", () =>
  withStore(async (sessions) => {
    const demo = (messages: DemoMessage[]): DemoSession => ({ id: "s", messages });
    const output = "x".repeat(100_000);
    const before = [
      { id: "1", text: "Where do they nest?" },
      { id: "2", role: "tool", text: output },
    ] as const;
    await ingestDemo(sessions, [demo([...before])]);
    const read: number[] = [];

    const more = demoEvents(demo([{ id: "3", text: "And now?" }]));
    await ingestDemo(recordingPartQueries(sessions, read), [more], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ 1: { text: expect.stringMatching(/now/) } });
    expect(read).toEqual([1]);
  }));

it("adds a window after a long message without writing that message's windows again", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [[said("short"), said("long ".repeat(40_000))]]);
    const before = await windows(sessions);
    const read: number[] = [];
    const written: string[] = [];
    const watched = recordingWrites(recordingPartQueries(sessions, read), "windows", written);

    await ingestDemo(watched, [[session, ...eventsOf([said("more")], 2)]], { addsOnly: true });

    expect(Object.keys(before)).toHaveLength(4);
    expect(await windows(sessions)).toEqual({ ...before, m2: expect.anything() });
    expect(written).toEqual(["m2"]);
    expect(Math.max(...read)).toBeLessThan(5);
  }));

it("cuts a long message of which an earlier version made one window", () =>
  withStore(async (sessions) => {
    const text = "long ".repeat(40_000);
    const turns = [said("short"), said(text)];
    await ingest(sessions, [turns]);
    const before = await windows(sessions);
    const table = sessions.store.table("windows");
    const columns = ["session_id", "id", "timestamp", "source_agent", "project"];
    const rows = await table.rows({ columns });
    const isOne = rows.map(({ id }) => id === "m0");
    await table.replace({
      ...Object.fromEntries(columns.map((name) => [name, rows.map((row) => row[name] ?? null)])),
      text: isOne.map((one) => (one ? `short\n${text}` : null)),
      message_ids: isOne.map((one) => (one ? '["m0","m1"]' : "[]")),
    });

    await ingestDemo(sessions, [[session, ...eventsOf([...turns, said("more")], 0)]]);

    expect(await windows(sessions)).toEqual({ ...before, m2: expect.anything() });
  }));

const called = (title: string): Turn => ({ text: undefined, isBoundary: false, title });

it("makes new windows from the last window alone, also in a session with titles", () =>
  withStore(async (sessions) => {
    const turns = Array.from({ length: 30 }, (_, at) => said(`${at} `.repeat(600)));
    await ingest(sessions, [[called("one"), ...turns, called("two")]]);
    const read: number[] = [];
    const watched = recordingPartQueries(sessions, read);

    const more = eventsOf([called("two"), said("more"), called("three")], 32);
    await ingestDemo(watched, [[session, ...more]], { addsOnly: true });

    const texts = Object.values(await windows(sessions)).map((row) => Object(row).text);
    for (const text of ["one", "two", "more", "three"]) {
      expect(texts.filter((each) => each === text)).toEqual([text]);
    }
    expect(Math.max(...read)).toBeLessThan(5);
  }));

it("writes no window for a title that is repeated, nor for messages that are read again", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [[called("one"), said("first")]]);
    const written: number[] = [];
    const watched = withTableMethod(sessions, "windows", "insert", (insert) => async (rows) => {
      written.push(rows["id"]?.length ?? 0);
      return insert(rows);
    });

    await ingestDemo(watched, [[session, ...eventsOf([called("one")], 2)]], { addsOnly: true });
    const whole = eventsOf([called("one"), said("first"), called("one")], 0);
    await ingestDemo(watched, [[session, ...whole]]);

    expect(Math.max(...written)).toBe(0);
    expect(Object.keys(await windows(sessions))).toHaveLength(2);
  }));

it("adds windows for the titles of a session stored without them, when the session grows", () =>
  withStore(async (sessions) => {
    const older = withTableMethod(sessions, "windows", "insert", (insert) => async (rows) => {
      const places = Array.from({ length: rows["id"]?.length ?? 0 }, (_, at) => at);
      const kept = places.filter((at) => rows["message_ids"]?.at(at) !== "[]");
      const columns = Object.entries(rows).map(([name, cells]) => {
        return [name, kept.map((at) => cells.at(at) ?? null)] as const;
      });
      return insert(Object.fromEntries(columns));
    });
    const turns = [called("one"), said("first"), called("two")];
    await ingest(older, [turns]);
    expect(Object.keys(await windows(sessions))).toEqual(["m1"]);

    await ingestDemo(sessions, [[session, ...eventsOf([...turns, said("more")], 0)]]);

    const texts = Object.values(await windows(sessions)).map((row) => Object(row).text);
    expect(texts.sort()).toEqual(["first\nmore", "one", "two"]);
  }));

it("makes all windows again when one begins with a message that does not exist", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [[said("first")]]);
    await sessions.store.table("windows").insert({
      session_id: ["s"],
      id: ["of a run that broke off"],
      timestamp: [0n],
      source_agent: ["demo"],
      project: ["/p"],
      text: ["lost words"],
      message_ids: ['["of a run that broke off"]'],
    });

    await ingestDemo(sessions, [[session, ...eventsOf([said("more")], 1)]], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ m0: { text: "first\nmore" } });
    expect(Object.keys(await windows(sessions))).toEqual(["m0"]);
  }));

it.each([
  ["in no window", "m0", '["m0"]'],
  ["in two windows", "m2", '["m1","m2","m3"]'],
])("makes all windows again when racing processes left a message %s", (_, id, message_ids) =>
  withStore(async (sessions) => {
    const turns = Array.from({ length: 6 }, (_, at) => said(`${at} `.repeat(600)));
    await ingest(sessions, [turns]);
    const whole = await windows(sessions);
    expect(Object.keys(whole)).toEqual(["m0", "m2", "m4"]);
    await sessions.store.table("windows").replace({
      session_id: ["s"],
      id: [id],
      timestamp: [0n],
      source_agent: ["demo"],
      project: ["/p"],
      text: ["some of it"],
      message_ids: [message_ids],
    });

    await ingestDemo(sessions, [[session, ...eventsOf([said("more")], 6)]], { addsOnly: true });

    const texts = Object.values(await windows(sessions)).map((row) => Object(row).message_ids);
    expect(texts.sort()).toEqual(['["m0","m1"]', '["m2","m3"]', '["m4","m5"]', '["m6"]']);
  }),
);

it("keeps the newest text of a message that was revised before", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [[said("first"), said("second")]]);
    await ingestDemo(sessions, [[session, ...eventsOf([said("anew")], 0)]], { addsOnly: true });

    await ingestDemo(sessions, [[session, ...eventsOf([said("third")], 2)]], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ m0: { text: "anew\nsecon\nthird" } });
  }));
