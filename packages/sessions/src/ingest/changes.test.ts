import type { SessionId } from "@pond/canonical";
import { describe, expect, it, vi } from "vitest";
import { loadLineage } from "../restore/lineage.ts";
import type { SessionStore } from "../session-store.ts";
import {
  allRows,
  type DemoMessage,
  demoEvents,
  type IngestDemoOptions,
  ingestDemo,
  said,
  shown,
  withStore,
  withTableMethod,
} from "../testing.ts";
import type { SourcePlace } from "./source-place.ts";

type State = readonly (DemoMessage | "fault" | "fault beside" | "pending")[];

/** Ingests one state of session `s` after the other; the outcome of the last. */
async function sync(
  sessions: SessionStore,
  states: readonly State[],
  options: IngestDemoOptions = {},
) {
  let last: Awaited<ReturnType<typeof ingestDemo>> = [];
  for (const messages of states)
    last = await ingestDemo(sessions, [{ id: "s", messages }], options);
  return last[0];
}

const [a, b, c] = [said("a"), said("b"), said("c")];

describe("a session that its source rewrote", () => {
  it("shows the new value and keeps the first", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [
        [a, b, c],
        [a, said("b", "Anew."), c],
      ]);

      expect(outcome).toMatchObject({ status: "revised", revisions: 1, messages_added: 0 });
      expect(await shown(sessions, "s")).toEqual(["a: This is a.", "b: Anew.", "c: This is c."]);
      expect(await shown(sessions, "s", "first")).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
    }));

  it("keeps the new value in a carrier of its own (spec 6.5, rule 3)", () =>
    withStore(async (sessions) => {
      await sync(sessions, [[a], [said("a", "Anew.")]]);

      const rows = await sessions.store
        .table("messages")
        .rows({ columns: ["role", "content", "revises", "search_text", "options"] });
      const carrier = rows.find(({ revises }) => revises !== null);
      expect(carrier).toMatchObject({ role: "system", content: '""', revises: "a" });
      expect(JSON.parse(String(carrier?.["options"]))).toMatchObject({
        pond: { revises: "a", revision: 1, message: { id: "a", content: [{ text: "Anew." }] } },
      });
    }));

  it("follows a value that changes back and forth", () =>
    withStore(async (sessions) => {
      const other = said("a", "Other.");

      await sync(sessions, [[a], [other], [a]]);
      expect(await shown(sessions, "s")).toEqual(["a: This is a."]);

      await sync(sessions, [[other]]);
      expect(await shown(sessions, "s")).toEqual(["a: Other."]);

      const again = await sync(sessions, [[other]]);
      expect(again?.status).toBe("unchanged");
    }));

  it("follows a message to its new place, also when its value changed", () =>
    withStore(async (sessions) => {
      const moved = await sync(sessions, [
        [a, b, c],
        [b, c, a],
      ]);
      expect(moved).toMatchObject({ revisions: 1, status: "revised" });
      expect(await shown(sessions, "s")).toEqual([
        "b: This is b.",
        "c: This is c.",
        "a: This is a.",
      ]);

      await sync(sessions, [
        [b, said("a", "Anew."), c],
        [c, said("a", "Anew."), b],
      ]);
      expect(await shown(sessions, "s")).toEqual(["c: This is c.", "a: Anew.", "b: This is b."]);
    }));

  it("puts a new message between its neighbours", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [
        [a, c],
        [a, b, c],
      ]);

      expect(outcome).toMatchObject({ status: "grown", messages_added: 1, revisions: 0 });
      expect(await shown(sessions, "s")).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
    }));

  it("hides a message that disappeared, keeps it stored, and shows it when it comes back", () =>
    withStore(async (sessions) => {
      const gone = await sync(sessions, [
        [a, b, c],
        [a, c],
      ]);
      expect(gone).toMatchObject({ tombstones: 1, status: "revised" });
      expect(await shown(sessions, "s")).toEqual(["a: This is a.", "c: This is c."]);
      expect(await shown(sessions, "s", "first")).toHaveLength(3);

      const still = await sync(sessions, [[a, c]]);
      expect(still?.status).toBe("unchanged");

      const back = await sync(sessions, [[a, b, c]]);
      expect(back).toMatchObject({ revisions: 1, messages_added: 0 });
      expect(await shown(sessions, "s")).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
    }));

  it("lets a message change its role, and change back into one with a file", () =>
    withStore(async (sessions) => {
      const carrier = { id: "a", role: "carrier", options: { kind: "mode" } } as const;
      const file = { id: "a", text: "see", bytes: new Uint8Array([1, 2, 255]) };

      await sync(sessions, [[a], [carrier]]);
      expect((await loadLineage(sessions, "s")).root.messages[0]?.role).toBe("system");

      await sync(sessions, [[file]]);
      const [message] = (await loadLineage(sessions, "s")).root.messages;
      expect(message).toMatchObject({
        role: "user",
        content: [{ text: "see" }, { data: { type: "bytes", bytes: Buffer.from([1, 2, 255]) } }],
      });
    }));

  it("shows the same after all states in turn as after the last alone", () =>
    withStore(async (sessions) => {
      const states: State[] = [[a], [a, b], [b, a, c], [c, said("a", "Anew.")], [c, a, b]];

      await sync(sessions, states);

      await withStore(async (other) => {
        await sync(other, states.slice(-1));
        expect(await shown(sessions, "s")).toEqual(await shown(other, "s"));
      });
    }));
});

