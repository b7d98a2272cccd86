import { loadLineage, type SessionStore } from "@pond/sessions";
import { expect, it, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { copyTable, ingest, openStore, saying, storeOf } from "./testing.ts";

// Each session is a range of its own: what is below one may be there before it gets its name.
vi.mock("./ranges.ts", async (original) => {
  const real = await original<typeof import("./ranges.ts")>();
  const rangesOf: typeof real.rangesOf = (locations) => real.rangesOf(locations, 1);
  return { ...real, rangesOf };
});

const above = saying("a b", { project: "/shop" });
const child = saying("x", { id: "c", parent: "s", project: "/shop" });
const ofPi = saying("p q", { agent: "pi" });
const ownId = "demo:1767225600000001:s";

async function expectBelow(sessions: SessionStore, id: string): Promise<void> {
  await sessions.store.refresh();
  const { descendants } = await loadLineage(sessions, id);
  expect(descendants.map(({ session }) => session.id)).toEqual(["c"]);
}

it("attaches a child copied earlier to its parent's new id when leftover messages took the old one", async () => {
  const [from, target] = [await storeOf(above, child), await openStore()];
  const pi = await storeOf(ofPi);
  for (const table of ["parts", "windows", "messages"]) await copyTable(pi, target, table);

  await copySessions(from, target);

  await expectBelow(target, ownId);
});

it("attaches a child copied earlier to its parent's new id when another process takes the old one meanwhile", async () => {
  const [from, target] = [await storeOf(above, child), await openStore()];
  const other = await openStore(target.store.location);
  const table = target.store.table("sessions");
  const insert = table.insert.bind(table);
  vi.spyOn(table, "insert").mockImplementationOnce(async (...values) => {
    const inserted = await insert(...values);
    await ingest(other, [ofPi]);
    return inserted;
  });

  await copySessions(from, target);

  await expectBelow(target, "demo:s");
});

it.each([
  ["of another client with the parent's id", ofPi, "demo:s"],
  [
    "of another project with the parent's id",
    { ...above, texts: ["q"], ids: ["q"], project: "/blog", begun: 9 },
    ownId,
  ],
])(
  "attaches a child from an earlier copy to its parent that comes later, beside a session %s",
  async (_, there, id) => {
    const [from, target] = [await storeOf(child), await storeOf(there)];
    await copySessions(from, target);
    await ingest(from, [above]);

    await copySessions(from, target);
    const rows = await target.store.table("messages").count();
    await copySessions(from, target);

    await expectBelow(target, id);
    expect(await target.store.table("messages").count()).toBe(rows);
  },
);

it("takes over later changes to a child session that it attaches to another parent", async () => {
  const [from, target] = [await storeOf(child), await storeOf(ofPi)];
  await copySessions(from, target);
  const later = { ...child, begun: 5 };
  await ingest(from, [later, above], { day: "2026-01-03" });

  const { differing } = await copySessions(from, target);
  const { root } = await loadLineage(target, "c");
  const rows = await target.store.table("messages").count();
  await ingest(target, [later, above], { day: "2026-01-04" });
  await copySessions(from, target);
  await copySessions(target, from);

  await expectBelow(target, "demo:s");
  await expectBelow(from, "s");
  expect([differing, root.session.created_at]).toEqual([0, 1767225605000001n]);
  expect(await target.store.table("messages").count()).toBe(rows);
});

it("attaches a child left by an interrupted copy to its parent's new id after the old id was taken", async () => {
  const [from, target] = [await storeOf(above, child), await storeOf(ofPi)];
  const other = { ...above, texts: ["q"], ids: ["q"], project: "/blog", begun: 9 };
  const sessions = target.store.table("sessions");
  const insert = sessions.insert.bind(sessions);
  vi.spyOn(sessions, "insert").mockImplementationOnce(async (...values) => {
    await insert(...values);
    throw new Error("killed");
  });
  await expect(copySessions(from, target)).rejects.toThrow("killed");
  await ingest(target, [other]);

  await copySessions(from, target);

  await expectBelow(target, ownId);
});

it("leaves a child attached to a session of its client that was begun in a nearer directory", async () => {
  const nearer = { ...child, project: "/shop/src" };
  const [from, target] = [await storeOf(above, nearer), await openStore()];
  await ingest(target, [
    { ...above, texts: ["q"], ids: ["q"], project: "/shop/src", begun: 9 },
    nearer,
  ]);

  await copySessions(from, target);

  await expectBelow(target, "s");
});

it("reads all session rows of each store only once", async () => {
  const [from, target] = [await storeOf(above, child), await storeOf(ofPi)];
  await copySessions(from, target);
  const tables = [from, target].map(({ store }) => store.table("sessions"));
  const spies = tables.flatMap((table) => [vi.spyOn(table, "scan"), vi.spyOn(table, "rows")]);

  await copySessions(from, target);

  const asked = spies.flatMap(({ mock }) => mock.calls.map(([options]) => options));
  const ofAll = asked.filter((options) => options?.where === undefined);
  expect(ofAll.filter((options) => options?.columns?.includes("project"))).toHaveLength(2);
});
