import { join } from "node:path";
import { getSession, type SessionStore } from "@pond/sessions";
import { eq } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { copySessions } from "./copy-sessions.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import type { ArchiveRedactor } from "./redaction.ts";
import { ingest, openStore, saying, shown, storeOf, temporaryFolder } from "./testing.ts";

/** A store that saw these states of a session, one after the other, each on a day of its own. */
async function storeThatSaw(states: string, day: number = 2) {
  const sessions = await openStore();
  for (const [at, state] of states.split(" | ").entries()) {
    const options = { day: `2026-01-${String(day + at).padStart(2, "0")}` };
    await ingest(sessions, [saying(state)], options);
  }
  return sessions;
}

type Case = {
  readonly theirs: string;
  readonly own: string;
  readonly expected: string;
  readonly differing: number;
  readonly day?: number;
};

const same = (theirs: string, own: string) => ({
  theirs,
  own,
  expected: own.split(" | ").at(-1) ?? "",
});

describe("a copy between stores that each saw some states of one session", () => {
  it.each<Case>([
    // What was seen here is the later: it stays, and nothing differs.
    { ...same("m:1 | m:2 | m:3", "m:3 | m:4"), differing: 0 },
    { ...same("m:1 | m:2 | m:3 | m:4", "m:1 | m:4 | m:5"), differing: 0 },
    { ...same("a m:1 | a", "a m:1 | a | a m:1"), differing: 0 },
    { ...same("m:1 | m:2", "m:1 | m:2"), differing: 0 },
    // What was seen there goes on from here.
    { theirs: "m:1 | m:2 | m:3", own: "m:2", expected: "m:3", differing: 0 },
    { theirs: "m:1 | m:2 | m:3", own: "m:0 | m:1", expected: "m:3", differing: 0 },
    { theirs: "a m:1 | a", own: "a m:1", expected: "a", differing: 0 },
    { theirs: "a m:1 | a | a m:2", own: "a m:1", expected: "a m:2", differing: 0 },
    // Neither knows the other's: nothing tells which is the later.
    { ...same("m:1 | m:2", "m:1 | m:3"), differing: 1 },
    { ...same("a m:1 | a", "a m:2 n"), differing: 1 },
    { ...same("a m:1 | m:1 a", "a:2 m:2"), differing: 2 },
    // Here the value came back that had been there before.
    { ...same("m:1 | m:2", "m:1"), differing: 1, day: 20 },
  ])(
    "from $theirs into $own shows $expected",
    async ({ theirs, own, expected, differing, day }) => {
      const source = await storeThatSaw(theirs, 9);
      const target = await storeThatSaw(own, day);

      const report = await copySessions(source, target);
      const after = await shown(target);
      const again = await copySessions(source, target);

      expect([after, report.differing, again.differing]).toEqual([expected, differing, differing]);
      expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
      expect(await shown(target)).toBe(expected);
    },
  );

  it("follows every state that the other store has seen since the last copy", async () => {
    const source = await storeThatSaw("a m:1 b");
    const target = await openStore();
    for (const state of ["a m:2 b", "m:2 a b", "m:2 b", "a m:2 b", "a m:1 b", "a m:3 b c"]) {
      await copySessions(source, target);
      await ingest(source, [saying(state)]);
      await copySessions(source, target);

      expect(await shown(target)).toBe(state);
    }
  });

  it.each([
    [["m:1 | m:2", "m:1 | m:2 | m:3"], "m:3"],
    [["m:1 | m:2 | m:3", "m:2 | m:3 | m:4"], "m:4"],
    [["a m:1 | a", "a m:1 | a | a m:2"], "a m:2"],
  ])("shows the latest state of %j, whichever store is copied first", async (states, expected) => {
    const [one, other] = [await storeThatSaw(states[0] ?? ""), await storeThatSaw(states[1] ?? "")];
    const [first, second] = [await openStore(), await openStore()];
    for (const source of [one, other]) await copySessions(source, first);
    for (const source of [other, one]) await copySessions(source, second);

    expect([await shown(first), await shown(second)]).toEqual([expected, expected]);
  });

  it("takes over the session's parent only when it is known to be the later one", async () => {
    const parents = async (...given: readonly string[]) => {
      const sessions = await openStore();
      for (const parent of given) await ingest(sessions, [saying("m:1", { parent })]);
      return sessions;
    };
    const parentIn = async (sessions: SessionStore) =>
      (await getSession(sessions, "s")).session.parent_session_id;
    const target = await parents("p3", "p4");

    const older = await copySessions(await parents("p1", "p2", "p3"), target);
    const kept = await parentIn(target);
    const other = await copySessions(await parents("p1", "p5"), target);
    const keptAgain = await parentIn(target);
    const later = await copySessions(await parents("p4", "p6"), target);

    expect([kept, keptAgain, await parentIn(target)]).toEqual(["p4", "p4", "p6"]);
    expect([older, other, later].map(({ differing }) => differing)).toEqual([0, 1, 0]);
  });
});

