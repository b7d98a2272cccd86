import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Reader } from "@pond/canonical/adapter";
import { getSession } from "@pond/sessions";
import { describe, expect, it } from "vitest";
import { discoverSources } from "./discover.ts";
import { type Bench, changesIn, claudeCode, line, withBench } from "./sync.test-kit.ts";
import { type SyncReport, sync } from "./sync.ts";

type Machine = {
  write(texts: Readonly<Record<string, string>>, name?: string): string;
  /** @param path - Only this one, as with `--path`. */
  sync(isVerifying?: boolean, path?: string): Promise<SyncReport>;
};

/** A machine with homes of its own that syncs to the store of the bench. */
function machine({ folder, sessions }: Bench, name: string, homes: readonly string[]): Machine {
  const paths = homes.map((home) => join(folder, home, ".claude"));
  for (const path of paths) mkdirSync(join(path, "projects", "-work"), { recursive: true });
  return {
    write(texts, at = homes[0]) {
      const lines = Object.entries(texts).map(([id, text]) => {
        const record = JSON.parse(line("s1", id, text)) as object;
        return JSON.stringify({ ...record, timestamp: `2026-03-01T09:00:0${id}.000Z` });
      });
      const file = join(folder, at ?? name, ".claude", "projects", "-work", "s1.jsonl");
      writeFileSync(file, lines.map((each) => `${each}\n`).join(""));
      return file;
    },
    sync(isVerifying = false, path = undefined) {
      const environment = { home: folder, env: {} };
      const sources = discoverSources([claudeCode], {
        environment,
        ...(path === undefined
          ? { configured: { "claude-code": paths } }
          : { paths: { "claude-code": [path] } }),
      });
      const stateDirectory = join(folder, `state-${name}`);
      // Two machines store nothing at the same time here.
      const now = (): Date => new Date();
      return sync(sessions, sources, { stateDirectory, host: name, now, isVerifying });
    },
  };
}

async function texts({ sessions }: Bench): Promise<unknown[]> {
  const { messages } = await getSession(sessions, "s1", { mode: "conversational" });
  return messages.map(({ text }) => text);
}

const changed = (report: SyncReport): unknown[] => {
  const { messages_added = 0, revisions = 0, tombstones = 0 } = changesIn(report);
  return [messages_added, revisions, tombstones];
};

