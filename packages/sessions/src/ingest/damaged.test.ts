import type { ContentVerdict, Row } from "@pond/substrate";
import { expect, it, vi } from "vitest";
import { checkContent } from "../rows/content-check.ts";
import type { SessionStore } from "../session-store.ts";
import {
  type Alter,
  allRows,
  type DemoMessage,
  type DemoSession,
  ingestDemo,
  said,
  shown,
  withAltered,
  withStore,
} from "../testing.ts";
import { findDamaged } from "./damaged.ts";

const messages: readonly DemoMessage[] = [
  said("a"),
  { ...said("b"), more: ["And more.", "And the rest."] },
  { id: "c", role: "carrier" },
  { ...said("d"), role: "assistant", bytes: Uint8Array.of(1, 2, 3) },
];
const demo: DemoSession = { id: "s", messages };
const other: DemoSession = { id: "t", messages: [said("a", "Another one's.")] };

/** Gives a store of the same rows, but for those that `alter` takes away or changes. */
function withDamaged(
  alter: Alter,
  use: (damaged: SessionStore, whole: SessionStore) => Promise<void>,
  demos: readonly DemoSession[] = [demo, other],
): Promise<void> {
  return withAltered(demos, alter, use);
}

/** What `status --verify` would say. */
async function verdicts({ store }: SessionStore): Promise<ReadonlyMap<string, ContentVerdict>> {
  const check = checkContent();
  for (const table of ["messages", "parts"]) {
    check.add(table, await store.table(table).rows({ columns: check.columns[table] ?? [] }));
  }
  return check.finish(new Set());
}

const isPartOf = (id: string, row: Row): boolean =>
  row["session_id"] === "s" && row["message_id"] === id;

it("finds no damage in an intact store, and reads every row", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [demo, other]);
    const onRows = vi.fn();

    expect(await findDamaged(sessions, { onRows })).toEqual(new Map());

    const counts = ["messages", "parts"].map((name) => sessions.store.table(name).count());
    const [rows = 0, parts = 0] = await Promise.all(counts);
    expect(onRows).toHaveBeenLastCalledWith(rows + parts, rows + parts);
  }));

it.each<[string, Alter]>([
  ["all parts of the store", (table, row) => (table === "parts" ? undefined : row)],
  [
    "one part of a message",
    (_, row) => (isPartOf("b", row) && row["ordinal"] === 1n ? undefined : row),
  ],
  [
    "the last parts of a message",
    (_, row) => (isPartOf("b", row) && row["ordinal"] !== 0n ? undefined : row),
  ],
  ["a part with bytes", (_, row) => (isPartOf("d", row) && row["data"] !== null ? undefined : row)],
])("stores missing content again: %s", (_, alter) =>
  withDamaged(alter, async (damaged, whole) => {
    const found = await findDamaged(damaged);
    const [outcome] = await ingestDemo(damaged, [demo, other], { damaged: found });

    expect(outcome).toMatchObject({ status: "revised", revisions: 0, messages_added: 0 });
    expect(outcome?.mended).toBe(found.get("s")?.size);
    expect(await allRows(damaged)).toEqual(await allRows(whole));
    expect(await verdicts(damaged)).toEqual(new Map());
    const again = await ingestDemo(damaged, [demo], { damaged: await findDamaged(damaged) });
    expect(again).toMatchObject([{ status: "unchanged", mended: 0 }]);
  }),
);

it.each<[string, string, Alter]>([
  [
    "a text",
    "b",
    (_, row) =>
      isPartOf("b", row) && row["ordinal"] === 1n
        ? { ...row, variant_data: '{"text":"And less."}' }
        : row,
  ],
  [
    "the bytes of a file",
    "d",
    (_, row) => (row["data"] instanceof Uint8Array ? { ...row, data: Uint8Array.of(9) } : row),
  ],
  [
    "a text in a message that also lacks a part",
    "b",
    (_, row) => {
      if (!isPartOf("b", row) || row["ordinal"] === 2n) return row;
      return row["ordinal"] === 0n ? undefined : { ...row, variant_data: '{"text":"Less."}' };
    },
  ],
  [
    "the options of a message",
    "a",
    (_, row) =>
      row["id"] === "a" && row["session_id"] === "s" ? { ...row, options: '{"x":1}' } : row,
  ],
])("shows the original of a message whose stored content was altered: %s", (_, id, alter) =>
  withDamaged(alter, async (damaged, whole) => {
    const found = await findDamaged(damaged);
    expect(found).toEqual(new Map([["s", new Set([id])]]));

    const [outcome] = await ingestDemo(damaged, [demo, other], { damaged: found });

    expect(outcome).toMatchObject({ status: "revised", revisions: 1, mended: 1 });
    expect(await shown(damaged, "s")).toEqual(await shown(whole, "s"));
    expect(await verdicts(damaged)).toEqual(new Map());
    const again = await ingestDemo(damaged, [demo], { damaged: await findDamaged(damaged) });
    expect(again).toMatchObject([{ status: "unchanged", mended: 0, revisions: 0 }]);
    await ingestDemo(damaged, [{ ...demo, messages: messages.toReversed() }]);
    await ingestDemo(whole, [{ ...demo, messages: messages.toReversed() }]);
    expect(await shown(damaged, "s")).toEqual(await shown(whole, "s"));
  }),
);

