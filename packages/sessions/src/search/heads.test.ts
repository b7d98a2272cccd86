import { and, type Cell, eq, isNotNull, isNull, type Row, rowId } from "@pond/substrate";
import { expect, it } from "vitest";
import { foldSessions } from "../fold-sessions.ts";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { ingestDemo, said, withStore } from "../testing.ts";
import { fillHeads, makeHeads } from "./heads.ts";

async function heads({ store }: SessionStore): Promise<Record<string, unknown>> {
  const rows = await store.table("messages").rows({ columns: ["id", "head"] });
  return Object.fromEntries(rows.map(({ id, head }) => [id, head]));
}

it.each([[0], [3]])("gives heads to the messages that have none, %i of them folded", (folded) =>
  withStore(async (sessions) => {
    const messages = sessions.store.table("messages");
    const all = ["a", "b", "c", "d", "e", "f"].map((id) => said(id));
    await ingestDemo(sessions, [{ id: "s", messages: all.slice(0, folded) }]);
    if (folded > 0) await messages.fold({ isForced: true });
    await ingestDemo(sessions, [
      { id: "s", messages: [...all, { id: "t", role: "tool", text: "x" }] },
    ]);
    const written = await heads(sessions);
    const rows = await messages.rows({ columns: ["session_id", "id"], where: searchable });
    await messages.update({
      session_id: rows.map(({ session_id }) => session_id ?? ""),
      id: rows.map(({ id }) => id ?? ""),
      head: rows.map(() => null),
    });
    expect(await messages.count(isNotNull("head"))).toBe(0);

    expect(await fillHeads(sessions)).toBe(6);

    expect(await heads(sessions)).toEqual(written);
    expect(await messages.count(and(searchable, isNull("head")))).toBe(0);
    expect(await fillHeads(sessions)).toBe(0);
  }),
);

it("makes a head of the readable parts in their order, and does not store an incomplete head", () =>
  withStore(async (sessions) => {
    const { store } = sessions;
    await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b")] }]);
    const columns = Object.keys(store.table("parts").declaration.columns);
    const [part] = await store.table("parts").rows({ columns, where: eq("message_id", "a") });
    const others = [
      { id: "2", ordinal: 2n, variant_data: '{"text":"and more"}' },
      { id: "1", ordinal: 1n, variant_data: '{"text":"' },
    ].map((other) => ({ ...part, ...other }));
    await store.table("parts").insert(batchOf(others));
    const messages = store.table("messages");
    await messages.update({ session_id: ["s", "s"], id: ["a", "b"], head: [null, null] });
    const rows = await messages.rows({ columns: ["id", rowId], where: searchable });

    const made = await makeHeads(sessions, rows.map(rowOf));

    const of = (id: string) => made.get(rowOf(rows.find((row) => row["id"] === id) ?? {}));
    expect(of("a")).toMatchObject({ isWhole: false });
    expect(of("a")?.head.parts).toHaveLength(2);
    expect(of("a")?.head.parts[1]?.bytes).not.toBe(of("a")?.head.parts[0]?.bytes);
    expect(of("b")).toMatchObject({ isWhole: true });
    expect(await fillHeads(sessions)).toBe(1);
    expect(await heads(sessions)).toMatchObject({ a: null, b: expect.stringContaining('"b"') });
    expect(await fillHeads(sessions)).toBe(0);
  }));

it("tells messages apart whose joined ids are the same text", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [
      { id: "a\nb", messages: [said("c")] },
      { id: "a", messages: [said("b\nc")] },
    ]);
    const messages = sessions.store.table("messages");
    const written = await messages.rows({ columns: ["session_id", "id", "head"] });
    const [session_id, id] = [
      written.map((row) => row["session_id"] ?? ""),
      written.map((row) => row["id"] ?? ""),
    ];
    await messages.update({ session_id, id, head: [null, null] });

    expect(await fillHeads(sessions)).toBe(2);

    expect(await messages.rows({ columns: ["session_id", "id", "head"] })).toEqual(written);
  }));

it("fills heads after a fold that resumes one stopped between two tables", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b")] }]);
    const messages = sessions.store.table("messages");
    await messages.update({ session_id: ["s", "s"], id: ["a", "b"], head: [null, null] });
    const controller = new AbortController();
    const { signal } = controller;
    const onTable = (table: string): void => {
      if (table === "parts") controller.abort();
    };

    await expect(foldSessions(sessions, { signal, onTable })).rejects.toThrow(/abort/);
    expect(await messages.count(isNotNull("head"))).toBe(0);
    await foldSessions(sessions);

    expect(await messages.count(isNotNull("head"))).toBe(2);
  }));

function rowOf(row: Row): bigint {
  return BigInt(row[rowId] as bigint);
}

function batchOf(rows: readonly Row[]): Record<string, Cell[]> {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]));
}
