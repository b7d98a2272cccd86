import type { ReadEvent } from "@pond/canonical";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { ingestDemo, withStore } from "../testing.ts";

type Turn = { readonly text: string | undefined; readonly isBoundary: boolean };

const turn: fc.Arbitrary<Turn> = fc.record({
  text: fc.constantFrom(undefined, "short", "x".repeat(900), "y".repeat(2_500)),
  isBoundary: fc.boolean(),
});

const session = {
  kind: "session",
  session: { id: "s", source_agent: "demo", project: "/p", created_at: 0n, options: {} },
} as unknown as ReadEvent;

/** Turns of session `s`, from a place on, as events. */
function eventsOf(turns: readonly Turn[], from: number): ReadEvent[] {
  return turns.flatMap(({ text, isBoundary }, at) => {
    const id = `m${from + at}`;
    const options = isBoundary ? { source: { boundary: "compaction" } } : {};
    const place = { session_id: "s", options };
    const message = { ...place, id, role: "user", timestamp: BigInt(from + at) };
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

/** Windows by their first message, those that were emptied left out. */
async function windows({ store }: SessionStore): Promise<Record<string, unknown>> {
  const columns = ["id", "timestamp", "text", "message_ids"];
  const rows = await store.table("windows").rows({ columns });
  const shown = rows.filter(({ text }) => text !== null);
  return Object.fromEntries(shown.map(({ id, ...row }) => [id, row]));
}

it("are those of the whole session, whatever pieces of it came one after the other", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(turn, { maxLength: 4 }), { minLength: 2, maxLength: 5 }),
      async (pieces) => {
        const grown = await withStore(async (sessions) => {
          await ingest(sessions, pieces);
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
  ));

const said = (text: string): Turn => ({ text, isBoundary: false });

it("are made from the last window alone, however long the session is", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [Array.from({ length: 30 }, (_, at) => said(`${at} `.repeat(600)))]);
    const read: number[] = [];
    const watched = watching(sessions, read);

    await ingestDemo(watched, [[session, ...eventsOf([said("more")], 30)]], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ m30: { message_ids: '["m30"]' } });
    expect(Math.max(...read)).toBeLessThan(5);
  }));

it("are all made again where a window begins with a message that is not there", () =>
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
  ["in none of them", "m0", '["m0"]'],
  ["in two of them", "m2", '["m1","m2","m3"]'],
])("are all made again where processes that raced left a message %s", (_, id, message_ids) =>
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

it("hold the newest text of a message that was revised before", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [[said("first"), said("second")]]);
    await ingestDemo(sessions, [[session, ...eventsOf([said("anew")], 0)]], { addsOnly: true });

    await ingestDemo(sessions, [[session, ...eventsOf([said("third")], 2)]], { addsOnly: true });

    expect(await windows(sessions)).toMatchObject({ m0: { text: "anew\nsecon\nthird" } });
  }));

/** The same store, which notes how many parts each query gives. */
function watching(sessions: SessionStore, read: number[]): SessionStore {
  const store = new Proxy(sessions.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "table") return typeof value === "function" ? value.bind(target) : value;
      return (name: string): unknown => {
        const table = target.table(name);
        if (name !== "parts") return table;
        return new Proxy(table, {
          get(_, member) {
            if (member !== "rows") {
              const own: unknown = Reflect.get(table, member, table);
              return typeof own === "function" ? own.bind(table) : own;
            }
            return async (options: Parameters<typeof table.rows>[0]) => {
              const rows = await table.rows(options);
              read.push(rows.length);
              return rows;
            };
          },
        });
      };
    },
  });
  return { store, close: () => sessions.close() };
}
