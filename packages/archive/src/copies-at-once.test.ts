import type { SessionStore } from "@pond/sessions";
import { expect, it, vi } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { readOrder } from "./tables.ts";
import { allRows, copyTable, ingest, openStore, saying, shown, storeOf } from "./testing.ts";

// Two copies at once each find that nothing in the target has the id that both bring.

const inShop = saying("a b", { project: "/shop", second: 1 });
const inBlog = saying("c d", { project: "/blog", second: 2 });
const ofPi = saying("p q", { agent: "pi", project: "/shop", second: 3 });

/** Lets something happen once, before the target gets the first rows of one table. */
function before(target: SessionStore, table: string, run: () => Promise<unknown>): void {
  const { store } = target;
  const insert = store.table(table).insert.bind(store.table(table));
  let isFirst = true;
  vi.spyOn(store.table(table), "insert").mockImplementation(async (...values) => {
    const isNow = isFirst;
    isFirst = false;
    if (isNow) await run();
    return insert(...values);
  });
}

async function saysOf(sessions: SessionStore): Promise<string[][]> {
  await sessions.store.refresh();
  const columns = ["id", "project"];
  const rows = await sessions.store.table("sessions").rows({ columns });
  const said = rows.map(async ({ id, project }) => {
    return [String(project), String(id), await shown(sessions, String(id))];
  });
  return (await Promise.all(said)).sort();
}

const alsoInBlog = saying("a d", { project: "/blog", second: 2 });

it.each(
  [inBlog, alsoInBlog, ofPi].flatMap((other) => readOrder.map((table) => [other, table] as const)),
)(
  "keeps its session apart from %o, which another copy stores before its own %s",
  async (other, table) => {
    const [one, two] = [await storeOf(inShop), await storeOf(other)];
    const target = await openStore();
    before(target, table, () => copySessions(two, target));

    await copySessions(one, target);

    const rows = await saysOf(target);
    expect(rows.map(([project, , text]) => [project, text]).sort()).toEqual(
      [
        ["/shop", "a b"],
        [other.project, other.texts.join(" ")],
      ].sort(),
    );
  },
);

it.each([inBlog, alsoInBlog, ofPi])(
  "does not wait for an interrupted copy of %o, and keeps both sessions if that copy is resumed",
  async (other) => {
    const [one, two] = [await storeOf(inShop), await storeOf(other)];
    const target = await openStore();
    for (const table of ["parts", "windows", "messages"]) await copyTable(two, target, table);

    await copySessions(one, target);
    const before = await saysOf(target);
    const again = await copySessions(one, target);
    await copySessions(two, target);

    expect(before.map(([, , text]) => text)).toEqual(["a b"]);
    expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
    const rows = await saysOf(target);
    expect(rows.map(([, , text]) => text).sort()).toEqual(["a b", other.texts.join(" ")].sort());
  },
);

it("does not join its session to one that another process stores while it scans the target again", async () => {
  const [one, two] = [await storeOf(inShop), await storeOf(inBlog)];
  const target = await openStore();
  const other = await openStore(target.store.location);
  const table = target.store.table("sessions");
  const scan = table.scan.bind(table);
  let scans = 0;
  vi.spyOn(table, "scan").mockImplementation(async function* (options) {
    scans += 1;
    const at = scans;
    yield* scan(options);
    // It has looked at all, and is to look again.
    if (at === 2) await ingest(other, [saying("q", { id: "other" })]);
    if (at === 3) await copySessions(two, other);
  });

  await copySessions(one, target);

  const said = (await saysOf(target)).map(([project, , text]) => [project, text]);
  expect(said).toEqual([
    ["/blog", "c d"],
    ["/shop", "a b"],
    ["/work", "q"],
  ]);
});

it("covers in its windows the messages that another copy stores while it makes them", async () => {
  const target = await storeOf(saying("a b"));
  const other = await openStore(target.store.location);
  const from = await openStore();
  await copySessions(target, from);
  await ingest(from, [saying("a b c")]);
  const later = await openStore();
  await copySessions(from, later);
  await ingest(later, [saying("a:2 b c d")], { day: "2026-01-03" });
  const windows = target.store.table("windows");
  const replace = windows.replace.bind(windows);
  vi.spyOn(windows, "replace").mockImplementationOnce(async (...all) => {
    await copySessions(later, other);
    return replace(...all);
  });

  await copySessions(from, target);

  expect(await shown(target)).toBe("a:2 b c d");
  const [window] = (await allRows(target))["windows"] ?? [];
  expect(window?.split(" | ")).toContain("a:2\nb\nc\nd");
});