describe("a session on two machines with one store", () => {
  it("keeps the messages of the other machine, however often either machine continues", () =>
    withBench(async (bench) => {
      const [desk, laptop] = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])];
      const both = { 1: "giraffes", 2: "elephants" };
      for (const each of [desk, laptop]) {
        each.write(both);
        await each.sync();
      }
      desk.write({ ...both, 3: "walrus" });
      await desk.sync();
      laptop.write({ ...both, 4: "lynx" });
      expect(changed(await laptop.sync())).toEqual([1, 0, 0]);
      laptop.write({ ...both, 4: "lynx", 5: "otter" });
      expect(changed(await laptop.sync())).toEqual([1, 0, 0]);
      desk.write({ ...both, 3: "walrus", 6: "zebra" });
      expect(changed(await desk.sync())).toEqual([1, 0, 0]);

      expect((await texts(bench)).sort()).toEqual(
        ["elephants", "giraffes", "lynx", "otter", "walrus", "zebra"].sort(),
      );
      expect(changed(await laptop.sync(true))).toEqual([0, 0, 0]);
      laptop.write({ ...both, 4: "lynx" });
      expect(changed(await laptop.sync())).toEqual([0, 0, 1]);
      laptop.write(both);
      expect(changed(await laptop.sync())).toEqual([0, 0, 1]);
      expect(await texts(bench)).not.toContain("lynx");
      expect(await texts(bench)).toContain("walrus");
    }));

  it("marks deleted messages as gone when one machine has all that is stored", () =>
    withBench(async (bench) => {
      const [desk, laptop] = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])];
      desk.write({ 1: "giraffes", 2: "elephants" });
      await desk.sync();
      laptop.write({ 1: "giraffes", 2: "elephants", 3: "zebras" });
      await laptop.sync();
      laptop.write({ 1: "giraffes", 3: "zebras" });

      expect(changed(await laptop.sync())).toEqual([0, 0, 1]);
      laptop.write({ 1: "giraffes", 3: "zebras", 4: "otters" });
      expect(changed(await laptop.sync())).toEqual([1, 0, 0]);
      laptop.write({ 1: "giraffes", 4: "otters" });
      expect(changed(await laptop.sync())).toEqual([0, 0, 1]);
      expect(await texts(bench)).toEqual(["giraffes", "otters"]);
    }));

  it("marks deleted messages as gone although the other machine continued meanwhile", () =>
    withBench(async (bench) => {
      const [desk, laptop] = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])];
      const both = { 1: "giraffes", 2: "elephants", 3: "walrus" };
      desk.write(both);
      await desk.sync();
      laptop.write({ ...both, 4: "lynx" });
      await laptop.sync();
      desk.write({ ...both, 6: "zebra" });
      await desk.sync();
      laptop.write(both);

      expect(changed(await laptop.sync())).toEqual([0, 0, 1]);
      desk.write({ 1: "giraffes", 3: "walrus", 6: "zebra" });
      expect(changed(await desk.sync())).toEqual([0, 0, 1]);
      // What the other one removed was shown when this one was read.
      laptop.write({ 1: "giraffes", 2: "elephants" });
      expect(changed(await laptop.sync())).toEqual([0, 1, 1]);
      expect((await texts(bench)).sort()).toEqual(["elephants", "giraffes", "zebra"]);
    }));
});