describe("a copy between stores that both saw a session grow", () => {
  it.each([
    ["1 2 a3 a4 a5", "1 2 b3 b4 b5", "1 2 b3 b4 b5 a3 a4 a5"],
    ["a b c", "a n b c", "a n b c"],
    ["a n b c", "a b c", "a n b c"],
    ["1 x1 x2 x3 2", "1 y1 y2 2", "1 y1 y2 x1 x2 x3 2"],
    ["x1 x2 1 2 x3", "1 y1 2", "x1 x2 1 y1 2 x3"],
    ["x1 x2", "y1 y2", "y1 y2 x1 x2"],
    ["2 x 1 z", "1 2 3", "x 1 2 3 z"],
  ])("merges %s into %s", async (theirs, own, expected) => {
    const [source, target] = [await storeThatSaw(theirs), await storeThatSaw(own)];

    const report = await copySessions(source, target);
    const after = await shown(target);
    const again = await copySessions(source, target);

    expect([after, report.differing, again.differing]).toEqual([expected, 0, 0]);
    expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
  });

  it("makes room between two messages when no gap is left, and dates the moved rows by `now`", async () => {
    const target = await storeThatSaw("a z");
    const now = () => new Date("2031-05-06T07:08:09Z");
    for (let at = 0; at < 20; at++) {
      const source = await storeThatSaw(`a x${at} ${at > 0 ? `x${at - 1}` : "z"}`);
      await copySessions(source, target, { now });
    }

    const numbered = Array.from({ length: 20 }, (_, at) => `x${19 - at}`).join(" ");
    expect(await shown(target)).toBe(`a ${numbered} z`);
    const moved = eq("ingested_at", { micros: BigInt(now().getTime()) * 1000n });
    expect(await target.store.table("messages").count(moved)).toBeGreaterThan(0);
  });

  it("leaves the next sync of the target nothing to move", async () => {
    const [source, target] = [await storeThatSaw("1 2 a3 a4"), await storeThatSaw("1 2 b3 b4")];
    await copySessions(source, target);
    const rows = await target.store.table("messages").count();

    await ingest(target, [saying("1 2 b3 b4 b5")], { addsOnly: true });

    expect(await shown(target)).toBe("1 2 b3 b4 a3 a4 b5");
    expect(await target.store.table("messages").count()).toBe(rows + 1);
  });
});

