import { join } from "node:path";
import { getSession, type SessionStore } from "@pond/sessions";
import { eq } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { type CopyReport, copySessions } from "./copy-sessions.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import { allRows, ingest, openStore, saying, shown, storeOf, temporaryFolder } from "./testing.ts";

// A program may give two sessions of its client one id, in two directories or on two machines.

const inShop = saying("mode a b", { project: "/shop", second: 1 });
const inBlog = saying("mode c d", { project: "/blog", second: 2 });
const ofShop = saying("x", { id: "shop-agent", parent: "s", project: "/shop", second: 1 });
const ofBlog = saying("y", { id: "blog-agent", parent: "s", project: "/blog", second: 2 });
const [shopId, blogId] = [1, 2].map((second) => `demo:176722560${second}000001:s`);

type Put = (from: SessionStore, to: SessionStore) => Promise<CopyReport>;

const doors: [string, Put][] = [
  ["a copy", copySessions],
  [
    "an archive",
    async (from, to) => {
      const file = join(temporaryFolder(), "a.pond");
      await exportArchive(from, file);
      return importArchive(file, to);
    },
  ],
];

/** What each session says, by its name, with its project and parent. */
async function sessionsIn(sessions: SessionStore): Promise<unknown[]> {
  await sessions.store.refresh();
  const columns = ["id", "project", "parent_session_id"];
  const rows = await sessions.store.table("sessions").rows({ columns });
  const found = rows.map(async (row) => {
    const id = String(row["id"]);
    return [id, row["project"], row["parent_session_id"], await shown(sessions, id)];
  });
  return (await Promise.all(found)).sort();
}

async function insertedBy(put: Put, from: SessionStore, to: SessionStore): Promise<number[]> {
  const { tables } = await put(from, to);
  return Object.values(tables).map(({ inserted }) => inserted);
}

