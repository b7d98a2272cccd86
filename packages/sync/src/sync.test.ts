import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { partsOf } from "@pond/canonical";
import type { Reader } from "@pond/canonical/adapter";
import {
  createIngest,
  loadLineage,
  openSessions,
  type SessionStore,
  type StoredState,
} from "@pond/sessions";
import { describe, expect, it, vi } from "vitest";
import { type FakeOptions, fakeEmbedder, ModelMissingError } from "./embed.test-kit.ts";
import { BothFailedError } from "./errors.ts";
import type { PlannedCounts } from "./import.ts";
import { emptyReport } from "./report.ts";
import { SeenSessions } from "./seen-sessions.ts";
import { type Bench, changesIn, claudeCode, line, stateFiles, withBench } from "./sync.test-kit.ts";
import { previewSync, type SyncOptions, sync } from "./sync.ts";

const counts = { seen: 0, new: 0, grown: 0, unchanged: 0, pending: 0, failed: 0 };

function writeTwo(bench: Bench): void {
  bench.write("s1", line("s1", "a", "How do ponds freeze?"), line("s1", "b", "From the top."));
  bench.write("s2", line("s2", "a", "And rivers?"));
}

/** What another machine stores: a session of so many messages. */
async function ingestOther(sessions: SessionStore, messages: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pond-other-"));
  try {
    const lines = Array.from({ length: messages }, (_, at) => line("s9", `m${at}`, "Elsewhere."));
    const file = join(folder, "s9.jsonl");
    writeFileSync(file, lines.map((each) => `${each}\n`).join(""));
    const ingest = createIngest(sessions, { host: "other", now: () => new Date() });
    await ingest.session(claudeCode.from(folder).read("s9.jsonl"), {
      isUnchanged: async () => true,
      onCommitted: () => undefined,
    });
    await ingest.finish();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A reader that fails the test when a session is read. */
const unread = (reader: Reader): Reader => ({
  ...reader,
  read: (key) => expect.fail(`${key} was read`),
});

/** What is shown of each message of a session, or what its source said first. */
async function textsOf(
  { sessions }: Bench,
  id: string,
  at: StoredState,
): Promise<Record<string, string>> {
  const { root } = await loadLineage(sessions, id, { at });
  return Object.fromEntries(
    root.messages.map((message) => [
      message.id,
      partsOf(message)
        .map((part) => (part.type === "text" ? part.text : part.type))
        .join(),
    ]),
  );
}

// Root reads every file, so a test becomes a user who may not.
const becomeNobody = process.getuid?.() === 0 ? process.seteuid : undefined;
const nobody = 65534;

/** Runs as that user, to whom the folder and all in it belongs then. */
async function asNobody<T>(folder: string, run: () => Promise<T>): Promise<T> {
  if (becomeNobody === undefined) return run();
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const path of ["", ...all]) chownSync(join(folder, path), nobody, nobody);
  becomeNobody(nobody);
  try {
    return await run();
  } finally {
    becomeNobody(0);
  }
}

describe("sync", () => {
  it("stores new sessions and reports them", () =>
    withBench(async (bench) => {
      writeTwo(bench);

      const report = await bench.sync();

      expect(report).toEqual({
        adapters: [
          {
            name: "claude-code",
            sessions: { ...counts, seen: 2, new: 2 },
            messages_added: 3,
            parts_added: 3,
            revisions: 0,
            tombstones: 0,
            mended: 0,
            deferred: 0,
            rejected: 0,
            bytes_read: report.adapters[0]?.bytes_read,
            accounting: { ...emptyReport("").accounting, read: 3, stored: 3 },
            faults: [],
            faults_omitted: 0,
            leftovers: 0,
          },
        ],
        embedded: 0,
        indexes: expect.arrayContaining([
          { table: "sessions", created: expect.any(Array), folded: false },
        ]),
        duration_ms: 0,
      });
    }));

  it("announces how much it will read, and waits, before it reads any session", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const reported: PlannedCounts[] = [];
      const onPlanned = async (planned: PlannedCounts): Promise<void> => {
        reported.push(planned);
        throw new Error("not now");
      };

      await expect(bench.sync({ wrap: unread, onPlanned })).rejects.toThrow("not now");

      expect(reported).toEqual([{ sessions: 2, bytes: expect.any(Number) }]);
      expect(reported[0]?.bytes).toBeGreaterThan(100);
    }));

  it("reads nothing the second time", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();

      const again = await bench.sync({ wrap: unread });

      expect(changesIn(again)).toEqual({ sessions: { ...counts, seen: 2, unchanged: 2 } });
    }));

  it("reads only the session that grew", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      bench.append("s2", line("s2", "b", "From the banks."));

      const grown = await bench.sync();

      expect(changesIn(grown)).toEqual({
        sessions: { ...counts, seen: 2, grown: 1, unchanged: 1 },
        messages_added: 1,
        parts_added: 1,
      });
    }));

  it("keeps what its source rewrote or dropped, beside a revision or a tombstone (`adapter-integrity-additive-sync`)", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      const table = bench.sessions.store.table("messages");
      const columns = ["session_id", "id", "ordinal", "content", "digest"];
      const before = await table.rows({ columns });
      bench.write("s1", line("s1", "a", "How do lakes freeze?"));

      const rewritten = await bench.sync();

      expect(changesIn(rewritten)).toEqual({
        sessions: { ...counts, seen: 2, grown: 1, unchanged: 1 },
        revisions: 1,
        tombstones: 1,
      });
      expect(await table.rows({ columns })).toEqual(expect.arrayContaining(before));
      expect(await textsOf(bench, "s1", "last")).toEqual({ a: "How do lakes freeze?" });
      expect(await textsOf(bench, "s1", "first")).toEqual({
        a: "How do ponds freeze?",
        b: "From the top.",
      });
    }));

  it("removes nothing that another file of the same session may hold", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "How do ponds freeze?"), line("s1", "b", "From the top."));
      const copy = join(bench.folder, "home", ".claude", "projects", "-copy", "s1.jsonl");
      mkdirSync(dirname(copy));
      writeFileSync(copy, `${line("s1", "a", "How do ponds freeze?")}\n`);
      await bench.sync();
      bench.append("s1", line("s1", "c", "Thanks."));
      writeFileSync(copy, `${line("s1", "a", "How do ponds freeze?")}\n\n`);

      const after = await bench.sync();

      expect(changesIn(after)).toMatchObject({ messages_added: 1 });
      expect(changesIn(after)).not.toHaveProperty("tombstones");
    }));

  it("treats a file that was moved and rewritten as the same file", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      bench.remove("s1");
      const moved = join(bench.folder, "home", ".claude", "projects", "-moved", "s1.jsonl");
      mkdirSync(dirname(moved));
      writeFileSync(moved, `${line("s1", "a", "How do lakes freeze?")}\n`);

      const after = await bench.sync();

      expect(changesIn(after)).toMatchObject({ tombstones: 1 });
      expect(changesIn(after)).not.toHaveProperty("messages_added");
    }));

  it("removes nothing from a session when both of its two files moved", () =>
    withBench(async (bench) => {
      const projects = join(bench.folder, "home", ".claude", "projects");
      const places = [line("s1", "b", "In one."), line("s1", "c", "In the other.")];
      const put = (suffix: string): void => {
        for (const [at, own] of places.entries()) {
          mkdirSync(join(projects, `-${at}${suffix}`));
          const text = `${line("s1", "a", "In both.")}\n${own}\n`;
          writeFileSync(join(projects, `-${at}${suffix}`, "s1.jsonl"), text);
        }
      };
      put("");
      await bench.sync();
      for (const at of places.keys()) rmSync(join(projects, `-${at}`), { recursive: true });
      put("-moved");

      expect(changesIn(await bench.sync())).not.toHaveProperty("tombstones");
    }));

  it("removes nothing that is still in one of two places to which a session was moved", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      bench.remove("s1");
      const both = [line("s1", "a", "How do ponds freeze?"), line("s1", "b", "From the top.")];
      for (const [at, lines] of [both, both.slice(0, 1)].entries()) {
        const place = join(bench.folder, "home", ".claude", "projects", `-place-${at}`);
        mkdirSync(place);
        writeFileSync(join(place, "s1.jsonl"), lines.map((each) => `${each}\n`).join(""));
      }

      expect(changesIn(await bench.sync())).not.toHaveProperty("tombstones");
    }));

  it("keeps files beside a log after the client deletes them for their age (`session-durable-copy`)", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "How do ponds freeze?"));
      const output = join(bench.folder, "home/.claude/projects/-work/s1/tool-results/toolu_01.txt");
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, "ice");
      await bench.sync();
      rmSync(output);
      bench.write("s1", line("s1", "a", "How do lakes freeze?"));

      const after = await bench.sync();

      expect(changesIn(after)).toMatchObject({ revisions: expect.any(Number) });
      expect(changesIn(after)).not.toHaveProperty("tombstones");
      const { root } = await loadLineage(bench.sessions, "s1");
      expect(root.messages.map(({ id }) => id)).toContain("sidecar:s1/tool-results/toolu_01.txt");
    }));

  it("reads again what a store set back to a backup lacks, although others have added more since", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      const backup = join(bench.folder, "backup");
      cpSync(join(bench.folder, "store"), backup, { recursive: true });
      bench.append("s1", line("s1", "c", "Slowly."));
      await bench.sync();
      const setBack = await openSessions(backup, { mode: "write" });
      try {
        await ingestOther(setBack, 5);
        const options = { stateDirectory: bench.stateDirectory, host: "bench" };
        const now = (): Date => new Date("2026-11-21T12:00:00Z");

        const report = await sync(setBack, bench.sources(), { ...options, now });

        expect(changesIn(report)).toMatchObject({ messages_added: 1 });
      } finally {
        setBack.close();
      }
    }));

  it.each(
    [["parts"], ["sessions"], ["messages"], ["parts", "sessions"]].flatMap((tables) => [
      [tables, "", async () => undefined] as const,
      [tables, ", though others have added more since", ingestOther] as const,
      [tables, ", where nothing is remembered", undefined] as const,
    ]),
  )("brings back rows that only the tables %j lost%s", (tables, _, ingest) =>
    withBench(async (bench) => {
      const { folder, sessions, stateDirectory } = bench;
      writeTwo(bench);
      await bench.sync();
      const [store, backup, mixed] = ["store", "backup", "mixed"].map((name) => join(folder, name));
      cpSync(store ?? "", backup ?? "", { recursive: true });
      bench.append("s1", line("s1", "c", "Slowly."));
      bench.write("s3", line("s3", "a", "And lakes?"));
      await bench.sync();
      cpSync(store ?? "", mixed ?? "", { recursive: true });
      for (const table of tables) {
        const place = join(mixed ?? "", `${table}.lance`);
        rmSync(place, { recursive: true });
        cpSync(join(backup ?? "", `${table}.lance`), place, { recursive: true });
      }
      if (ingest === undefined) rmSync(stateDirectory, { recursive: true });
      const setBack = await openSessions(mixed ?? "", { mode: "write" });
      try {
        await ingest?.(setBack, 9);
        const now = (): Date => new Date("2026-11-21T12:00:00Z");
        const syncBack = (wrap?: (reader: Reader) => Reader) =>
          sync(setBack, bench.sources(wrap), { stateDirectory, host: "bench", now });

        await syncBack();

        for (const id of ["s1", "s2", "s3"]) {
          expect(await loadLineage(setBack, id)).toEqual(await loadLineage(sessions, id));
        }
        await syncBack(unread);
      } finally {
        setBack.close();
      }
    }),
  );

  it("removes nothing when a source is gone", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      bench.remove("s1");

      const after = await bench.sync();

      expect(changesIn(after)).toEqual({ sessions: { ...counts, seen: 1, unchanged: 1 } });
      expect(await bench.sessions.store.table("messages").count()).toBe(3);
    }));

  it.each<[string, FakeOptions, Partial<SyncOptions>, number | undefined]>([
    ["those without a vector", {}, {}, 1],
    ["all for another model", { modelId: "model-b" }, {}, 4],
    ["all for another dimension", { dimension: 8 }, {}, 4],
    ["all when forced", {}, { isEmbedForced: true }, 4],
    ["no number if embedding is not a stage", {}, { stages: ["import"] }, undefined],
  ])("previews how many stored messages to embed: %s", (_, options, more, expected) =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync({ embedder: fakeEmbedder() });
      bench.append("s2", line("s2", "b", "From the banks."));
      await bench.sync();
      const embedder = fakeEmbedder(options);
      const { sessions, stateDirectory } = bench;
      const all = { stateDirectory, host: "bench", now: () => new Date(0), embedder, ...more };

      const report = await previewSync(sessions, bench.sources(unread), all);

      expect(report.embedding?.remaining).toBe(expected);
      expect([report.embedded, embedder.calls]).toEqual([0, []]);
    }),
  );

  it("previews no source when the import stage is left out", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const { stateDirectory } = bench;
      const embedder = fakeEmbedder();
      const options = { stateDirectory, host: "bench", now: () => new Date(0), embedder };

      const report = await previewSync(undefined, bench.sources(unread), {
        ...options,
        stages: ["embed"],
      });

      expect(report).toMatchObject({ adapters: [], embedding: { remaining: 0 } });
    }));

  it("repeats the faults of an unchanged session without reading it", () =>
    withBench(async (bench) => {
      const file = bench.write("s1", line("s1", "a", "x"), "{ broken", line("s1", "b", "y"));
      const first = await bench.sync();

      const again = await bench.sync({ wrap: unread });

      const faults = [
        {
          adapter: "claude-code",
          location: `${file}:2`,
          code: "source_fault",
          message: expect.stringMatching(/^not JSON.*\(byte \d+\)$/),
        },
      ];
      expect(changesIn(first)).toEqual({
        sessions: { ...counts, seen: 1, new: 1 },
        messages_added: 2,
        parts_added: 2,
        faults,
      });
      expect(changesIn(again)).toEqual({
        sessions: { ...counts, seen: 1, unchanged: 1 },
        faults,
      });
    }));

  it("reads a session with faults again when another version of the program runs", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "x"), "{ broken");
      bench.write("s2", line("s2", "a", "x"));
      await bench.sync({ software: "pond 1" });
      const read: string[] = [];
      const noting = (reader: Reader): Reader => ({
        ...reader,
        read(key, signal) {
          read.push(key);
          return reader.read(key, signal);
        },
      });

      await bench.sync({ software: "pond 2", wrap: noting });
      await bench.sync({ software: "pond 2", wrap: noting });

      expect(read).toEqual(["-work/s1.jsonl"]);
    }));

  it("counts a session of which nothing can be stored as failed, also the second time", () =>
    withBench(async (bench) => {
      bench.write("s1", "not one line of it");

      const first = await bench.sync();
      const again = await bench.sync({ wrap: unread });

      for (const report of [first, again]) {
        expect(report.adapters[0]?.sessions).toEqual({ ...counts, seen: 1, failed: 1 });
        expect(report.adapters[0]?.faults.length).toBeGreaterThan(0);
      }
    }));

  it("lists a hundred faults of a session and counts the others", () =>
    withBench(async (bench) => {
      const broken = Array.from({ length: 130 }, () => "{ broken");
      bench.write("s1", line("s1", "a", "x"), ...broken);

      const [report] = (await bench.sync()).adapters;

      expect([report?.faults.length, report?.faults_omitted]).toEqual([100, 30]);
    }));

  it("reads a file again that could not be opened, though it looks the same", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const locked = (reader: Reader): Reader => ({
        ...reader,
        async *read() {
          yield* [];
          throw Object.assign(new Error("EACCES: permission denied"), { syscall: "open" });
        },
      });
      const first = await bench.sync({ wrap: locked });

      const again = await bench.sync();

      expect(first.adapters[0]?.sessions).toEqual({ ...counts, seen: 2, failed: 2 });
      expect(first.adapters[0]?.faults.map(({ message }) => message)).toEqual([
        "EACCES: permission denied",
        "EACCES: permission denied",
      ]);
      expect(again.adapters[0]?.sessions).toEqual({ ...counts, seen: 2, new: 2 });
    }));

  it("skips a line that is still being written, and stores it when it is complete", () =>
    withBench(async (bench) => {
      const whole = line("s1", "b", "y");
      const file = bench.write("s1", line("s1", "a", "x"), whole);
      truncateSync(file, Buffer.byteLength(`${line("s1", "a", "x")}\n`) + 20);
      const live = await bench.sync();
      const quiet = await bench.sync({ wrap: unread });
      bench.write("s1", line("s1", "a", "x"), whole);

      const done = await bench.sync();

      expect(changesIn(live)).toEqual({
        sessions: { ...counts, seen: 1, new: 1, pending: 1 },
        messages_added: 1,
        parts_added: 1,
      });
      expect(changesIn(quiet)).toEqual({
        sessions: { ...counts, seen: 1, unchanged: 1, pending: 1 },
      });
      expect(changesIn(done)).toEqual({
        sessions: { ...counts, seen: 1, grown: 1 },
        messages_added: 1,
        parts_added: 1,
      });
    }));

  it("reports a line that was never finished once, and when it verifies", () =>
    withBench(async (bench) => {
      const file = bench.write("s1", line("s1", "a", "x"), line("s1", "b", "y"));
      await bench.sync();
      truncateSync(file, Buffer.byteLength(`${line("s1", "a", "x")}\n`) + 20);
      const before = new Date(Date.now() - 2 * 3_600_000);
      utimesSync(file, before, before);

      const [torn, quiet, verified] = [
        await bench.sync(),
        await bench.sync({ wrap: unread }),
        await bench.sync({ isVerifying: true }),
      ];

      const fault = { location: `${file}:2`, is_leftover: true };
      for (const { adapters } of [torn, verified]) {
        expect(adapters[0]).toMatchObject({ faults: [fault], leftovers: 1, tombstones: 0 });
        expect(adapters[0]?.sessions).toEqual({ ...counts, seen: 1, unchanged: 1 });
      }
      expect(quiet.adapters[0]).toMatchObject({ faults: [], leftovers: 0 });
    }));

  it("reads a pending session again after an hour", () =>
    withBench(async (bench) => {
      writeFileSync(bench.write("s1"), `${line("s1", "a", "x")}\n{"type":"us`);
      await bench.sync();
      let reads = 0;
      const counting = (reader: Reader): Reader => ({
        ...reader,
        read(key, signal) {
          reads += 1;
          return reader.read(key, signal);
        },
      });

      await bench.sync({ wrap: counting, now: () => new Date("2026-11-20T12:59:59Z") });
      const early = reads;
      await bench.sync({ wrap: counting, now: () => new Date("2026-11-20T13:00:00Z") });

      expect([early, reads]).toEqual([0, 1]);
    }));

  it.each([
    ["lost", (file: string) => rmSync(file)],
    ["damaged", (file: string) => truncateSync(file, 20)],
  ])("adds nothing when the state file is %s", (_, damage) =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();
      for (const file of stateFiles(bench)) damage(file);

      const again = await bench.sync();

      expect(changesIn(again)).toEqual({ sessions: { ...counts, seen: 2, unchanged: 2 } });
    }),
  );

  it("reads everything again to verify", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      await bench.sync();

      const verified = await bench.sync({ isVerifying: true });

      expect(changesIn(verified)).toEqual({ sessions: { ...counts, seen: 2, unchanged: 2 } });
      expect(verified.adapters[0]?.bytes_read).toBeGreaterThan(0);
    }));

  it("keeps what it has read when it is stopped, and the next sync continues from there", () =>
    withBench(async (bench) => {
      for (let at = 0; at < 5; at++) bench.write(`s${at}`, line(`s${at}`, "a", "x"));
      const controller = new AbortController();
      let reads = 0;
      const stopping = (reader: Reader): Reader => ({
        ...reader,
        read(key, signal) {
          reads += 1;
          if (reads === 3) controller.abort();
          return reader.read(key, signal);
        },
      });

      await expect(bench.sync({ wrap: stopping, signal: controller.signal })).rejects.toThrow(
        /abort/i,
      );
      const after = await bench.sync();

      expect(after.adapters[0]?.sessions).toEqual({ ...counts, seen: 5, new: 3, unchanged: 2 });
    }));

  it("notes the current number of stored messages with each save, midway too", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const saved: (readonly [number, number])[] = [];
      const { save } = SeenSessions.prototype;
      const spy = vi.spyOn(SeenSessions.prototype, "save").mockImplementation(async function (
        this: SeenSessions,
        stored,
      ) {
        saved.push([stored.rows.messages, await bench.sessions.store.table("messages").count()]);
        await save.call(this, stored);
      });
      let hours = 0;
      await bench.sync({ now: () => new Date(Date.UTC(2026, 10, 20, hours++)) });
      spy.mockRestore();

      expect(saved).toHaveLength(3);
      expect(saved.map(([reported]) => reported)).toEqual(saved.map(([, there]) => there));
    }));

  it.each(["file", "file/state"])(
    "reports an unwritable state after storing everything, or throws if no handler is given: %s",
    (place) =>
      withBench(async (bench) => {
        writeTwo(bench);
        writeFileSync(join(bench.folder, "file"), "no folder");
        const stateDirectory = join(bench.folder, place);
        const reported: unknown[] = [];

        const onStateSaveFailed = (error: unknown): void => void reported.push(error);
        const first = await bench.sync({ stateDirectory, onStateSaveFailed });
        const again = bench.sync({ stateDirectory });

        expect(first.adapters[0]?.sessions.new).toBe(2);
        expect(first.indexes.length).toBeGreaterThan(0);
        expect(reported).toEqual([expect.objectContaining({ syscall: expect.any(String) })]);
        await expect(again).rejects.toThrow(stateDirectory);
      }),
  );

  it("runs only the requested stages", () =>
    withBench(async (bench) => {
      writeTwo(bench);

      const indexes = await bench.sync({ stages: ["update-indexes"] });
      const imported = await bench.sync({ stages: ["import"] });

      expect([indexes.adapters, imported.indexes]).toEqual([[], []]);
      expect(imported.adapters[0]?.sessions.new).toBe(2);
    }));

  it("removes what an earlier fold left before it stores anything", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const messages = bench.sessions.store.table("messages");
      const rows: number[] = [];
      const clean = vi.spyOn(messages, "clean").mockImplementation(async () => {
        rows.push(await messages.count());
        return false;
      });

      await bench.sync();
      bench.append("s2", line("s2", "b", "From the banks."));
      await bench.sync();
      await bench.sync({ stages: ["update-indexes"] });
      clean.mockRestore();

      expect(rows).toEqual([0, 3]);
    }));

  it("stores and indexes new messages when cleaning up fails, and then throws", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const messages = bench.sessions.store.table("messages");
      const clean = vi.spyOn(messages, "clean").mockRejectedValue(new Error("no permission"));

      const failed = bench.sync({ isFoldForced: true });

      await expect(failed).rejects.toThrow(/^no permission$/);
      expect(await messages.count()).toBe(3);
      const { indexes } = await messages.health();
      expect(indexes.filter(({ unindexedRows }) => unindexedRows > 0)).toEqual([]);
      clean.mockRestore();
    }));

  it("reports on an adapter that has no source here", () =>
    withBench(async (bench) => {
      const report = await sync(bench.sessions, [], {
        stateDirectory: bench.stateDirectory,
        adapters: ["codex"],
        host: "bench",
        now: () => new Date(0),
      });

      expect(report.adapters).toMatchObject([{ name: "codex", sessions: counts, faults: [] }]);
    }));

  it("embeds what it stored before it brings the indexes up to date", () =>
    withBench(async (bench) => {
      writeTwo(bench);

      const report = await bench.sync({ embedder: fakeEmbedder(), isFoldForced: true });

      expect(report).toMatchObject({ embedded: 3, embedding: { model: "model-a", remaining: 0 } });
      const { indexes } = await bench.sessions.store.table("messages").health();
      expect(indexes.filter(({ unindexedRows }) => unindexedRows > 0)).toEqual([]);
      const again = await bench.sync({ embedder: fakeEmbedder() });
      expect([again.embedded, again.embedding?.remaining]).toEqual([0, 0]);
      const forced = await bench.sync({ embedder: fakeEmbedder(), isEmbedForced: true });
      expect(forced.embedded).toBe(3);
    }));

  it("indexes the texts of even a few messages, and writes nothing on the next sync", () =>
    withBench(async (bench) => {
      const { store } = bench.sessions;
      const versions = (): Promise<number[]> =>
        Promise.all(["messages", "windows"].map((name) => store.table(name).version()));
      writeTwo(bench);
      await bench.sync();
      const first = await versions();

      await bench.sync();

      for (const name of ["messages", "windows"]) {
        const { indexes, rows } = await store.table(name).health();
        const { indexedRows } = indexes.find(({ kind }) => kind === "FTS") ?? {};
        expect([rows > 0, indexedRows]).toEqual([true, rows]);
      }
      expect(await versions()).toEqual(first);
    }));

  it("reports progress on mending an earlier version's rows, then the update-indexes stage again", () =>
    withBench(async (bench) => {
      const messages = bench.sessions.store.table("messages");
      messages.fold = async ({ onRewrite } = {}) => {
        for (const rows of [0, 400, 900]) onRewrite?.({ rows, total: 900 });
        return { table: "messages", created: [], isFolded: false };
      };

      await bench.sync({ stages: ["update-indexes"] });

      expect(bench.progress.slice(1, 5)).toEqual([
        { stage: "update-indexes", table: "messages" },
        { stage: "mend", table: "messages", rows: 0, total: 900 },
        { stage: "mend", table: "messages", rows: 400, total: 900 },
        { stage: "update-indexes", table: "messages" },
      ]);
    }));

  it("updates the indexes even when the embedder fails, and then throws", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const embedder = fakeEmbedder({
        before: () => {
          throw new ModelMissingError("no model");
        },
      });

      await expect(bench.sync({ embedder })).rejects.toThrow("no model");

      expect(bench.progress.at(-1)).toEqual({ stage: "update-indexes", table: "windows" });
      expect(changesIn(await bench.sync())).toEqual({
        sessions: { ...counts, seen: 2, unchanged: 2 },
      });
    }));

  it("throws one error with both causes when indexing fails after the embedder", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const embedder = fakeEmbedder({
        before: () => {
          bench.sessions.close();
          throw new ModelMissingError("no model");
        },
      });

      const error = await bench.sync({ embedder }).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(BothFailedError);
      expect(error).toMatchObject({
        code: "model_incomplete",
        message: expect.stringMatching(/^no model; and then: .*closed/),
        details: { second: { code: expect.any(String), message: expect.stringMatching(/closed/) } },
        errors: [{ message: "no model" }, { message: expect.stringMatching(/closed/) }],
      });
    }));

  it("reports how many messages remain when embedding is interrupted", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const controller = new AbortController();
      const embedder = fakeEmbedder({
        maxTexts: 2,
        before: (_, calls) => {
          // The first call proves that the model works.
          if (calls === 2) controller.abort();
          return undefined;
        },
      });

      const report = await bench.sync({ embedder, signal: controller.signal });

      expect(report).toMatchObject({ embedded: 2, embedding: { remaining: 1 }, indexes: [] });
    }));

  it("embeds nothing when the embed stage is left out", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const embedder = fakeEmbedder();

      const report = await bench.sync({ embedder, stages: ["import", "update-indexes"] });

      expect([report.embedded, embedder.calls]).toEqual([0, []]);
    }));

  it("reports its progress", () =>
    withBench(async (bench) => {
      writeTwo(bench);

      await bench.sync();

      const imports = bench.progress.filter(({ stage }) => stage === "import");
      const before = { sessionsDone: 0, sessionsTotal: 2, messagesRead: 0 };
      const after = { sessionsDone: 2, sessionsTotal: 2, messagesRead: 3 };
      const adapter = "claude-code";
      expect(imports[0]).toMatchObject({ adapter, ...before, ofAdapter: before });
      expect(imports.at(-1)).toMatchObject({ adapter, ...after, ofAdapter: after });
    }));

  it.skipIf(process.platform === "win32")(
    "reports a folder and a file that it may not read, stores the rest, and stores them when it may",
    () =>
      withBench(async (bench) => {
        const projects = join(bench.folder, "home", ".claude", "projects");
        bench.write("s1", line("s1", "a", "x"));
        await bench.sync();
        bench.append("s1", line("s1", "b", "y"));
        const file = bench.write("s2", line("s2", "a", "x"));
        const folder = join(projects, "-closed");
        mkdirSync(folder);
        writeFileSync(join(folder, "s3.jsonl"), `${line("s3", "a", "x")}\n`);
        for (const each of [file, folder]) chmodSync(each, 0o000);

        const report = await asNobody(bench.folder, () => bench.sync());
        chmodSync(file, 0o600);
        chmodSync(folder, 0o700);
        const after = await bench.sync();

        expect(report.adapters[0]).toMatchObject({
          sessions: { ...counts, seen: 2, grown: 1, failed: 1 },
          messages_added: 1,
        });
        const faults = report.adapters[0]?.faults.map(({ location, message }) => [
          location,
          message,
        ]);
        expect(faults).toEqual([folder, file].map((each) => [each, "cannot be read (EACCES)"]));
        expect(changesIn(after)).toEqual({
          sessions: { ...counts, seen: 3, new: 2, unchanged: 1 },
          messages_added: 2,
          parts_added: 2,
        });
      }),
  );
});