describe("a copy of a session with earlier values", () => {
  const old = { 1: "giraffes", 2: "draft" };
  const later = { 1: "giraffes", 2: "final", 5: "zebras" };

  /** A desk that went on after its home was copied, and a laptop with the copy. */
  async function deskAndLaptop(bench: Bench): Promise<readonly [desk: Machine, laptop: Machine]> {
    const machines = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])] as const;
    for (const each of machines) each.write(old);
    await machines[0].sync();
    machines[0].write(later);
    await machines[0].sync();
    return machines;
  }

  it.each([
    ["it has only earlier values", old, [0, 0, 0], ["giraffes", "final", "zebras"]],
    [
      "it has a message that is nowhere else",
      { ...old, 3: "lynx" },
      [1, 0, 0],
      ["giraffes", "final", "lynx", "zebras"],
    ],
    [
      "it goes further",
      { ...old, 7: "otter" },
      [1, 1, 0],
      ["giraffes", "draft", "zebras", "otter"],
    ],
    ["it has a value of its own", { ...old, 2: "mine" }, [0, 1, 0], ["giraffes", "mine", "zebras"]],
  ])(
    "replaces a later value only if it goes further or has a value of its own: %s",
    (_, copy, changes, shown) =>
      withBench(async (bench) => {
        const [desk, laptop] = await deskAndLaptop(bench);
        laptop.write(copy);

        expect(changed(await laptop.sync())).toEqual(changes);

        expect((await texts(bench)).toSorted()).toEqual(shown.toSorted());
        expect(changed(await laptop.sync(true))).toEqual([0, 0, 0]);
        expect(changed(await desk.sync())).toEqual([0, 0, 0]);
      }),
  );

  it("replaces no later value when both machines agreed before", () =>
    withBench(async (bench) => {
      const [desk, laptop] = await deskAndLaptop(bench);
      laptop.write(later);
      await laptop.sync();
      desk.write({ ...later, 2: "the very last", 6: "otter" });
      await desk.sync();

      expect(changed(await laptop.sync(true))).toEqual([0, 0, 0]);
      expect(await texts(bench)).toContain("the very last");
    }));

  it("replaces no later value when it goes as far as the stored session", () =>
    withBench(async (bench) => {
      const [desk, laptop] = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])];
      for (const text of ["draft", "final"]) {
        desk.write({ ...old, 2: text });
        await desk.sync();
      }
      laptop.write(old);

      for (const isVerifying of [false, true]) {
        expect(changed(await laptop.sync(isVerifying))).toEqual([0, 0, 0]);
      }
      expect(await texts(bench)).toContain("final");
    }));

  it("does not count as older when its own machine verifies it, even after its state was lost", () =>
    withBench(async (bench) => {
      const [desk, laptop] = [machine(bench, "desk", ["desk"]), machine(bench, "laptop", ["lap"])];
      const forget = (): void => rmSync(join(bench.folder, "state-desk"), { recursive: true });
      const states = [later, { ...later, 2: "draft" }, later];
      for (const state of states) {
        desk.write(state);
        await desk.sync();
        forget();
      }
      expect(await texts(bench)).toContain("draft");
      laptop.write(later);
      expect(changed(await laptop.sync(true))).toEqual([0, 0, 0]);

      expect(changed(await desk.sync(true))).toEqual([0, 1, 0]);

      expect(await texts(bench)).toContain("final");
      for (const isVerifying of [true, false]) {
        expect(changed(await desk.sync(isVerifying))).toEqual([0, 0, 0]);
      }
    }));

  it("counts as older beside the session itself, also when verifying", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["desk"]);
      const copy = join(bench.folder, "desk", ".claude", "projects", "-a-copy", "s1.jsonl");
      const file = desk.write({ 1: "giraffes", 2: "a long draft" });
      const draft = readFileSync(file);
      await desk.sync();
      desk.write({ 1: "giraffes", 2: "final" });
      await desk.sync();
      mkdirSync(dirname(copy));
      writeFileSync(copy, draft);

      for (const isVerifying of [false, true, true]) {
        expect(changed(await desk.sync(isVerifying))).toEqual([0, 0, 0]);
      }
      expect(await texts(bench)).toEqual(["giraffes", "final"]);
    }));

  it("counts as older in a requested folder, also when verifying, after the client deleted the original", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["desk"]);
      const backup = join(bench.folder, "backup");
      const file = desk.write({ ...later, 2: "draft" });
      await desk.sync();
      cpSync(join(bench.folder, "desk"), backup, { recursive: true });
      desk.write(later);
      await desk.sync();
      rmSync(file);
      await desk.sync();

      expect(changed(await desk.sync(true, join(backup, ".claude")))).toEqual([0, 0, 0]);

      expect(await texts(bench)).toContain("final");
    }));

  it("no longer counts as older once it is edited, and may be edited back", () =>
    withBench(async (bench) => {
      const [desk, laptop] = await deskAndLaptop(bench);
      await laptop.sync();
      laptop.write({ ...old, 3: "lynx" });
      expect(changed(await laptop.sync())).toEqual([1, 0, 0]);
      for (const text of ["mine", "draft", "mine", "final"]) {
        laptop.write({ ...old, 2: text, 3: "lynx" });
        expect(changed(await laptop.sync())).toEqual([0, 1, 0]);
        expect(await texts(bench)).toContain(text);
      }
      for (const text of ["draft", "another", "draft"]) {
        desk.write({ ...later, 2: text });
        expect(changed(await desk.sync())).toEqual([0, 1, 0]);
      }
    }));

  it("does not count as older when a machine edits its own value back", () =>
    withBench(async (bench) => {
      const [desk] = await deskAndLaptop(bench);
      desk.write({ ...later, 2: "draft" });

      expect(changed(await desk.sync())).toEqual([0, 1, 0]);
      expect(await texts(bench)).toContain("draft");
    }));
});

