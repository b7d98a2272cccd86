import { describe, expect, it } from "vitest";
import { rootOf } from "../read/ancestry.ts";
import {
  type DemoSession,
  ingestDemo,
  recordingPartScans,
  said,
  shown,
  withAltered,
  withStore,
  withTableMethod,
} from "../testing.ts";
import { loadLineage, rootIds } from "./lineage.ts";

const session = (id: string, parent?: string, agent?: string): DemoSession => ({
  id,
  messages: [said(`${id}-1`)],
  ...(parent !== undefined && { parent }),
  ...(agent !== undefined && { agent }),
});

describe("loadLineage", () => {
  it("holds every level below, parents first (`adapter-lineage-complete-restore`)", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        session("great-grandchild", "grandchild"),
        session("grandchild", "child 2"),
        session("child 2", "root"),
        session("child 1", "root"),
        session("root", "was never stored"),
        session("stranger"),
      ]);

      const { root, descendants } = await loadLineage(sessions, "root");

      expect(root.session.parent_session_id).toBe("was never stored");
      expect(descendants.map((each) => [each.session.id, each.messages.length])).toEqual([
        ["child 1", 1],
        ["child 2", 1],
        ["grandchild", 1],
        ["great-grandchild", 1],
      ]);
    }));

  it.each([
    ["few at a time when they are large", 500_000, 8],
    ["many at a time when they are small", 10, 32],
  ])("loads descendants %s", (_, chars, atOnce) =>
    withStore(async (sessions) => {
      const below = Array.from({ length: 40 }, (_, at) => `child ${100 + at}`);
      const children = below.map((id) => ({
        ...session(id, "root"),
        messages: [said("1", "x".repeat(chars))],
      }));
      await ingestDemo(sessions, [session("root"), ...children]);
      const read: number[] = [];

      const { descendants } = await loadLineage(recordingPartScans(sessions, read), "root");

      expect(descendants.map((each) => each.session.id)).toEqual(below);
      expect(Math.max(...read)).toBe(atOnce);
    }),
  );

  it("loads only the shown value of a message that was revised often", () =>
    withStore(async (sessions) => {
      for (const [at, text] of ["one", "two", "three", "four"].entries()) {
        const now = (): Date => new Date(at);
        await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b", text)] }], { now });
      }
      const read: unknown[] = [];
      const watched = withTableMethod(sessions, "messages", "rows", (rows) => async (options) => {
        const found = await rows(options);
        if (options.columns?.includes("options")) read.push(...found.map((row) => row["revision"]));
        return found;
      });

      await loadLineage(watched, "s", { onDamaged: () => {} });

      expect(read.map(Number).sort()).toEqual([0, 0, 3]);
      expect(await shown(watched, "s")).toEqual(["a: This is a.", "b: four"]);
    }));

  it.each<[root: string, parent: string, below: readonly string[]]>([
    ["a", "c", ["b", "aside", "c", "lower"]],
    ["b", "a", ["aside", "c", "a", "lower"]],
    ["c", "b", ["a", "lower", "b", "aside"]],
    ["self", "self", ["child"]],
  ])("cuts a circle of sessions at the requested one: %s", (id, parent, below) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        session("a", "c"),
        session("b", "a"),
        session("c", "b"),
        session("aside", "b"),
        session("lower", "c"),
        session("self", "self"),
        session("child", "self"),
      ]);

      const { root, descendants } = await loadLineage(sessions, id);

      expect(root.session.id).toBe(id);
      // What its source says stays: its own client gets it back.
      expect(root.session.parent_session_id).toBe(parent);
      expect(descendants.map((each) => each.session.id)).toEqual(below);
    }),
  );

  it("loads a session below a circle without the circle", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [session("x", "y"), session("y", "x"), session("below", "y")]);

      const { root, descendants } = await loadLineage(sessions, "below");

      expect(root.session.parent_session_id).toBe("y");
      expect(descendants).toEqual([]);
    }));

  it("puts a session below the parent that its source names now, or named at first", () =>
    withStore(async (sessions) => {
      const all = ["root", "other", "late", "taken back", "moved"].map((id) => session(id));
      await ingestDemo(sessions, [...all, session("below", "late")]);
      await ingestDemo(sessions, [
        session("late", "root"),
        session("taken back", "root"),
        session("moved", "root"),
      ]);
      await ingestDemo(sessions, [session("taken back"), session("moved", "other")]);
      const below = async (id: string, at: "first" | "last"): Promise<string[]> =>
        (await loadLineage(sessions, id, { at })).descendants.map((each) => each.session.id);

      expect(await below("root", "last")).toEqual(["late", "below"]);
      expect(await below("other", "last")).toEqual(["moved"]);
      expect(await below("root", "first")).toEqual([]);
      expect((await rootIds(sessions)).sort()).toEqual(["other", "root", "taken back"]);
    }));

  it("is complete without a session that lost its row, even one whose parent was named late", () =>
    withAltered(
      [session("root"), session("late"), session("late", "root"), session("child", "root")],
      (table, row) => (table === "sessions" && row["id"] === "late" ? undefined : row),
      async (sessions) => {
        const { descendants } = await loadLineage(sessions, "root");

        expect(descendants.map((each) => each.session.id)).toEqual(["child"]);
      },
    ));

  it("ends at another client's sessions when told to", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        session("root"),
        session("child", "root"),
        session("of another", "child", "other"),
        session("below that", "of another", "other"),
        session("its own again", "of another"),
      ]);
      const below = async (id: string, isCutByClient: boolean): Promise<string[]> =>
        (await loadLineage(sessions, id, { isCutByClient })).descendants.map(
          (each) => each.session.id,
        );

      expect(await below("root", true)).toEqual(["child"]);
      expect(await below("of another", true)).toEqual(["below that"]);
      expect(await below("its own again", true)).toEqual([]);
      expect(await below("root", false)).toHaveLength(4);
    }));

  it("reports a session that does not exist", () =>
    withStore(async (sessions) => {
      await expect(loadLineage(sessions, "none")).rejects.toMatchObject({ code: "not_found" });
    }));
});