it("leaves an unchecked system message as it is, even with stray parts under its id", () =>
  withDamaged(
    (table, row) =>
      table === "parts" && row["session_id"] === "t"
        ? { ...row, session_id: "s", message_id: "c" }
        : row,
    async (damaged) => {
      const unchecked = new Map([["s", new Set(["c"])]]);
      const outcomes = await ingestDemo(damaged, [demo], { damaged: unchecked });

      expect(outcomes).toMatchObject([{ status: "unchanged", mended: 0, revisions: 0 }]);
    },
  ));

it("replaces a revision whose stored value was altered", () => {
  const later: DemoSession = { id: "s", messages: [said("a", "Later."), ...messages.slice(1)] };
  const alter: Alter = (_, row) =>
    row["revises"] === "a"
      ? { ...row, options: String(row["options"]).replace("Later", "Never") }
      : row;
  return withDamaged(
    alter,
    async (damaged) => {
      expect(await shown(damaged, "s")).toContain("a: Never.");

      const found = await findDamaged(damaged);
      const [outcome] = await ingestDemo(damaged, [later], { damaged: found });

      expect(outcome).toMatchObject({ revisions: 1, mended: 1 });
      expect(await shown(damaged, "s")).toContain("a: Later.");
      expect(await verdicts(damaged)).toEqual(new Map());
    },
    [demo, later],
  );
});

it.each<[string, readonly DemoSession[]]>([
  ["was moved", [demo, { ...demo, messages: messages.toReversed() }]],
  [
    "was changed and changed back",
    [demo, { ...demo, messages: [said("a", "Other."), ...messages.slice(1)] }, demo],
  ],
])("mends the first value of a message that %s later", (_, demos) =>
  withDamaged(
    (_, row) => (isPartOf("a", row) ? { ...row, variant_data: '{"text":"WRONG"}' } : row),
    async (damaged, whole) => {
      const found = await findDamaged(damaged);
      const [outcome] = await ingestDemo(damaged, demos.slice(-1), { damaged: found });

      expect(outcome).toMatchObject({ mended: 1 });
      expect(await shown(damaged, "s")).toEqual(await shown(whole, "s"));
      expect(await verdicts(damaged)).toEqual(new Map());
    },
    demos,
  ),
);

it.each<[string, Alter]>([
  [
    "an altered text",
    (_, row) => (isPartOf("a", row) ? { ...row, variant_data: '{"text":"WRONG"}' } : row),
  ],
  ["an altered part type", (_, row) => (isPartOf("a", row) ? { ...row, type: "tezt" } : row)],
  [
    "an altered role",
    (table, row) =>
      table === "messages" && row["session_id"] === "s" && row["id"] === "a"
        ? { ...row, role: "usez" }
        : row,
  ],
])(
  "shows a mended message in the first state with its original value and place: %s",
  (_, alter) => {
    const later = [...messages.slice(1), said("a", "Later.")];
    return withDamaged(alter, async (damaged, whole) => {
      await ingestDemo(damaged, [demo], { damaged: await findDamaged(damaged) });
      for (const store of [damaged, whole]) {
        await ingestDemo(store, [{ ...demo, messages: messages.toReversed() }]);
        await ingestDemo(store, [{ ...demo, messages: later }]);
      }

      expect(await shown(damaged, "s", "first")).toEqual(await shown(whole, "s", "first"));
      expect(await shown(damaged, "s")).toEqual(await shown(whole, "s"));
    });
  },
);

it("shows the first value of a message in the first state when a later value was mended", () => {
  const later: DemoSession = { id: "s", messages: [said("a", "Later."), ...messages.slice(1)] };
  return withDamaged(
    (_, row) =>
      row["revises"] === "a"
        ? { ...row, options: String(row["options"]).replace("Later", "Never") }
        : row,
    async (damaged, whole) => {
      await ingestDemo(damaged, [later], { damaged: await findDamaged(damaged) });

      expect(await shown(damaged, "s", "first")).toEqual(await shown(whole, "s", "first"));
      expect(await shown(damaged, "s")).toContain("a: Later.");
    },
    [demo, later],
  );
});

it("duplicates no part of a message whose parts have other positions", () =>
  withDamaged(
    (_, row) => (isPartOf("b", row) && row["ordinal"] === 1n ? { ...row, ordinal: 3n } : row),
    async (damaged, whole) => {
      await ingestDemo(damaged, [demo], { damaged: await findDamaged(damaged) });

      expect(await shown(damaged, "s")).toEqual(await shown(whole, "s"));
      expect(await findDamaged(damaged)).toEqual(new Map());
    },
  ));

it("leaves damaged messages as they are while their source changes or is not read", () =>
  withDamaged(
    (table, row) => (table === "parts" ? undefined : row),
    async (damaged) => {
      const found = await findDamaged(damaged);
      const before = await allRows(damaged);

      const isUnchanged = async (): Promise<boolean> => false;
      const [outcome] = await ingestDemo(damaged, [demo], { damaged: found, isUnchanged });

      expect(outcome).toMatchObject({ status: "unchanged", mended: 0, deferred: 3 });
      expect(await allRows(damaged)).toEqual(before);
    },
  ));

it("rebuilds wrong heads of intact messages", () =>
  withDamaged(
    (_, row) => (typeof row["head"] === "string" ? { ...row, head: '["s","b","user","0"]' } : row),
    async (damaged, whole) => {
      expect((await verdicts(damaged)).get("messages")?.damages).toMatchObject([{ rows: 0 }]);

      expect(await findDamaged(damaged)).toEqual(new Map());

      expect(await allRows(damaged)).toEqual(await allRows(whole));
    },
  ));
