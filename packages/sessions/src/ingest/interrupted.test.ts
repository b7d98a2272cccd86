import { describe, expect, it, vi } from "vitest";
import type { SessionStore } from "../session-store.ts";
import {
  allRows,
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
import { onlyPlace } from "./source-place.ts";

const tables = ["parts", "windows", "messages", "sessions"] as const;

const first: DemoSession = { id: "s", messages: [said("a"), said("b"), said("c")] };
const second: DemoSession = { id: "t", messages: [said("a", "Another one's.")] };

/** Runs an ingest that breaks off when it comes to one table. */
async function breakOff(sessions: SessionStore, table: string, demos: readonly DemoSession[]) {
  await expect(ingestDemo(failingInserts(sessions, table), demos)).rejects.toThrow("no space left");
}

describe("an ingest that is interrupted", () => {
  it("acknowledges nothing when making its rows durable fails, and neither does the next one", () =>
    withStore(async (sessions) => {
      const flushes: string[] = [];
      const store = new Proxy(sessions.store, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (key !== "flush") return typeof value === "function" ? value.bind(target) : value;
          return async () => {
            flushes.push("flush");
            // The last of a first ingest, when every row is stored, and the only one of the next.
            if (flushes.length === 3 || flushes.length === 4)
              throw new Error("no space left on device");
            await target.flush();
          };
        },
      });
      const tight = { store, close: () => undefined };

      await expect(ingestDemo(tight, [first])).rejects.toThrow("no space left");
      // All of it is stored by now, and only that.
      await expect(ingestDemo(tight, [first])).rejects.toThrow("no space left");
      const [outcome] = await ingestDemo(tight, [first]);

      expect(outcome).toMatchObject({ status: "unchanged" });
      expect(flushes).toHaveLength(5);
    }));

  it("has flushed parts before messages and messages before sessions, in case of a power cut", () =>
    withStore(async (sessions) => {
      const steps: string[] = [];
      const flush = vi.spyOn(sessions.store, "flush");
      flush.mockImplementation(async () => void steps.push("flush"));
      for (const name of tables) {
        const table = sessions.store.table(name);
        const insert = table.insert.bind(table);
        vi.spyOn(table, "insert").mockImplementation((batch, signal) => {
          steps.push(name);
          return insert(batch, signal);
        });
      }

      await ingestDemo(sessions, [first]);

      const written = steps.filter((step, at) => step === "flush" || steps.indexOf(step) === at);
      expect(written.filter((step) => step !== "windows")).toEqual([
        "parts",
        "flush",
        "messages",
        "flush",
        "sessions",
        "flush",
      ]);
    }));

  it.each(tables)(
    "at the table %s shows no partial session, and the next one stores it whole",
    (table) =>
      withStore(async (sessions) => {
        await breakOff(sessions, table, [first, second]);
        expect(await sessions.store.table("sessions").count()).toBe(0);

        const outcomes = await ingestDemo(sessions, [first, second]);

        expect(outcomes.map(({ status, revisions }) => [status, revisions])).toEqual([
          ["new", 0],
          ["new", 0],
        ]);
        await withStore(async (undisturbed) => {
          await ingestDemo(undisturbed, [first, second]);
          expect(await allRows(sessions)).toEqual(await allRows(undisturbed));
        });
      }),
  );

  it.each(tables)("at the table %s while a session grows is completed by the next one", (table) =>
    withStore(async (sessions) => {
      const grown = { ...first, messages: [...first.messages, said("d")] };
      await ingestDemo(sessions, [first]);
      const broken = ingestDemo(failingInserts(sessions, table), [grown]);
      // A session that is known has its own row already.
      if (table !== "sessions") await expect(broken).rejects.toThrow("no space left");
      else await expect(broken).rejects.toThrow();

      await ingestDemo(sessions, [grown]);

      await withStore(async (undisturbed) => {
        await ingestDemo(undisturbed, [first]);
        await ingestDemo(undisturbed, [grown]);
        expect(await allRows(sessions)).toEqual(await allRows(undisturbed));
      });
    }),
  );

  it.each(tables)("at the table %s does not hide a newer state that the next one reads", (table) =>
    withStore(async (sessions) => {
      const before: DemoSession = {
        id: "s",
        messages: [
          said("gone"),
          { id: "a", text: "Draft.", more: ["Of two parts."] },
          said("c"),
          { id: "b", text: "b", bytes: new Uint8Array([1]) },
        ],
      };
      await breakOff(sessions, table, [before]);

      await ingestDemo(sessions, [first]);

      // What the broken run stored of the earlier state stays, but never in place of the newest.
      const now = await shown(sessions, "s");
      expect(now.filter((line) => !line.startsWith("gone"))).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
      const again = await ingestDemo(sessions, [first], { addsOnly: true });
      expect(again[0]).toMatchObject({ status: "unchanged", revisions: 0 });
    }),
  );

  it("between the parts and their message leaves nothing in the first state", () =>
    withStore(async (sessions) => {
      await breakOff(sessions, "messages", [
        { id: "s", messages: [said("a", "Draft."), said("b")] },
      ]);

      await ingestDemo(sessions, [{ id: "s", messages: [said("a", "Sent."), said("b")] }]);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b"), said("a", "Sent.")] }]);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b"), said("a", "Edited.")] }]);

      expect(await shown(sessions, "s", "first")).toEqual(["a: Sent.", "b: This is b."]);
      expect(await shown(sessions, "s")).toEqual(["b: This is b.", "a: Edited."]);
    }));

  it.each([
    ["a read of its only place", onlyPlace],
    ["a read that only adds", undefined],
  ])(
    "between two commits of a session that changed in its middle is completed by the next one: %s",
    (_, place) =>
      withStore(async (sessions) => {
        const all = Array.from({ length: 12 }, (_unused, at) =>
          said(`m${at}`, `word ${at} `.repeat(40)),
        );
        const before = [...all.slice(0, 2), said("m8", "an old text"), ...all.slice(9)];
        await ingestDemo(sessions, [{ id: "s", messages: before }]);
        const ingest = createIngest(sessions, {
          host: "h",
          now: () => new Date(0),
          maxBatchBytes: 100,
        });
        async function* breakingOff() {
          yield* demoEvents({ id: "s", messages: all });
          throw new Error("interrupted");
        }
        const hooks = {
          ...(place && { placeOf: () => place }),
          isUnchanged: async () => true,
          onCommitted: () => undefined,
        };
        await expect(ingest.session(breakingOff(), hooks)).rejects.toThrow("interrupted");
        await ingest.finish();

        await ingestDemo(sessions, [{ id: "s", messages: all }], { addsOnly: place === undefined });

        const windows = sessions.store.table("windows");
        const texts = (await windows.rows({ columns: ["text"] })).map(({ text }) => String(text));
        for (const { text = "" } of all) expect(texts.join("\n")).toContain(text);
        expect(texts.join("\n")).not.toContain("old text");
        const ids = (await shown(sessions, "s")).map((line) => line.split(":")[0]);
        expect(ids).toEqual(all.map(({ id }) => id));
      }),
  );

  it("leaves windows of the newest state only, once the next one has run", () =>
    withStore(async (sessions) => {
      const before = { id: "s", messages: [said("x", "old words"), ...first.messages] };
      await breakOff(sessions, "sessions", [before]);

      await ingestDemo(sessions, [first]);

      const rows = await sessions.store.table("windows").rows({ columns: ["id", "text"] });
      const texts = new Map(rows.map(({ id, text }) => [id, text]));
      expect(texts).toEqual(
        new Map([
          ["x", null],
          ["a", "This is a.\nThis is b.\nThis is c."],
        ]),
      );
    }));

  it("acknowledges nothing, then or later, and makes no session visible", () =>
    withStore(async (sessions) => {
      const failing = createIngest(failingInserts(sessions, "messages"), {
        host: "h",
        now: () => new Date(0),
        maxBatchBytes: 500,
      });
      const acknowledged: unknown[] = [];
      const hooks = {
        isUnchanged: async () => true,
        onCommitted: (outcome: unknown) => void acknowledged.push(outcome),
      };

      const all = async (): Promise<void> => {
        for (const demo of [first, second]) {
          await failing.session(streamOf(demoEvents(demo)), hooks);
        }
        await failing.finish();
      };

      await expect(all()).rejects.toThrow("no space left");
      await expect(failing.finish()).rejects.toThrow("no space left");
      expect(acknowledged).toEqual([]);
      expect(await sessions.store.table("sessions").count()).toBe(0);
    }));
});