describe("a session in several places of one machine", () => {
  it.each([
    ["first", ["home", "old"]],
    ["last", ["old", "home"]],
  ])(
    "shows the messages of the newest place when that is read %s, and adds nothing on later syncs",
    (_, homes) =>
      withBench(async (bench) => {
        const both = machine(bench, "desk", homes);
        both.write({ 1: "giraffes", 2: "draft" }, "old");
        both.write({ 1: "giraffes", 2: "final", 3: "zebras" }, "home");
        await both.sync();

        expect(await texts(bench)).toEqual(["giraffes", "final", "zebras"]);
        for (const isVerifying of [true, true, false]) {
          expect(changed(await both.sync(isVerifying))).toEqual([0, 0, 0]);
        }
        both.write({ 1: "giraffes", 2: "final", 3: "otters" }, "home");
        expect(changed(await both.sync())).toEqual([0, 1, 0]);
        expect(await texts(bench)).toEqual(["giraffes", "final", "otters"]);
      }),
  );

  it("takes from the older places only messages that are nowhere else", () =>
    withBench(async (bench) => {
      const both = machine(bench, "desk", ["home", "old"]);
      both.write({ 1: "giraffes", 3: "zebras", 4: "otters" }, "home");
      await both.sync();
      both.write({ 1: "a draft", 2: "elephants", 3: "zebras" }, "old");

      expect(changed(await both.sync())).toEqual([1, 0, 0]);

      expect(await texts(bench)).toEqual(["giraffes", "elephants", "zebras", "otters"]);
      const windows = await bench.sessions.store.table("windows").rows({ columns: ["text"] });
      const found = windows.map(({ text }) => String(text)).join("\n");
      expect(["giraf", "eleph", "zebra"].map((word) => found.includes(word))).not.toContain(false);
      expect(found).not.toContain("draft");
    }));

  it("goes by the first of two places that go equally far", () =>
    withBench(async (bench) => {
      const both = machine(bench, "desk", ["home", "old"]);
      both.write({ 1: "final" }, "home");
      both.write({ 1: "draft" }, "old");
      await both.sync();
      both.write({ 1: "other" }, "old");

      expect(changed(await both.sync(true))).toEqual([0, 0, 0]);
      expect(await texts(bench)).toEqual(["final"]);
    }));
});

