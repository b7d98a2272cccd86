import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { allRows, type DemoMessage, ingestDemo, said, shown, withStore } from "../testing.ts";
import { createIngest } from "./ingest.ts";
import type { SourcePlace } from "./source-place.ts";

const count = 8;
const positions = Array.from({ length: count }, (_, at) => at);
/** About 250 bytes each. */
const messages = positions.map((at) => ({
  ...said(`m${String(at).padStart(2, "0")}`, `Of ${at}. `.repeat(20)),
  seconds: at,
}));
const lines = messages.map(({ id, text }) => `${id}: ${text}`);
// A store for each; `reconcile` has the many.
const few = { numRuns: 3, endOnFailure: true };

const pick = (of: readonly number[]): DemoMessage[] =>
  of.flatMap((at) => (messages[at] === undefined ? [] : [messages[at]]));

const ingest = async (
  sessions: SessionStore,
  own: readonly (DemoMessage | "fault")[],
  options: Parameters<typeof ingestDemo>[2] = {},
) => (await ingestDemo(sessions, [{ id: "s", messages: own }], options))[0];

describe("a partly stored session, read in many commits", () => {
  // One to four messages.
  const bytes = fc.integer({ min: 250, max: 1_000 });

  it("ends in the source's order without moving any message", () =>
    fc.assert(
      fc.asyncProperty(fc.subarray(positions), bytes, (kept, maxBatchBytes) =>
        withStore(async (sessions) => {
          await ingest(sessions, pick(kept));

          const outcome = await ingest(sessions, messages, { maxBatchBytes });

          expect(await shown(sessions, "s")).toEqual(lines);
          expect(outcome).toMatchObject({ messages_added: count - kept.length, revisions: 0 });
          const rows = await allRows(sessions);
          expect(await ingest(sessions, messages)).toMatchObject({ status: "unchanged" });
          expect(await allRows(sessions)).toEqual(rows);
        }),
      ),
      few,
    ));

  it("ends in the source's order when it is read from an older copy", () =>
    fc.assert(
      fc.asyncProperty(fc.subarray(positions, { minLength: 1 }), bytes, (kept, maxBatchBytes) =>
        withStore(async (sessions) => {
          const older: SourcePlace = { held: undefined, isNewest: () => false };
          await ingest(sessions, [...pick(kept), { ...said("z"), seconds: count }]);

          await ingest(sessions, messages, { maxBatchBytes, placeOf: () => older });

          const now = await shown(sessions, "s");
          expect(now).toContain("z: This is z.");
          expect(now.filter((line) => !line.startsWith("z"))).toEqual(lines);
        }),
      ),
      few,
    ));

  it("ends in the source's order after an interrupted read, with messages changed and gone", () =>
    fc.assert(
      fc.asyncProperty(
        fc.subarray(positions),
        fc.subarray(positions),
        fc.nat({ max: count }),
        bytes,
        (kept, changed, stop, maxBatchBytes) =>
          withStore(async (sessions) => {
            const before = pick(kept).map((each, at) =>
              changed.includes(at) ? { ...each, text: "A draft." } : each,
            );
            await ingest(sessions, [said("gone first"), ...before, said("gone last")]);
            const changing = { maxBatchBytes, isUnchanged: async () => false };
            await ingest(sessions, [...messages.slice(0, stop), "fault"], changing);

            await ingest(sessions, messages, { maxBatchBytes });

            expect(await shown(sessions, "s")).toEqual(lines);
            expect(await ingest(sessions, messages)).toMatchObject({ status: "unchanged" });
          }),
      ),
      few,
    ));
});

describe("a partly stored session, sent in several requests", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: count, maxLength: count });

  /** Sends it with the messages beside each cut; how many revisions that took. */
  async function send(sessions: SessionStore, sizes: readonly number[]): Promise<number> {
    let revisions = 0;
    for (let from = 0, at = 0; from < count; at++) {
      const to = from + (sizes[at] ?? 1);
      const own = messages.slice(Math.max(0, from - 1), to + 1);
      const outcome = await ingest(sessions, own, { addsOnly: true });
      revisions += outcome?.revisions ?? 0;
      from = to;
    }
    return revisions;
  }

  it("ends in the source's order without moving any message", () =>
    fc.assert(
      fc.asyncProperty(fc.subarray(positions.slice(1)), sizes, (kept, sizes) =>
        withStore(async (sessions) => {
          await ingest(sessions, pick([0, ...kept]));

          const revisions = await send(sessions, sizes);

          expect(await shown(sessions, "s")).toEqual(lines);
          expect(revisions).toBe(0);
          const rows = await allRows(sessions);
          await send(sessions, sizes.toReversed());
          expect(await allRows(sessions)).toEqual(rows);
        }),
      ),
      few,
    ));
});

describe("many small sessions", () => {
  it("count with their overhead, and not only their rows, when a batch is filled", () =>
    withStore(async (sessions) => {
      const small = Array.from({ length: 24 }, (_, at) => ({
        id: `s${at}`,
        messages: [said("a")],
      }));
      await ingestDemo(sessions, small, { maxBatchBytes: 64 * 1024 });

      const rows = await sessions.store.table("sessions").rows({ columns: ["ingested_at"] });
      const batches = new Set(rows.map((row) => row["ingested_at"]));
      expect([rows.length, batches.size]).toEqual([24, 3]);
    }));
});

it.each([-1, Number.NaN])("refuses a maximum batch size of %s bytes", (maxBatchBytes) =>
  withStore(async (sessions) => {
    const now = (): Date => new Date();

    expect(() => createIngest(sessions, { now, maxBatchBytes })).toThrow(RangeError);
  }),
);