describe("limits on revisions and removals", () => {
  it("a read with a fault removes nothing", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [
        [a, b, c],
        [a, "fault", c],
      ]);

      expect(outcome).toMatchObject({ tombstones: 0, status: "unchanged" });
      expect(await shown(sessions, "s")).toHaveLength(3);
    }));

  it.each([
    { faults: ["fault beside", "fault beside"], tombstones: 1 },
    { faults: ["fault beside", "fault"], tombstones: 0 },
  ] as const)(
    "a fault prevents removals unless the log was read whole: $faults",
    ({ faults, tombstones }) =>
      withStore(async (sessions) => {
        const outcome = await sync(sessions, [
          [a, b, c],
          [a, ...faults, c],
        ]);

        expect(outcome).toMatchObject({ faults: 2, tombstones });
        expect(await shown(sessions, "s")).toHaveLength(3 - tombstones);
      }),
  );

  it("a read with a pending record removes nothing, for it may be what is missing", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [
        [a, b, c],
        [a, b, "pending"],
      ]);

      expect(outcome).toMatchObject({ pending: 1, tombstones: 0, status: "unchanged" });
      expect(await shown(sessions, "s")).toHaveLength(3);
    }));

  it("a removal counts once nothing is pending any more", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [
        [a, b, c],
        [a, "pending", c],
        [a, c],
      ]);

      expect(outcome).toMatchObject({ tombstones: 1 });
      expect(await shown(sessions, "s")).toEqual(["a: This is a.", "c: This is c."]);
    }));

  it("a message whose source lost one of its files stays as it was stored", () =>
    withStore(async (sessions) => {
      const lacking = { ...said("b", "A reference."), isIncomplete: true };
      const kept = await sync(sessions, [
        [a, b],
        [a, lacking, c],
        [a, lacking, c],
      ]);

      expect(kept).toMatchObject({ status: "unchanged", revisions: 0, messages_added: 0 });
      expect(await shown(sessions, "s")).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
    }));

  it("a message is revised when the file comes that its source lacked", () =>
    withStore(async (sessions) => {
      const lacking = { ...said("b", "A reference."), isIncomplete: true };

      expect(
        await sync(sessions, [
          [a, lacking],
          [a, lacking],
        ]),
      ).toMatchObject({ revisions: 0 });
      expect(await sync(sessions, [[a, b]])).toMatchObject({ revisions: 1 });
      expect(await shown(sessions, "s")).toEqual(["a: This is a.", "b: This is b."]);
    }));

  it("a message is revised if the store does not hold what its source lacks either", () =>
    withStore(async (sessions) => {
      const asks: string[] = [];
      const lacking = (id: string, text: string): DemoMessage => ({
        ...said(id, text),
        isIncomplete: true,
        isStoredComplete: ({ options, parts }) => {
          const hasFile = JSON.stringify(options).includes('"file":"seen"');
          asks.push(`${id}: ${hasFile ? "whole" : "lacking"}, ${parts.length} part`);
          return hasFile;
        },
      });
      const whole = { ...said("a", "With its file."), options: { file: "seen" } };

      expect(
        await sync(sessions, [
          [whole, lacking("b", "First."), c],
          [lacking("a", "A reference."), lacking("b", "First."), c],
          [lacking("a", "A reference."), lacking("b", "Edited."), c],
        ]),
      ).toMatchObject({ status: "revised", revisions: 1 });
      expect(
        await sync(sessions, [[lacking("a", "Another."), lacking("b", "Some more."), c]]),
      ).toMatchObject({ revisions: 1 });
      expect(await shown(sessions, "s")).toEqual([
        "a: With its file.",
        "b: Some more.",
        "c: This is c.",
      ]);
      const windows = await sessions.store.table("windows").rows({ columns: ["text"] });
      expect(windows.flatMap(({ text }) => text ?? [])).toEqual([
        expect.stringMatching(/With its file.*Some more.*This is c/s),
      ]);
      // Nobody asks where it is stored as it is read.
      expect(asks).toEqual([
        "a: whole, 1 part",
        "a: whole, 1 part",
        "b: lacking, 1 part",
        "a: whole, 1 part",
        "b: lacking, 1 part",
      ]);
    }));

  it("a message that is read without its file again undoes no later edit", () =>
    withStore(async (sessions) => {
      const start = Date.parse("2026-02-01T00:00:00Z");
      let seconds = 0;
      const read = async (messages: State, agreedAt = 0) => {
        seconds += 1;
        const now = (): Date => new Date(start + seconds * 1_000);
        const placeOf = (): SourcePlace => ({ held: undefined, agreedAt, isNewest: () => true });
        return sync(sessions, [messages], { now, placeOf });
      };
      const whole: DemoMessage = { ...a, options: { file: "seen" } };
      const lacking: DemoMessage = {
        ...said("a", "A reference."),
        isIncomplete: true,
        isStoredComplete: ({ options }) => JSON.stringify(options).includes('"file":"seen"'),
      };

      await read([whole]);
      const copy = await read([lacking]);
      await read([said("a", "Without its file."), { ...b, seconds: 9 }], copy?.agreed_at);

      expect(await read([lacking], copy?.agreed_at)).toMatchObject({ revisions: 0 });
      expect(await shown(sessions, "s")).toEqual(["a: Without its file.", "b: This is b."]);
    }));

  it("messages that lack what the store holds are looked up in batches", () =>
    withStore(async (sessions) => {
      const ids = Array.from({ length: 40 }, (_, at) => `m${at}`);
      const lacking = ids.map((id): DemoMessage => {
        return { ...said(id, "-".repeat(1_000)), isIncomplete: true, isStoredComplete: () => true };
      });
      await sync(sessions, [ids.map((id) => said(id))]);
      const reads = vi.spyOn(sessions.store.table("parts"), "rows");

      const outcome = await sync(sessions, [lacking], { maxBatchBytes: 10_000 });

      expect(outcome?.status).toBe("unchanged");
      expect(reads.mock.calls.length).toBeLessThan(12);
    }));

  it("later values, which contain their files, are read a few at a time", () =>
    withStore(async (sessions) => {
      const ids = Array.from({ length: 30 }, (_, at) => `m${at}`);
      const later = ids.map((id) => said(id, "Later."));
      await sync(sessions, [ids.map((id) => said(id)), later]);
      const table = sessions.store.table("messages");
      const rows = table.rows.bind(table);
      const read: number[] = [];
      vi.spyOn(table, "rows").mockImplementation(async (options) => {
        const found = await rows(options);
        if (options.columns.includes("options")) read.push(found.length);
        return found;
      });

      const lacking = ids.map((id): DemoMessage => {
        return { ...said(id, "-"), isIncomplete: true, isStoredComplete: () => true };
      });
      await sync(sessions, [lacking]);

      expect(Math.max(...read)).toBeLessThan(20);
    }));

  it("a source that this machine has not read before removes nothing", () =>
    withStore(async (sessions) => {
      const outcome = await sync(
        sessions,
        [
          [a, b],
          [b, c],
        ],
        { addsOnly: true },
      );

      expect(outcome).toMatchObject({ tombstones: 0, messages_added: 1 });
      expect(await shown(sessions, "s")).toHaveLength(3);
    }));

  it("an invalid message that is left out removes nothing", () =>
    withStore(async (sessions) => {
      await sync(sessions, [[a, b, c]]);
      const before = await allRows(sessions);
      const events = demoEvents({ id: "s", messages: [a, said("b", "Anew.")] }).map((event) =>
        event.kind === "part" && event.part.message_id === "b"
          ? { ...event, part: { ...event.part, session_id: "other" as SessionId } }
          : event,
      );

      const [outcome] = await ingestDemo(sessions, [events]);

      expect(outcome).toMatchObject({ status: "failed", records_left_out: 1, tombstones: 0 });
      expect(await allRows(sessions)).toEqual(before);
    }));

  it("a source that changes during the read adds its new messages and defers the rest", () =>
    withStore(async (sessions) => {
      await sync(sessions, [[a, b]]);

      const outcome = await sync(sessions, [[said("a", "Anew."), c]], {
        isUnchanged: async () => false,
      });

      expect(outcome).toMatchObject({
        status: "grown",
        messages_added: 1,
        revisions: 0,
        tombstones: 0,
        deferred: 2,
      });
      expect(await shown(sessions, "s")).toEqual([
        "a: This is a.",
        "b: This is b.",
        "c: This is c.",
      ]);
    }));

  it("a session is found by its current values, not by deferred ones", () =>
    withStore(async (sessions) => {
      await sync(sessions, [[said("a", "Anew."), b]]);
      const stale = { isUnchanged: async () => false };

      await sync(sessions, [[b, a]], stale);
      const unchanged = await allRows(sessions);
      await sync(sessions, [[b, a, c]], stale);

      expect(unchanged["windows"]).toMatchObject([expect.stringContaining("Anew.\nThis is b.")]);
      const { windows } = await allRows(sessions);
      expect(windows).toMatchObject([expect.stringContaining("Anew.\nThis is b.\nThis is c.")]);
    }));

  it("a source is checked for changes once, after loading what is stored and before any revision or tombstone", () =>
    withStore(async (sessions) => {
      await sync(sessions, [[a, b]]);
      const done: string[] = [];
      const watched = withTableMethod(
        sessions,
        "messages",
        "scan",
        (scan) =>
          async function* (options) {
            yield* scan(options);
            if (options.columns.includes("digest")) done.push("loaded");
          },
      );

      const outcome = await sync(watched, [[b]], {
        isUnchanged: async () => {
          done.push(`asked beside ${await sessions.store.table("messages").count()} messages`);
          return true;
        },
      });

      expect(done).toEqual(["loaded", "asked beside 2 messages"]);
      expect(outcome).toMatchObject({ tombstones: 1 });
    }));
});

