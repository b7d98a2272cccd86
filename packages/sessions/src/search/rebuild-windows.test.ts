import { expect, it } from "vitest";
import { openSessions } from "../session-store.ts";
import { allRows, ingestDemo, said, withStore } from "../testing.ts";
import { rebuildWindows } from "./rebuild-windows.ts";

const long = (id: string) => said(id, `${id} stands in the reeds. `.repeat(50));
const first = { id: "s", messages: [long("a"), long("b"), long("c")] };

it("leaves correct windows as they are", async () => {
  await withStore(async (sessions) => {
    await ingestDemo(sessions, [first, { ...first, messages: [...first.messages, long("d")] }]);
    const before = await allRows(sessions);

    await rebuildWindows(sessions, "s");

    expect(await allRows(sessions)).toEqual(before);
  });
});

it("replaces wrong windows, and empties windows that should not exist", async () => {
  await withStore(async (sessions) => {
    await ingestDemo(sessions, [first]);
    const { windows } = await allRows(sessions);
    const table = sessions.store.table("windows");
    const columns = Object.keys(table.declaration.columns);
    const [row] = await table.rows({ columns, limit: 1 });
    const wrong = { ...row, message_ids: '["a"]', text: "a" };
    const none = { ...row, id: "b", text: "b" };
    for (const each of [wrong, none]) {
      await table.replace(
        Object.fromEntries(
          columns.map((name) => [name, [each[name as keyof typeof each] ?? null]]),
        ),
      );
    }

    await rebuildWindows(sessions, "s");

    const rows = (await allRows(sessions))["windows"] ?? [];
    const isEmptied = (text: string) => text.includes(" | null | []");
    expect(rows.filter((text) => !isEmptied(text))).toEqual(windows);
    expect(rows.filter(isEmptied)).toHaveLength(1);
  });
});

it("replaces windows that another process changed after they were read", async () => {
  await withStore(async (other) => {
    const { location } = other.store;
    const sessions = await openSessions(location, { mode: "write", stalenessMs: 3_600_000 });
    await ingestDemo(sessions, [first]);
    const { windows } = await allRows(sessions);
    const table = other.store.table("windows");
    const columns = Object.keys(table.declaration.columns);
    const [row = {}] = await table.rows({ columns, limit: 1 });
    const cells = Object.entries({ ...row, text: "what it said before" });
    await table.replace(Object.fromEntries(cells.map(([name, cell]) => [name, [cell]])));

    await rebuildWindows(sessions, "s");

    sessions.close();
    expect((await allRows(other))["windows"]).toEqual(windows);
  });
});
