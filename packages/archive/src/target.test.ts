import type { SessionStore } from "@pond/sessions";
import { describe, expect, it, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { rangesOf } from "./ranges.ts";
import { locateRows } from "./row-locations.ts";
import { readOrder } from "./tables.ts";
import { Target } from "./target.ts";
import {
  allRows,
  copyTable,
  type DemoSession,
  demoSessions,
  ingest,
  openStore,
  partTexts,
  storeOf,
} from "./testing.ts";

const demos = demoSessions(4, 5);
const half = ({ id, texts }: DemoSession): DemoSession => ({ id, texts: texts.slice(0, 2) });

/** What a copy that broke off behind these tables has left of all sessions. */
async function leftOf(...tables: readonly string[]): Promise<SessionStore> {
  const [source, target] = [await storeOf(...demos), await openStore()];
  for (const table of tables) await copyTable(source, target, table);
  return target;
}

describe("a copy", () => {
  it.each<readonly [string, number, () => Promise<SessionStore>]>([
    ["nothing", 0, () => openStore()],
    ["only other sessions", 0, () => storeOf({ id: "s", texts: ["other"] })],
    ["every session", 20, () => storeOf(...demos)],
    ["every second session", 10, () => storeOf(...demos.filter((_, at) => at % 2 === 0))],
    ["the beginning of each session", 8, () => storeOf(...demos.map(half))],
    ["the beginning of some sessions", 4, () => storeOf(...demos.slice(2).map(half))],
    ["leftover parts", 0, () => leftOf("parts")],
    ["leftover parts and windows", 0, () => leftOf("parts", "windows")],
    ["all but the sessions' own rows", 20, () => leftOf("parts", "windows", "messages")],
  ])("adds what is missing to a store that has %s", async (_, present, open) => {
    const source = await storeOf(...demos);
    const target = await open();

    const report = await copySessions(source, target);
    const again = await copySessions(source, target);

    const stored = await allRows(target);
    for (const [name, rows] of Object.entries(await allRows(source))) {
      // Of a session that grew, windows are made anew, and those they replace stay as empty rows.
      if (name !== "windows") expect(stored[name]).toEqual(expect.arrayContaining(rows));
    }
    expect(report.tables["messages"]).toEqual({ inserted: 20 - present, present });
    expect([report.differing, again.differing]).toEqual([0, 0]);
    expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
  });
});

/** Lets another process store a session once, as soon as the copy has looked, or writes a table. */
async function interfere(
  target: SessionStore,
  moment: string,
  session: DemoSession,
): Promise<void> {
  const other = await openStore(target.store.location);
  if (moment === "looked") {
    // The table that a look reads last.
    const parts = target.store.table("parts");
    const scan = parts.scan.bind(parts);
    vi.spyOn(parts, "scan").mockImplementationOnce(async function* (options) {
      yield* scan(options);
      await ingest(other, [session]);
    });
    return;
  }
  const table = target.store.table(moment);
  const insert = table.insert.bind(table);
  vi.spyOn(table, "insert").mockImplementationOnce(async (...given) => {
    await ingest(other, [session]);
    return insert(...given);
  });
}

describe("a session that another process stores during a copy", () => {
  it.each(["looked", "parts", "windows", "messages", "sessions"])(
    "is stored only once when it comes at this moment: %s",
    async (moment) => {
      const source = await storeOf(...demos);
      const target = await openStore();
      await interfere(target, moment, demos[1] as DemoSession);

      const report = await copySessions(source, target);

      const { messages, parts } = report.tables;
      expect(await allRows(target)).toEqual(await allRows(source));
      expect(report.differing).toBe(0);
      expect([messages, parts].map((each) => (each?.inserted ?? 0) + (each?.present ?? 0))).toEqual(
        [20, 20],
      );
    },
  );

  it.each([
    ["looked", "fewer", ["half"]],
    ["looked", "more", ["whole", "and more", "and yet more"]],
    ["looked", "other", ["whole", "and less"]],
    ["parts", "more", ["whole", "and more", "and yet more"]],
    ["parts", "other", ["whole", "and less"]],
  ])(
    "keeps its own parts when it comes at this moment: %s, with %s parts",
    async (moment, _, own) => {
      const source = await storeOf({ id: "s", texts: [["whole", "and more"], "second"] });
      const target = await openStore();
      await interfere(target, moment, { id: "s", texts: [own], project: "/ours" });

      const report = await copySessions(source, target);

      const columns = ["id", "project"];
      const messages = await target.store.table("messages").rows({ columns });
      expect(await partTexts(target, "m0")).toEqual(own);
      expect(await partTexts(target, "m1")).toEqual(["second"]);
      expect(messages.map(({ id, project }) => `${id} ${project}`).sort()).toEqual([
        "m0 /ours",
        "m1 /ours",
      ]);
      expect(report.differing).toBe(1);
    },
  );
});

describe("Target", () => {
  it.each([
    ["only the copy has written", 1, false],
    ["another process has written too", 2, true],
  ])(
    "looks at a range again only if others have written: %s, %i sessions",
    async (_, count, isLookedAt) => {
      const source = await storeOf(...demos);
      const locations = await locateRows(source.store);
      const { store, ...target } = await storeOf(...demos.slice(0, 1));
      const known = await Target.locate(store, () => true);
      await ingest({ store, ...target }, demos.slice(1, count + 1));
      for (const [name, rows] of [
        ["sessions", 1],
        ["messages", 5],
        ["parts", 5],
      ] as const) {
        known.inserted(name, rows);
      }
      const [, second, third] = rangesOf(locations, 1);
      if (second === undefined || third === undefined) throw new TypeError();

      const [seen, later] = [await known.locationsOf(second), await known.locationsOf(third)];

      const has = (found: typeof seen, { first }: typeof second) =>
        readOrder.some((name) => found.has(name, first));
      expect([has(seen, second), has(later, third)]).toEqual([isLookedAt, isLookedAt]);
      expect(has(later, second)).toBe(false);
    },
  );
});