it("replaces windows of older texts that an interrupted copy left", async () => {
  const from = await storeOf(saying("a b"));
  const target = await openStore();
  for (const table of ["parts", "windows"]) await copyTable(from, target, table);
  await ingest(from, [saying("a:2 b")], { day: "2026-01-03" });

  await copySessions(from, target);

  const all = await allRows(target);
  expect(all["windows"]).toEqual((await allRows(from))["windows"]);
});

it("makes windows of the newer texts when another copy stores the older ones midway", async () => {
  const former = await storeOf(saying("a b"));
  const from = await openStore();
  await copySessions(former, from);
  await ingest(from, [saying("a:2 b")], { day: "2026-01-03" });
  const target = await openStore();
  for (const table of ["windows", "sessions"]) {
    before(target, table, () => copyTable(former, target, table));
  }

  await copySessions(from, target);

  expect(await shown(target)).toBe("a:2 b");
  expect((await allRows(target))["windows"]).toEqual((await allRows(from))["windows"]);
});

it.each([
  ["a changed session", "a b", "windows"],
  ["a changed session", "a b", "messages"],
  ["a new session", "", "windows"],
  ["a new session", "", "messages"],
  ["a new session", "", "sessions"],
])(
  "leaves windows of the shown messages when a copy runs during a sync of %s (first %j), before it writes %s",
  async (_, first, table) => {
    const target = first === "" ? await openStore() : await storeOf(saying(first));
    const from = await openStore();
    await copySessions(first === "" ? await storeOf(saying("a b")) : target, from);
    await ingest(from, [saying("a b q")]);
    const other = await openStore(target.store.location);
    before(target, table, () => copySessions(from, other));

    await ingest(target, [saying("a:2 b c")], { day: "2026-01-03" });

    const words = await shown(target);
    expect(words.split(" ").sort()).toEqual(expect.arrayContaining(["b", "c", "q"]));
    const [window] = (await allRows(target))["windows"] ?? [];
    expect(window?.split(" | ")).toContain(words.replaceAll(" ", "\n"));
  },
);

it.each(["messages", "sessions"])(
  "a first sync removes what a copy of its process left under an id when it broke off before its %s",
  async (table) => {
    const [from, target] = [await storeOf(inShop), await openStore()];
    before(target, "parts", async () => {
      const failure = new Error("no space left on device");
      vi.spyOn(target.store.table(table), "insert").mockRejectedValueOnce(failure);
      await expect(copySessions(from, target)).rejects.toThrow(failure);
    });

    await ingest(target, [inBlog]);

    expect(await shown(target)).toBe("c d");
    const windows = (await allRows(target))["windows"]?.flatMap((row) => row.split(" | "));
    expect(windows).toContain("c\nd");
    expect(windows).not.toContain("a\nb");
  },
);

it("leaves windows of everything that two concurrent syncs have stored", async () => {
  const target = await storeOf(saying("a b"));
  const other = await openStore(target.store.location);
  before(target, "windows", () => ingest(other, [saying("a b q")], { addsOnly: true }));

  await ingest(target, [saying("a b c")], { day: "2026-01-03", addsOnly: true });

  const words = await shown(target);
  expect(words.split(" ").sort()).toEqual(["a", "b", "c", "q"]);
  const [window] = (await allRows(target))["windows"] ?? [];
  expect(window?.split(" | ")).toContain(words.replaceAll(" ", "\n"));
});

it("removes the rows it left under an id that another process gave to another session", async () => {
  const [from, target] = [await storeOf(inShop), await openStore()];
  const other = await openStore(target.store.location);
  before(target, "messages", () => ingest(other, [ofPi, inShop]));

  await copySessions(from, target);

  expect((await saysOf(target)).map(([, ...rest]) => rest)).toEqual([
    ["demo:s", "a b"],
    ["s", "p q"],
  ]);
});

it("removes what an interrupted copy left under CLIENT:ID after another session took that id", async () => {
  const [from, target] = [await storeOf(inShop), await storeOf(ofPi)];
  const other = await openStore(target.store.location);
  const messages = target.store.table("messages");
  const insert = messages.insert.bind(messages);
  vi.spyOn(messages, "insert").mockImplementationOnce(async (...values) => {
    await ingest(other, [inBlog]);
    await insert(...values);
    throw new Error("killed");
  });
  await expect(copySessions(from, target)).rejects.toThrow("killed");

  await copySessions(from, target);

  expect((await saysOf(target)).map(([, ...rest]) => rest).sort()).toEqual([
    ["demo:1767225601000001:s", "a b"],
    ["demo:s", "c d"],
    ["s", "p q"],
  ]);
});