describe.each(doors)("%s from two stores with different sessions of one id", (_, put) => {
  it("keeps both sessions and their sub-agents apart, and recognizes them the next time", async () => {
    const [one, other] = [await storeOf(inShop, ofShop), await storeOf(inBlog, ofBlog)];
    const target = await openStore();

    await put(one, target);
    await put(other, target);
    const rows = await allRows(target);

    expect(await sessionsIn(target)).toEqual([
      ["blog-agent", "/blog", blogId, "y"],
      [blogId, "/blog", null, "mode c d"],
      ["s", "/shop", null, "mode a b"],
      ["shop-agent", "/shop", "s", "x"],
    ]);
    for (const from of [one, other])
      expect(await insertedBy(put, from, target)).toEqual([0, 0, 0, 0]);
    expect(await allRows(target)).toEqual(rows);
  });

  it("stores the messages, parts and windows of each session under its own id", async () => {
    const target = await openStore();
    for (const each of [inShop, inBlog]) await put(await storeOf(each), target);

    const tables = [
      ["windows", "text", (each: string[]) => each.join("\n")],
      ["messages", "search_text", (each: string[]) => each],
      ["parts", "variant_data", (each: string[]) => each.map((text) => JSON.stringify({ text }))],
    ] as const;
    for (const [table, column, asStored] of tables) {
      for (const [id, { texts }] of [
        ["s", inShop],
        [blogId ?? "", inBlog],
      ] as const) {
        const where = eq("session_id", id);
        const rows = await target.store.table(table).rows({ columns: [column], where });
        expect(rows.map((row) => row[column]).sort()).toEqual(
          [asStored([...texts] as string[])].flat().sort(),
        );
      }
    }
  });

  it("stores both sessions as a sync of both would, so that a sync or a copy continues them", async () => {
    const target = await openStore();
    for (const each of [
      [inShop, ofShop],
      [inBlog, ofBlog],
    ])
      await put(await storeOf(...each), target);
    const synced = await storeOf(inShop, ofShop, inBlog, ofBlog);

    const views = (sessions: SessionStore) =>
      Promise.all(
        ["s", blogId, "shop-agent", "blog-agent"].map((id) =>
          getSession(sessions, String(id), { mode: "verbatim" }),
        ),
      );
    expect(await views(target)).toEqual(await views(synced));
    // A sync goes on from them, and so does a copy.
    const grown = saying("mode c d e", { project: "/blog", second: 2 });
    await ingest(target, [grown]);
    expect(await shown(target, blogId)).toBe("mode c d e");
    await put(await storeOf(grown), target);
    expect([await shown(target), await shown(target, blogId)]).toEqual(["mode a b", "mode c d e"]);
  });

  it("recognizes each session under its other id in a store that got them in the other order", async () => {
    const one = await storeOf(inShop, inBlog, ofBlog);
    const other = await storeOf(inBlog, inShop, ofShop);
    for (let round = 0; round < 2; round++) {
      await put(one, other);
      await put(other, one);
    }

    expect(await sessionsIn(one)).toEqual([
      ["blog-agent", "/blog", blogId, "y"],
      [blogId, "/blog", null, "mode c d"],
      ["s", "/shop", null, "mode a b"],
      ["shop-agent", "/shop", "s", "x"],
    ]);
    expect(await sessionsIn(other)).toEqual([
      ["blog-agent", "/blog", "s", "y"],
      [shopId, "/shop", null, "mode a b"],
      ["s", "/blog", null, "mode c d"],
      ["shop-agent", "/shop", shopId, "x"],
    ]);
  });

  it("keeps three sessions of one client and two of another apart", async () => {
    const inWiki = saying("mode e", { project: "/wiki", second: 3 });
    const ofPi = saying("p", { agent: "pi", project: "/shop", second: 4 });
    const alsoOfPi = saying("q", { agent: "pi", project: "/wiki", second: 5 });
    const target = await openStore();
    const all = [inShop, inBlog, inWiki, ofPi, alsoOfPi];
    for (const each of all) await put(await storeOf(each), target);
    // In another order they have other names.
    const other = await storeOf(...all.toReversed());

    const names = [blogId, "demo:1767225603000001:s", "pi:1767225605000001:s", "pi:s", "s"];
    expect((await sessionsIn(target)).map((row) => (row as string[])[0])).toEqual(names);
    expect((await sessionsIn(other)).length).toBe(5);
    expect(await insertedBy(put, other, target)).toEqual([0, 0, 0, 0]);
    expect(await insertedBy(put, target, other)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ["without the beginning", saying("b e", { project: "/blog", second: 1, begun: 7 })],
    ["with the same start time", saying("c d", { project: "/blog", second: 8, begun: 1 })],
    ["of the same project", saying("c d", { project: "/shop", second: 9 })],
  ])("takes a copy %s for the same session", async (_, copy) => {
    const target = await storeOf(inShop);

    await put(await storeOf(copy), target);

    expect((await sessionsIn(target)).length).toBe(1);
  });
});

it("round-trips sessions of one id through an archive with equal digests", async () => {
  const sessions = await storeOf(inShop, ofShop, inBlog, ofBlog);
  const [first, second] = ["a", "b"].map((name) => join(temporaryFolder(), `${name}.pond`));
  const target = await openStore();

  const { digests } = await exportArchive(sessions, first ?? "");
  await importArchive(first ?? "", target);

  expect((await exportArchive(target, second ?? "")).digests).toEqual(digests);
});

it("recognizes a copied session whose id CLIENT:MICROSECONDS:ID another session had taken", async () => {
  const taken = saying("t", { id: String(shopId), project: "/x", second: 3 });
  const [from, target] = [await storeOf(inShop), await storeOf(inBlog, taken)];

  await copySessions(from, target);
  const rows = await allRows(target);
  await copySessions(from, target);

  expect((await sessionsIn(target)).length).toBe(3);
  expect(await allRows(target)).toEqual(rows);
});
