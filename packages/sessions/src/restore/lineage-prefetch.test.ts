import type { Row } from "@pond/substrate";
import { expect, it } from "vitest";
import {
  type DemoSession,
  ingestDemo,
  recordingPartScans,
  said,
  withAltered,
  withStore,
} from "../testing.ts";
import { loadLineage } from "./lineage.ts";
import { LineagePrefetch } from "./lineage-prefetch.ts";

const session = (id: string, parent?: string, text?: string): DemoSession => ({
  id,
  messages: [said(`${id}-1`, text), { ...said(`${id}-2`), bytes: Uint8Array.of(1, 2) }],
  ...(parent !== undefined && { parent }),
});

const numbered = (count: number, text?: string): DemoSession[] =>
  Array.from({ length: count }, (_, at) => session(`s${100 + at}`, undefined, text));

const idsOf = (sessions: readonly DemoSession[]): string[] => sessions.map(({ id }) => id);

it.each<[string, (ids: readonly string[]) => readonly string[]]>([
  ["taken in order", (ids) => ids],
  ["taken in reverse order", (ids) => ids.toReversed()],
  ["some taken twice", (ids) => [...ids, ...ids.slice(3, 9)]],
  ["others taken in between", (ids) => ids.flatMap((id) => [id, "alone"])],
])("gives the same lineages as loading each by itself: %s", (_, taken) =>
  withStore(async (sessions) => {
    const many = numbered(30);
    await ingestDemo(sessions, [
      ...many,
      ...["x", "y", "root", "late", "alone"].map((id) => session(id)),
      session("child", "s105"),
      session("x", "y"),
      session("y", "x"),
    ]);
    await ingestDemo(sessions, [session("late", "root"), session("s107", undefined, "Revised.")]);
    const ids = [...idsOf(many), "x", "root"];
    for (const at of ["first", "last"] as const) {
      const prefetch = new LineagePrefetch(sessions, ids, { at });

      for (const id of taken(ids)) {
        expect(await prefetch.take(id)).toEqual(await loadLineage(sessions, id, { at }));
      }
    }
  }),
);

it("reads small lineages many at a time", () =>
  withStore(async (sessions) => {
    const many = numbered(60);
    await ingestDemo(sessions, many);
    const read: number[] = [];
    const prefetch = new LineagePrefetch(recordingPartScans(sessions, read), idsOf(many));

    for (const id of idsOf(many)) await prefetch.take(id);

    // 8, 32 and 20, of which the bytes of files are read by themselves.
    expect(read).toHaveLength(6);
  }));

it("stops reading ahead at large lineages after small ones, and reads fewer from there on", () =>
  withStore(async (sessions) => {
    const small = numbered(8);
    const large = numbered(24, "x".repeat(1_000_000)).map((each) => ({
      ...each,
      id: `l${each.id}`,
    }));
    await ingestDemo(sessions, [...small, ...large]);
    const read: number[] = [];
    const chars = (part: Row): number => String(part["variant_data"]).length;
    const ids = [...idsOf(small), ...idsOf(large)];
    const prefetch = new LineagePrefetch(recordingPartScans(sessions, read, chars), ids);

    for (const id of ids) expect((await prefetch.take(id)).root.messages).toHaveLength(2);

    // Then two at a time, which is how many fit.
    expect(read.filter((each) => each > 2_500_000)).toHaveLength(1);
  }));

it("names only the session that is not as it was written", () =>
  withAltered(
    numbered(20),
    (table, row) =>
      table === "parts" && row["message_id"] === "s107-1"
        ? { ...row, variant_data: '{"text":"Another."}' }
        : row,
    async (altered) => {
      const prefetch = new LineagePrefetch(altered, idsOf(numbered(20)));
      const damaged: string[] = [];

      for (const id of idsOf(numbered(20))) {
        await prefetch.take(id, (each) => damaged.push(`${each} with ${id}`));
      }

      expect(damaged).toEqual(["s107 with s107"]);
    },
  ));

it("fails only for sessions that cannot be read or do not exist", () =>
  withAltered(
    numbered(20),
    (table, row) =>
      table === "parts" && row["message_id"] === "s107-1" ? { ...row, variant_data: "{" } : row,
    async (altered) => {
      const ids = [...idsOf(numbered(20)), "none"];
      const prefetch = new LineagePrefetch(altered, ids);
      const failed: string[] = [];

      for (const id of ids) await prefetch.take(id).catch(() => failed.push(id));

      expect(failed).toEqual(["s107", "none"]);
    },
  ));
