import { describe, expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { sessionTables } from "../tables.ts";
import { type DemoMessage, ingestDemo, said, withStore } from "../testing.ts";
import { checkRow } from "./check-row.ts";

const messages: readonly DemoMessage[] = [
  said("a"),
  { id: "b", role: "assistant", text: "yes", more: ["and no"] },
  { id: "c", role: "tool", text: "done" },
  { id: "d", role: "carrier", options: { kind: "compaction" } },
  { id: "e", text: "see", bytes: Uint8Array.of(0, 255) },
  { id: "f", text: "reminder", isInjected: true },
  { id: "g" },
];

/** All rows of a table. */
function rowsOf({ store }: SessionStore, name: string) {
  const table = store.table(name);
  return table.rows({ columns: Object.keys(table.declaration.columns) });
}

describe("checkRow", () => {
  it("accepts every row that an ingest writes, carriers and tombstones included", async () => {
    await withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const changed = [said("b", "changed"), ...messages.filter(({ id }) => id !== "c")];
      await ingestDemo(sessions, [{ id: "s", messages: changed, parent: "p" }]);

      for (const { name } of sessionTables) {
        const rows = await rowsOf(sessions, name);
        for (const row of rows) checkRow(name, row);
        expect([name, rows.length > 0]).toEqual([name, true]);
      }
    });
  });

  it.each([
    ["sessions", "options", "no JSON"],
    ["messages", "role", "wizard"],
    ["messages", "is_searchable", 0n],
    ["parts", "provenance", "dreamt"],
    ["windows", "message_ids", "{"],
  ])("refuses a row of %s that is invalid in %s", async (name, column, cell) => {
    await withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages }]);
      const [row] = await rowsOf(sessions, name);

      expect(() => checkRow(name, { ...row, [column]: cell })).toThrow();
    });
  });
});