describe("a session that another process stores meanwhile", () => {
  /** An ingest that already looked which sessions there are. */
  async function lateIngest(sessions: SessionStore) {
    const ingest = createIngest(sessions, { host: "late", now: () => new Date(1_000) });
    const outcomes: Awaited<ReturnType<typeof ingestDemo>> = [];
    const hooks = {
      placeOf: () => onlyPlace,
      isUnchanged: async () => true,
      onCommitted: (outcome: (typeof outcomes)[number]) => void outcomes.push(outcome),
    };
    await ingest.session(streamOf(demoEvents({ id: "other", messages: [] })), hooks);
    return { ingest, hooks, outcomes };
  }

  it("is not counted twice when both read the same", () =>
    withStore(async (sessions) => {
      const { ingest, hooks, outcomes } = await lateIngest(sessions);
      await ingestDemo(sessions, [first]);

      await ingest.session(streamOf(demoEvents(first)), hooks);
      await ingest.finish();

      expect(outcomes[1]).toMatchObject({ messages_added: 0, parts_added: 0, revisions: 0 });
      expect(await shown(sessions, "s")).toHaveLength(3);
    }));

  it("gets the later state that this ingest read, as revisions", () =>
    withStore(async (sessions) => {
      const { ingest, hooks, outcomes } = await lateIngest(sessions);
      await ingestDemo(sessions, [first]);
      const later = { id: "s", messages: [said("c"), said("a", "Anew."), said("b"), said("d")] };

      await ingest.session(streamOf(demoEvents(later)), hooks);
      await ingest.finish();

      expect(outcomes[1]).toMatchObject({ messages_added: 1 });
      expect(await shown(sessions, "s")).toEqual([
        "c: This is c.",
        "a: Anew.",
        "b: This is b.",
        "d: This is d.",
      ]);
    }));

  it("keeps its later state when this ingest read an earlier one", () =>
    withStore(async (sessions) => {
      const { ingest, hooks, outcomes } = await lateIngest(sessions);
      const newer = { id: "s", messages: [said("a", "Anew."), said("b")] };
      await ingestDemo(sessions, [newer]);

      const stale = { ...hooks, isUnchanged: async () => false };
      await ingest.session(streamOf(demoEvents(first)), stale);
      await ingest.finish();

      expect(outcomes[1]).toMatchObject({ deferred: 1, revisions: 0, messages_added: 1 });
      expect((await shown(sessions, "s"))[0]).toBe("a: Anew.");
    }));
});