describe("a copy of a session whose original is deleted", () => {
  async function pathOf({ sessions }: Bench): Promise<unknown> {
    const { session } = await getSession(sessions, "s1", { mode: "conversational" });
    return session.options["source"];
  }

  it.each([
    ["another folder of its home", ["home"], "home"],
    ["another home", ["home", "other"], "other"],
  ])("in %s becomes the place of the session", (_, homes, name) =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", homes);
      const file = desk.write({ 1: "giraffes", 2: "final" });
      await desk.sync();
      const folder = join(bench.folder, name, ".claude", "projects", "-work2");
      mkdirSync(folder, { recursive: true });
      cpSync(file, join(folder, "s1.jsonl"));
      expect(changed(await desk.sync())).toEqual([0, 0, 0]);
      expect(await pathOf(bench)).toMatchObject({ path: "-work/s1.jsonl" });
      rmSync(file);

      expect(changed(await desk.sync())).toEqual([0, 1, 0]);
      expect(await pathOf(bench)).toMatchObject({ path: "-work2/s1.jsonl" });
      expect(changesIn(await desk.sync())).toEqual({ sessions: expect.objectContaining({}) });
      expect(await texts(bench)).toEqual(["giraffes", "final"]);
    }),
  );

  it("becomes the place of the session although its last line was never finished", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["home", "other"]);
      const files = ["home", "other"].map((home) => desk.write({ 1: "giraffes" }, home));
      const before = new Date(Date.now() - 2 * 3_600_000);
      for (const file of files) {
        appendFileSync(file, '{"type":"us');
        utimesSync(file, before, before);
      }
      await desk.sync();
      const [original = ""] = files;
      rmSync(original);

      const bytes = [await desk.sync(), await desk.sync()].map(
        ({ adapters }) => adapters[0]?.bytes_read,
      );

      expect(bytes).toEqual([expect.any(Number), 0]);
      expect(bytes[0]).toBeGreaterThan(0);
    }));

  it("is read once more, and then not again", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["home", "other"]);
      for (const home of ["home", "other"]) desk.write({ 1: "giraffes" }, home);
      await desk.sync();
      rmSync(join(bench.folder, "home", ".claude", "projects", "-work", "s1.jsonl"));

      const bytes = [await desk.sync(), await desk.sync()].map(
        ({ adapters }) => adapters[0]?.bytes_read,
      );

      expect(bytes).toEqual([expect.any(Number), 0]);
      expect(bytes[0]).toBeGreaterThan(0);
    }));

  it.each([
    ["shorter", "fin"],
    ["as long", "sketch"],
  ])("does not undo an edit of the original to a text that is %s", (_, edited) =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["home", "old"]);
      for (const home of ["home", "old"]) desk.write({ 1: "giraffes", 2: "draft." }, home);
      await desk.sync();
      const file = desk.write({ 1: "giraffes", 2: edited });
      expect(changed(await desk.sync())).toEqual([0, 1, 0]);
      rmSync(file);

      expect(changed(await desk.sync())).toEqual([0, 0, 0]);
      expect(await texts(bench)).toEqual(["giraffes", edited]);
    }),
  );

  it("does not undo later values when it is older", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["home", "old"]);
      const file = desk.write({ 1: "giraffes", 2: "final", 3: "zebras" });
      desk.write({ 1: "giraffes", 2: "draft" }, "old");
      await desk.sync();
      rmSync(file);

      expect(changed(await desk.sync())).toEqual([0, 0, 0]);
      expect(await texts(bench)).toEqual(["giraffes", "final", "zebras"]);
    }));
});

