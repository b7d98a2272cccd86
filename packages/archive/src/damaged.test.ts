import { join } from "node:path";
import { findDamaged, type SessionStore } from "@pond/sessions";
import type { Row } from "@pond/substrate";
import { describe, expect, it, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import type { ArchiveRedactor } from "./redaction.ts";
import {
  breaking,
  copyTable,
  damagedCopy,
  ingest,
  openStore,
  saying,
  shown,
  temporaryFolder,
} from "./testing.ts";

/** Two sessions, of which something is damaged in one. */
async function damagedStore(
  table: string,
  id: string,
  column: string,
  ...states: readonly string[]
): Promise<SessionStore> {
  const whole = await openStore();
  for (const state of states) await ingest(whole, [saying(state), saying("ok", { id: "t" })]);
  return damagedCopy(whole, breaking(table, id, column));
}

type Damage = Parameters<typeof damagedCopy>[1];

function isPart(table: string, row: Row, messageId: string): boolean {
  return table === "parts" && row["message_id"] === messageId;
}

/** A part that is none of its message any more, though an import takes it. */
function asAnother(row: Row): Row {
  return { ...row, variant_data: '{"text":"9"}' };
}

const nothing: ArchiveRedactor = { text: (text) => text, json: (value) => value, counts: () => [] };

describe.each([
  ["an export", undefined],
  ["a redacted export", nothing],
])("%s", (_, redactor) => {
  /** What an import of it gives. */
  async function exported(sessions: SessionStore) {
    const file = join(temporaryFolder(), "a.pond");
    const { damaged } = await exportArchive(sessions, file, { redactor });
    const target = await openStore();
    await importArchive(file, target);
    expect(await shown(target, "t")).toBe("ok");
    return { damaged, target };
  }

  it.each([
    ["messages", "m", "options"],
    ["parts", "0", "variant_data"],
  ])("writes a mended row of %s as it was before the damage", async (table, id, column) => {
    const sessions = await damagedStore(table, id, column, "a m:1 b");
    const damaged = await findDamaged(sessions);
    await ingest(sessions, [saying("a m:1 b"), saying("ok", { id: "t" })], { damaged });

    const { damaged: left, target } = await exported(sessions);

    expect(left).toEqual([]);
    expect(await shown(target)).toBe("a m:1 b");
    const again = await findDamaged(target);
    expect(again.size).toBe(0);
  });

  it("leaves out a damaged message that nothing mended, and reports its session", async () => {
    const { damaged, target } = await exported(
      await damagedStore("messages", "m", "options", "a m:1 b"),
    );

    expect(damaged).toEqual(["s"]);
    expect(await shown(target)).toBe("a b");
  });

  it("keeps the shown value of a message whose first value is damaged", async () => {
    const sessions = await damagedStore("messages", "m", "options", "a m:1 b", "a m:2 b");
    const { damaged, target } = await exported(sessions);

    expect(damaged).toEqual(["s"]);
    expect(await shown(target)).toBe("a m:2 b");
  });

  it("leaves out a session whose own row is damaged", async () => {
    const { damaged, target } = await exported(
      await damagedStore("sessions", "s", "options", "a m:1 b"),
    );

    expect(damaged).toEqual(["s"]);
    expect(await target.store.table("messages").count()).toBe(1);
  });

  it.each<[string, Damage]>([
    ["has lost its parts", (table, row) => (isPart(table, row, "m") ? undefined : row)],
    ["has altered parts", (table, row) => (isPart(table, row, "m") ? asAnother(row) : row)],
  ])("writes a message that %s as it is, and reports its session", async (_, damage) => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b"), saying("ok", { id: "t" })]);

    const { damaged, target } = await exported(await damagedCopy(whole, damage));

    expect(damaged).toEqual(["s"]);
    expect([...(await findDamaged(target))]).toEqual([["s", new Set(["m"])]]);
    await ingest(target, [saying("a m:1 b")], { damaged: await findDamaged(target) });
    expect(await shown(target)).toBe("a m:1 b");
  });

  it("reports no damage for a message that a carrier has mended", async () => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b"), saying("ok", { id: "t" })]);
    const sessions = await damagedCopy(whole, (table, row) =>
      isPart(table, row, "m") ? asAnother(row) : row,
    );
    const damaged = await findDamaged(sessions);
    await ingest(sessions, [saying("a m:1 b"), saying("ok", { id: "t" })], { damaged });

    const { damaged: left, target } = await exported(sessions);

    expect(left).toEqual([]);
    expect(await shown(target)).toBe("a m:1 b");
  });

  it("reports a session that it leaves out because its row is gone", async () => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b"), saying("ok", { id: "t" })]);
    const sessions = await damagedCopy(whole, (table, row) =>
      table === "sessions" && row["id"] === "s" ? undefined : row,
    );

    const { damaged, target } = await exported(sessions);

    expect(damaged).toEqual(["s"]);
    expect(await target.store.table("messages").count()).toBe(1);
  });

  it("does not report a session that is still being stored", async () => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b"), saying("ok", { id: "t" })]);
    const ingested_at = BigInt(Date.now()) * 1000n;
    const sessions = await damagedCopy(whole, (table, row) => {
      if (row["session_id"] === "s") return { ...row, ingested_at };
      return table === "sessions" && row["id"] === "s" ? undefined : row;
    });

    const { damaged, target } = await exported(sessions);

    expect(damaged).toEqual([]);
    expect(await target.store.table("messages").count()).toBe(1);
  });

  it("can be imported when a damaged value was moved later", async () => {
    const whole = await openStore();
    for (const state of ["a m:1 b", "a m:2 b", "m:2 a b"]) {
      await ingest(whole, [saying(state), saying("ok", { id: "t" })]);
    }
    const isValue = (row: object) => JSON.stringify(row["options" as never]).includes("m:2");
    const sessions = await damagedCopy(whole, (_, row) =>
      row["revises"] === "m" && isValue(row) ? { ...row, options: "x" } : row,
    );

    const { damaged, target } = await exported(sessions);

    expect(damaged).toEqual(["s"]);
    expect(await shown(target)).toContain("m:1");
  });
});