describe("a known session too big for memory", () => {
  const long = (prefix: string, count: number): DemoMessage[] =>
    Array.from({ length: count }, (_, at) => said(`m${at}`, `${prefix} ${at} `.repeat(20)));

  it("grows in many commits as it would in one", () =>
    withStore(async (sessions) => {
      const outcome = await sync(sessions, [long("x", 5), long("x", 200)], {
        maxBatchBytes: 12_000,
      });

      expect(outcome).toMatchObject({ status: "grown", messages_added: 195, revisions: 0 });
      const cut = await allRows(sessions);
      await withStore(async (other) => {
        await sync(other, [long("x", 5), long("x", 200)]);
        expect(await allRows(other)).toEqual(cut);
      });
    }));

  it("keeps deferred revisions for the next read when its source changes during a read and back", () =>
    withStore(async (sessions) => {
      const [last, ...others] = long("y", 6).toReversed();
      const rewritten = last ? [last, ...others.toReversed()] : [];
      let asked = 0;

      const outcome = await sync(sessions, [long("x", 6), rewritten], {
        maxBatchBytes: 600,
        isUnchanged: async () => ++asked > 1,
      });
      await sync(sessions, [rewritten]);

      expect(outcome).toMatchObject({ revisions: 0 });
      expect(await shown(sessions, "s")).toEqual(rewritten.map(({ id, text }) => `${id}: ${text}`));
    }));

  it("is rewritten in many commits and in another order", () =>
    withStore(async (sessions) => {
      const rewritten = [...long("y", 100).toReversed(), ...long("x", 140).slice(100)];

      await sync(sessions, [long("x", 100), rewritten], { maxBatchBytes: 12_000 });

      const ids = (await shown(sessions, "s")).map((line) => line.split(":")[0]);
      expect(ids).toEqual(rewritten.map(({ id }) => id));
      expect((await shown(sessions, "s"))[0]).toContain("y 99");
      const again = await sync(sessions, [rewritten], { maxBatchBytes: 12_000 });
      expect(again).toMatchObject({ status: "unchanged", revisions: 0, messages_added: 0 });
    }));
});
