import { expect, it } from "vitest";
import { loadLineage } from "../restore/lineage.ts";
import { rebuildWindows } from "../search/rebuild-windows.ts";
import { type DemoSession, ingestDemo, said, shown, withStore } from "../testing.ts";

const half = "/home/ada/\ud800x";

it("keeps a project that is not valid Unicode, and recognizes the session by its storable form", () =>
  withStore(async (sessions) => {
    const demo: DemoSession = { id: "s", project: half, messages: [said("a")] };
    const longer: DemoSession = { ...demo, messages: [said("a"), said("b")] };
    const options = { shouldQualifyIds: true };

    const [first] = await ingestDemo(sessions, [demo], options);
    const [again] = await ingestDemo(sessions, [demo], options);
    const [grown] = await ingestDemo(sessions, [longer], options);
    await rebuildWindows(sessions, "s");

    expect(first).toMatchObject({ status: "new", messages_added: 1 });
    expect(again).toMatchObject({ status: "unchanged", rejected: false, revisions: 0 });
    expect(grown).toMatchObject({ status: "grown", rejected: false });
    expect(await shown(sessions, "s")).toEqual(["a: This is a.", "b: This is b."]);
    const { session } = (await loadLineage(sessions, "s")).root;
    expect(session.project).toBe(half);
    expect(session.options["pond"]).toEqual({ host: "here" });
    for (const name of ["sessions", "messages", "windows"]) {
      const rows = await sessions.store.table(name).rows({ columns: ["project"] });
      expect(new Set(rows.map(({ project }) => project))).toEqual(new Set(["/home/ada/\ufffdx"]));
    }
  }));