describe("a copy of a store that lost rows", () => {
  it.each<[string, Damage]>([
    ["parts of a message", (table, row) => (isPart(table, row, "m") ? undefined : row)],
    [
      "a session's own row",
      (table, row) => (table === "sessions" && row["id"] === "s" ? undefined : row),
    ],
  ])("reports the session as damaged when the store lost %s", async (_, damage) => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b"), saying("ok", { id: "t" })]);
    const source = await damagedCopy(whole, damage);
    const target = await openStore();

    const { damaged } = await copySessions(source, target);

    expect(damaged).toEqual(["s"]);
    expect(await shown(target, "t")).toBe("ok");
  });

  it("reports no damage when an earlier, interrupted copy brought the parts", async () => {
    const source = await openStore();
    await ingest(source, [saying("a m:1 b")]);
    const target = await openStore();
    await copyTable(source, target, "parts");

    const { damaged } = await copySessions(source, target);

    expect(damaged).toEqual([]);
    expect(await shown(target)).toBe("a m:1 b");
  });
});

it.each([
  ["a copy", copySessions],
  ["an export", (from: SessionStore) => exportArchive(from, join(temporaryFolder(), "a.pond"))],
])("looks up carriers only once for a session that has lost all its parts: %s", async (_, run) => {
  const reads: number[] = [];
  for (const words of ["a b", "a b c d e f"]) {
    const whole = await openStore();
    await ingest(whole, [saying(words)]);
    const source = await damagedCopy(whole, (table, row) => (table === "parts" ? undefined : row));
    const rows = vi.spyOn(source.store.table("messages"), "rows");

    expect((await run(source, await openStore())).damaged).toEqual(["s"]);

    reads.push(rows.mock.calls.length);
  }

  expect(reads[1]).toBe(reads[0]);
});

it("reports no damage for a copied message that lost its parts if a carrier holds its value", async () => {
  const whole = await openStore();
  await ingest(whole, [saying("a m:1 b")]);
  const anothers = await damagedCopy(whole, (table, row) =>
    isPart(table, row, "m") ? asAnother(row) : row,
  );
  const damaged = await findDamaged(anothers);
  await ingest(anothers, [saying("a m:1 b")], { damaged });
  const source = await damagedCopy(anothers, (table, row) =>
    isPart(table, row, "m") ? undefined : row,
  );
  const target = await openStore();

  const report = await copySessions(source, target);

  expect(report.damaged).toEqual([]);
  expect(await shown(target)).toBe("a m:1 b");
});

describe("a copy to a store with a damaged session", () => {
  it("adds the missing messages and sessions, and reports the damaged session", async () => {
    const source = await openStore();
    await ingest(source, [saying("a m:1 b")]);
    const target = await damagedCopy(source, breaking("messages", "m", "options"));
    await ingest(source, [saying("a m:1 b c"), saying("later", { id: "z" })]);

    const report = await copySessions(source, target);
    const again = await copySessions(source, target);

    expect([report.damaged, again.tables["messages"]?.inserted]).toEqual([["s"], 0]);
    expect(await shown(target, "z")).toBe("later");
    expect(await target.store.table("messages").count()).toBe(5);
  });

  it("does not replace an undamaged value with a damaged carrier", async () => {
    const whole = await openStore();
    await ingest(whole, [saying("a m:1 b")]);
    const target = await openStore();
    await copySessions(whole, target);
    await ingest(whole, [saying("a m:2 b c")]);
    const source = await damagedCopy(whole, (_, row) =>
      row["revises"] === "m" ? { ...row, options: "x" } : row,
    );

    const { damaged } = await copySessions(source, target);

    expect(damaged).toEqual(["s"]);
    expect(await shown(target)).toBe("a m:1 b c");
  });
});