describe("a folder that is synced by itself", () => {
  const live = { 1: "giraffes", 2: "final", 4: "zebras" };
  const backup = { 1: "giraffes", 2: "draft", 3: "lynx" };

  /** The live home, synced, and an older copy of it. */
  function desk(
    bench: Bench,
  ): Machine & { syncBackup(isVerifying?: boolean): Promise<SyncReport> } {
    const home = machine(bench, "desk", ["home"]);
    const old = join(bench.folder, "old", ".claude");
    mkdirSync(join(old, "projects", "-work"), { recursive: true });
    return { ...home, syncBackup: (isVerifying) => home.sync(isVerifying, old) };
  }

  it("adds messages that are nowhere else, and no older values", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      write(live);
      await sync();
      write(backup, "old");

      expect(changed(await syncBackup())).toEqual([1, 0, 0]);

      expect(await texts(bench)).toEqual(["giraffes", "final", "zebras", "lynx"]);
      for (const again of [syncBackup, sync]) expect(changed(await again(true))).toEqual([0, 0, 0]);
      write({ ...live, 2: "another" });
      expect(changed(await sync())).toEqual([0, 1, 0]);
      write({ ...backup, 2: "an older draft" }, "old");
      expect(changed(await syncBackup())).toEqual([0, 0, 0]);
      write({ 1: "giraffes" }, "old");
      expect(changed(await syncBackup())).toEqual([0, 0, 0]);
      expect(await texts(bench)).toEqual(["giraffes", "another", "zebras", "lynx"]);
    }));

  it("does not bring back messages that the client deleted, and lets the client delete more", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      write({ ...live, 3: "lynx" });
      await sync();
      write(live);
      expect(changed(await sync())).toEqual([0, 0, 1]);
      write({ ...live, 3: "lynx" }, "old");

      expect(changed(await syncBackup())).toEqual([0, 0, 0]);

      write({ 1: "giraffes", 4: "zebras" });
      expect(changed(await sync())).toEqual([0, 0, 1]);
      expect(await texts(bench)).toEqual(["giraffes", "zebras"]);
    }));

  it.each([
    ["folder", "home", "old"],
    ["home", "old", "home"],
  ])("does not prevent the full text of the %s from being stored", (_, shorter, longer) =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      write({ 1: "giraffes", 2: "I begin" }, shorter);
      write({ 1: "giraffes", 2: "I begin, and come to the end" }, longer);
      const syncs = shorter === "home" ? [sync, syncBackup] : [syncBackup, sync];

      for (const each of syncs) await each();

      expect(await texts(bench)).toEqual(["giraffes", "I begin, and come to the end"]);
      for (const each of syncs) expect(changed(await each(true))).toEqual([0, 0, 0]);
    }),
  );

  it("does not bring back a deleted end, and later deletions count once the home goes further", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      for (const home of ["home", "old"]) write({ ...live, 5: "lynx" }, home);
      await sync();
      write({ ...live, 2: "edited" });
      expect(changed(await sync())).toEqual([0, 1, 1]);

      expect(changed(await syncBackup())).toEqual([0, 0, 0]);
      expect(await texts(bench)).toEqual(["giraffes", "edited", "zebras"]);

      write({ ...live, 5: "lynx", 6: "otter" }, "old");
      await syncBackup();
      write({ 1: "giraffes", 4: "zebras" });
      expect(changed(await sync())).toEqual([0, 0, 0]);
      write({ 1: "giraffes", 4: "zebras", 7: "walrus" });
      expect(changed(await sync())).toEqual([1, 0, 1]);
    }));

  it("is compared with what a home held before its records were damaged", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      const file = write(live);
      await sync();
      write(backup, "old");
      writeFileSync(file, "not a record\n");
      await sync();

      expect(changed(await syncBackup())).toEqual([1, 0, 0]);
      expect(await texts(bench)).toContain("final");
    }));

  it("removes nothing that the home holds", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      const all = { 1: "giraffes", 2: "elephants", 3: "zebras" };
      for (const home of ["home", "old"]) write(all, home);
      for (const each of [sync, syncBackup]) await each();
      write({ 1: "giraffes", 3: "zebras", 4: "otters" }, "old");

      expect(changed(await syncBackup())).toEqual([1, 0, 0]);
      expect(await texts(bench)).toEqual(["giraffes", "elephants", "zebras", "otters"]);
    }));

  it("stops changing anything beside another such folder that goes equally far", () =>
    withBench(async (bench) => {
      const { write, sync } = desk(bench);
      const [one, two] = ["home", "old"].map((home) => join(bench.folder, home, ".claude"));
      write({ 1: "giraffes", 2: "twoA" });
      write({ 1: "giraffes", 2: "twoB" }, "old");
      for (const path of [one, two, one, two]) await sync(true, path);

      for (const path of [one, two]) expect(changed(await sync(true, path))).toEqual([0, 0, 0]);
    }));

  it("is not compared with a home that is gone", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      write(live);
      await sync();
      renameSync(join(bench.folder, "home"), join(bench.folder, "away"));
      write(backup, "old");

      expect(changed(await syncBackup())).toEqual([1, 1, 0]);
      expect(await texts(bench)).toContain("draft");
    }));

  it("is not compared with itself when it is part of a home", () =>
    withBench(async (bench) => {
      const { write, sync } = desk(bench);
      const file = write(live);
      await sync();

      write({ ...live, 2: "another" });
      expect(changed(await sync(false, file))).toEqual([0, 1, 0]);
      write({ ...live, 2: "a third" });
      expect(changed(await sync())).toEqual([0, 1, 0]);
    }));

  it("is not compared with a session that is gone from its home", () =>
    withBench(async (bench) => {
      const { write, sync, syncBackup } = desk(bench);
      const file = write(live);
      await sync();
      rmSync(file);
      await sync();
      write(backup, "old");

      expect(changed(await syncBackup())).toEqual([1, 1, 0]);
    }));
});

