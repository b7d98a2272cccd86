import { and, isNotNull, isNull } from "@pond/substrate";
import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { ingestDemo, said, withStore } from "../testing.ts";
import { fillHeads } from "./heads.ts";

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