describe("rootIds", () => {
  it("names the sessions to restore so that none is missed, circles included", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        session("root"),
        session("child", "root"),
        session("orphan", "was never stored"),
        session("x", "y"),
        session("y", "x"),
        session("below the circle", "y"),
      ]);

      expect((await rootIds(sessions)).sort()).toEqual(["orphan", "root", "x"]);
    }));

  it("also names sessions below another client's sessions when lineages are cut there", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        session("root"),
        session("child", "root"),
        session("of another", "child", "other"),
        session("below that", "of another", "other"),
        session("its own again", "of another"),
        session("x", "y"),
        session("y", "x", "other"),
      ]);

      const cut = await rootIds(sessions, { isCutByClient: true });

      expect(cut.sort()).toEqual(["its own again", "of another", "root", "x", "y"]);
      expect((await rootIds(sessions)).sort()).toEqual(["root", "x"]);
    }));

  it("names the sessions that were roots in the first state", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [session("root"), session("late"), session("early", "root")]);
      await ingestDemo(sessions, [session("late", "root"), session("early")]);

      expect((await rootIds(sessions, { at: "first" })).sort()).toEqual(["late", "root"]);
      expect((await rootIds(sessions)).sort()).toEqual(["early", "root"]);
    }));
});

describe("rootOf", () => {
  it.each<[string, string]>([
    ["c", "a"],
    ["a", "a"],
    ["orphan", "orphan"],
    ["p", "p"],
    ["q", "p"],
    ["below", "p"],
    ["unknown", "unknown"],
  ])("puts %s under %s", (id, root) => {
    const parents = new Map([
      ["a", null],
      ["b", "a"],
      ["c", "b"],
      ["orphan", "gone"],
      ["p", "q"],
      ["q", "p"],
      ["below", "q"],
    ]);

    expect(rootOf(parents, id)).toBe(root);
  });
});