describe("successive redacted archives of one store", () => {
  it("can be imported one after the other when messages move in between", async () => {
    const [sessions, target] = [await openStore(), await openStore()];
    const names = new Map<string, string>();
    const redactor = (): ArchiveRedactor => {
      names.clear();
      const text = (whole: string): string =>
        whole.replace(/secret\d/g, (found) => {
          names.set(found, names.get(found) ?? `[redacted ${names.size + 1}]`);
          return names.get(found) ?? "";
        });
      const json: ArchiveRedactor["json"] = (value) => JSON.parse(text(JSON.stringify(value)));
      return { text, json, counts: () => [] };
    };
    for (const state of ["a b:secret1 c d", "b:secret1 a c d"]) {
      const file = join(temporaryFolder(), "a.pond");
      await ingest(sessions, [saying("x:secret2", { id: "r" }), saying(state)]);
      await exportArchive(sessions, file, { redactor: redactor() });
      const { differing } = await importArchive(file, target);

      expect(differing).toBe(0);
      expect(await shown(target)).toBe(state.replace("secret1", "[redacted 2]"));
      expect(await shown(target, "r")).toBe("x:[redacted 1]");
    }
  });
});

describe("sessions of two clients with one id", () => {
  const of = (agent: string) => ({ agent });

  it("stay apart in a copy as in a sync, and are recognized by the next copy", async () => {
    const [source, target] = [await openStore(), await openStore()];
    for (const state of ["a b:1", "a b:2 c"]) {
      await ingest(source, [saying(state, of("pi"))]);
      await ingest(source, [saying("x", { id: "child", parent: "s", agent: "pi" })]);
    }
    await ingest(source, [saying("a b:2 c", { ...of("pi"), parent: "p" })]);
    await ingest(target, [saying("o", of("omp"))]);
    const synced = await openStore();
    await ingest(synced, [saying("o", of("omp"))]);
    for (const state of ["a b:1", "a b:2 c"]) await ingest(synced, [saying(state, of("pi"))]);
    await ingest(synced, [saying("a b:2 c", { ...of("pi"), parent: "p" })]);

    await copySessions(source, target);
    const again = await copySessions(source, target);
    const views = async (sessions: SessionStore) =>
      Promise.all(["s", "pi:s"].map((id) => getSession(sessions, id, { mode: "verbatim" })));
    const child = await getSession(target, "child");

    expect(await views(target)).toEqual(await views(synced));
    expect(child.session.parent_session_id).toBe("pi:s");
    expect(Object.values(again.tables).map(({ inserted }) => inserted)).toEqual([0, 0, 0, 0]);
    expect(again.differing).toBe(0);
    // A sync of that client goes on from it, and so does a copy.
    await ingest(source, [saying("a b:2 c d", { ...of("pi"), parent: "p" })]);
    await copySessions(source, target);
    await ingest(target, [saying("a b:2 c d", { ...of("pi"), parent: "p" })]);
    expect(await target.store.table("messages").count()).toBe(1 + 4 + 2 + 1);
    expect([await shown(target), await shown(target, "pi:s")]).toEqual(["o", "a b:2 c d"]);
  });

  it("are recognized under CLIENT:ID in a store that lacks the other client's session", async () => {
    const source = await storeOf(saying("a b c", of("omp")));
    const target = await storeOf({ ...saying("a b", of("omp")), id: "omp:s" });

    await copySessions(source, target);

    const rows = await target.store.table("sessions").rows({ columns: ["id"] });
    expect(rows.map(({ id }) => id)).toEqual(["omp:s"]);
    expect(await shown(target, "omp:s")).toBe("a b c");
  });

  it("keep their ids when they are copied back and forth", async () => {
    const [one, other] = [await openStore(), await openStore()];
    await ingest(one, [saying("a b", of("pi"))]);
    await ingest(other, [saying("c d", of("omp"))]);
    for (let round = 0; round < 2; round++) {
      await copySessions(one, other);
      await copySessions(other, one);
    }

    const ids = async ({ store }: SessionStore) =>
      (await store.table("sessions").rows({ columns: ["id"] })).map(({ id }) => id).sort();
    expect([await ids(one), await ids(other)]).toEqual([
      ["omp:s", "s"],
      ["pi:s", "s"],
    ]);
    expect([await shown(one, "omp:s"), await shown(other, "pi:s")]).toEqual(["c d", "a b"]);
  });
});