describe("previewSync", () => {
  it("reports what would be read, and neither reads nor stores anything", () =>
    withBench(async (bench) => {
      writeTwo(bench);
      const options = {
        stateDirectory: bench.stateDirectory,
        host: "bench",
        now: () => new Date(0),
      };
      const before = await previewSync(undefined, bench.sources(unread), options);
      await bench.sync();
      bench.append("s2", line("s2", "b", "From the banks."));
      bench.write("s3", line("s3", "a", "x"));

      const after = await previewSync(bench.sessions, bench.sources(unread), options);

      expect(changesIn(before)).toEqual({ sessions: { ...counts, seen: 2, new: 2 } });
      expect(changesIn(after)).toEqual({
        sessions: { ...counts, seen: 3, new: 1, grown: 1, unchanged: 1 },
      });
      expect(await bench.sessions.store.table("messages").count()).toBe(3);
    }));

  it("counts a copy as grown when the next sync reads it as the only one left", () =>
    withBench(async (bench) => {
      const file = bench.write("s1", line("s1", "a", "How do ponds freeze?"));
      const copies = join(dirname(file), "..", "-copies");
      mkdirSync(copies);
      cpSync(file, join(copies, "s1.jsonl"));
      await bench.sync();
      rmSync(file);

      const report = await previewSync(bench.sessions, bench.sources(unread), {
        stateDirectory: bench.stateDirectory,
        host: "bench",
        now: () => new Date(0),
      });

      expect(changesIn(report)).toEqual({ sessions: { ...counts, seen: 1, grown: 1 } });
      expect((await bench.sync()).adapters[0]?.bytes_read).toBeGreaterThan(0);
    }));
});