it("removes nothing from a session when the file of another session now holds its beginning", () =>
  withBench(async (bench) => {
    bench.write("other", line("other", "z", "of another"));
    bench.write("s1", line("s1", "1", "giraffes"), line("s1", "2", "elephants"));
    await bench.sync();
    bench.append("other", "overwritten");
    const wrap = (reader: Reader): Reader => ({
      ...reader,
      async *read(key, signal) {
        const isOther = key === "-work/other.jsonl";
        for await (const event of reader.read(isOther ? "-work/s1.jsonl" : key, signal)) {
          if (isOther && event.kind === "message" && event.message.id === "2") return;
          yield event;
        }
      },
    });

    expect(changed(await bench.sync({ wrap }))).toEqual([0, 0, 0]);
    expect(await texts(bench)).toEqual(["giraffes", "elephants"]);
  }));

it("marks messages as gone that were deleted while the session's folder was away", () =>
  withBench(async (bench) => {
    const desk = machine(bench, "desk", ["desk"]);
    const file = desk.write({ 1: "giraffes", 2: "elephants", 3: "zebras" });
    await desk.sync();
    const [projects, away] = [dirname(dirname(file)), join(bench.folder, "away")];
    renameSync(projects, away);
    mkdirSync(projects);
    await desk.sync();
    rmSync(projects, { recursive: true });
    renameSync(away, projects);
    desk.write({ 1: "giraffes", 3: "zebras" });

    expect(changed(await desk.sync())).toEqual([0, 0, 1]);
    expect(await texts(bench)).toEqual(["giraffes", "zebras"]);
  }));

it.each([
  ["is empty", ""],
  ["cannot be read", "not a record\n"],
])("marks deleted messages as gone although the file %s for a while", (_, content) =>
  withBench(async (bench) => {
    const desk = machine(bench, "desk", ["desk"]);
    const file = desk.write({ 1: "giraffes", 2: "elephants", 3: "zebras" });
    await desk.sync();
    writeFileSync(file, content);
    await desk.sync();
    desk.write({ 1: "giraffes", 3: "zebras" });

    expect(changed(await desk.sync())).toEqual([0, 0, 1]);
    expect(await texts(bench)).toEqual(["giraffes", "zebras"]);
  }),
);

describe("a sync after one by an older version", () => {
  it("marks messages deleted since then as gone", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["desk"]);
      desk.write({ 1: "giraffes", 2: "elephants", 3: "zebras" });
      await desk.sync();
      forgetHeld(join(bench.folder, "state-desk"));

      desk.write({ 1: "giraffes", 3: "zebras" });
      expect(changed(await desk.sync())).toEqual([0, 0, 1]);
      desk.write({ 1: "giraffes" });
      expect(changed(await desk.sync())).toEqual([0, 0, 1]);
      expect(await texts(bench)).toEqual(["giraffes"]);
    }));

  it("removes nothing that another place of the session may hold", () =>
    withBench(async (bench) => {
      const desk = machine(bench, "desk", ["home", "old"]);
      for (const home of ["home", "old"]) desk.write({ 1: "giraffes", 2: "elephants" }, home);
      await desk.sync();
      forgetHeld(join(bench.folder, "state-desk"));

      desk.write({ 1: "giraffes" }, "home");
      expect(changed(await desk.sync())).toEqual([0, 0, 0]);
    }));
});

/** Leaves the state files as versions wrote them that noted neither what was held nor how far it went. */
function forgetHeld(stateDirectory: string): void {
  for (const name of readdirSync(stateDirectory)) {
    const file = join(stateDirectory, name);
    const isOfToday = (key: string): boolean => key === "held" || key === "extent";
    const without = (key: string, value: unknown): unknown => (isOfToday(key) ? undefined : value);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"), without)));
  }
}
