import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileFault, type Reader } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { line, withBench } from "./sync.test-kit.ts";
import { previewSync, type SyncOptions, sync } from "./sync.ts";

/** A reader of files that may not be opened. */
const locked = (reader: Reader): Reader => ({
  ...reader,
  async *read() {
    yield* [];
    throw Object.assign(new Error("EACCES: permission denied"), { syscall: "open" });
  },
});

const broken = (): never => {
  throw new Error("a defect");
};

it.each<[string, Partial<Reader>, number]>([
  ["it throws before it lists", { sessions: broken }, 0],
  [
    "it throws while it lists",
    {
      async *sessions() {
        yield* [];
        broken();
      },
    },
    0,
  ],
  [
    "it lists undefined",
    {
      async *sessions() {
        yield undefined as never;
      },
    },
    0,
  ],
  ["it throws when it reads", { read: broken }, 1],
  [
    "it reads undefined",
    {
      async *read() {
        yield undefined as never;
      },
    },
    1,
  ],
  [
    "it reads an unknown kind of event",
    {
      async *read() {
        yield { kind: "constructor" } as never;
      },
    },
    1,
  ],
])("reports a reader's defect as a fault of its own source alone: %s", (_, own, failed) =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const sources = bench
      .sources()
      .flatMap((source) => [
        { ...source, adapter: "broken", reader: { ...source.reader, ...own } },
        source,
      ]);
    const options = { stateDirectory: bench.stateDirectory, host: "h", now: () => new Date(0) };

    const { adapters } = await sync(bench.sessions, sources, options);

    expect(adapters).toMatchObject([
      { name: "broken", faults: [{ adapter: expect.anything(), code: "source_fault" }] },
      { name: "claude-code", sessions: { new: 1 }, faults: [] },
    ]);
    expect(adapters[0]?.sessions).toMatchObject({ new: 0, failed });
  }),
);

it("previews a verifying sync without counting an unchanged session as changed", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"), "no record");
    const { stateDirectory } = bench;
    const options = { stateDirectory, host: "bench", now: () => new Date(0), isVerifying: true };
    const [synced] = (await bench.sync()).adapters;

    const [previewed] = (await previewSync(bench.sessions, bench.sources(), options)).adapters;

    expect(previewed?.sessions).toMatchObject({ seen: 1, new: 0, grown: 0, unchanged: 1 });
    expect(synced?.faults).toHaveLength(1);
    expect(previewed?.faults).toEqual(synced?.faults);
  }));

it("previews a file that could not be opened as failed, and the next sync tries it again", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const { stateDirectory } = bench;
    const options = { stateDirectory, host: "bench", now: () => new Date(0) };
    const [synced] = (await bench.sync({ wrap: locked })).adapters;

    const [previewed] = (await previewSync(bench.sessions, bench.sources(), options)).adapters;
    const [again] = (await bench.sync()).adapters;

    expect(previewed?.sessions).toEqual(synced?.sessions);
    expect(previewed?.sessions).toMatchObject({ seen: 1, new: 0, grown: 0, failed: 1 });
    expect(previewed?.faults).toEqual(synced?.faults);
    expect(previewed?.faults).toHaveLength(1);
    expect(again?.sessions).toMatchObject({ seen: 1, new: 1, failed: 0 });
  }));

/** A reader that names what its client left behind. */
const leaving = (reader: Reader, places: readonly string[]): Reader => ({
  ...reader,
  async *sessions(signal) {
    yield* reader.sessions(signal);
    for (const place of places) {
      yield { ...fileFault("claude-code", place, "taken back"), isLeftover: true };
    }
  },
});

it("reports a client's leftovers a hundred at a time, whatever other faults there are", () =>
  withBench(async (bench) => {
    bench.write("s1", ...Array.from({ length: 100 }, () => "no record"));
    const places = Array.from({ length: 130 }, (_, at) => `/${at}`);
    const reported: number[] = [];
    for (let sync = 0; sync < 3; sync += 1) {
      const [report] = (await bench.sync({ wrap: (reader) => leaving(reader, places) })).adapters;
      reported.push(report?.leftovers ?? Number.NaN, report?.faults_omitted ?? Number.NaN);
    }

    expect(reported).toEqual([130, 30, 30, 0, 0, 0]);
  }));

it("remembers the leftovers it has reported when a later listing breaks off", () =>
  withBench(async (bench) => {
    const breakingOff = (reader: Reader): Reader => ({ ...reader, sessions: broken });
    const left = { wrap: (reader: Reader) => leaving(reader, ["/a"]) };
    await bench.sync(left);
    await bench.sync({ wrap: breakingOff });

    const [report] = (await bench.sync(left)).adapters;

    expect(report?.faults).toEqual([]);
  }));

it("reports a client's leftovers once, and again in a preview or when verifying", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const reported = async (places: readonly string[], options: Partial<SyncOptions> = {}) => {
      const wrap = (reader: Reader): Reader => leaving(reader, places);
      const [report] = (await bench.sync({ ...options, wrap })).adapters;
      return report?.faults.map(({ location }) => location);
    };
    const wrapped = bench
      .sources()
      .map((source) => ({ ...source, reader: leaving(source.reader, ["/a", "/b"]) }));
    const { stateDirectory } = bench;
    const preview = { stateDirectory, host: "bench", now: () => new Date(0) };

    const first = await reported(["/a"]);
    const again = await reported(["/a"]);
    const grown = await reported(["/b", "/a"]);
    const shown = (await previewSync(bench.sessions, wrapped, preview)).adapters[0]?.faults;
    const verified = await reported(["/a", "/b"], { isVerifying: true });
    const gone = await reported(["/b"]);
    const back = await reported(["/a", "/b"]);

    expect([first, again, grown, verified]).toEqual([["/a"], [], ["/b"], ["/a", "/b"]]);
    expect(shown).toHaveLength(2);
    expect([gone, back]).toEqual([[], ["/a"]]);
  }));

const summary = JSON.stringify({ type: "summary", summary: "Loom", leafUuid: "r1" });

it("reports a log with nothing to store once, and again in a preview or when verifying", () =>
  withBench(async (bench) => {
    bench.write("s1", summary);
    bench.write("s2", line("s2", "a", "x"));
    const reported = async (options: Partial<SyncOptions> = {}) => {
      const [report] = (await bench.sync(options)).adapters;
      return [report?.faults.length, report?.leftovers, report?.sessions.failed];
    };
    const { stateDirectory } = bench;
    const preview = { stateDirectory, host: "bench", now: () => new Date(0) };

    const first = await reported();
    const again = await reported();
    const [shown] = (await previewSync(bench.sessions, bench.sources(), preview)).adapters;
    const verified = await reported({ isVerifying: true });
    bench.append("s1", summary);
    const grown = await reported();
    const newer = await reported({ software: "newer" });
    bench.append("s1", line("s1", "b", "y"));
    const [begun] = (await bench.sync()).adapters;

    expect([first, again, verified]).toEqual([
      [1, 1, 0],
      [0, 0, 0],
      [1, 1, 0],
    ]);
    expect([shown?.faults.length, shown?.leftovers, shown?.sessions.failed]).toEqual([1, 1, 0]);
    expect([grown, newer]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(begun).toMatchObject({ sessions: { new: 1, failed: 0 }, faults: [], messages_added: 3 });
  }));

it.each([
  ["in a file that contains nothing else", [summary], ',"is_leftover":true'],
  [
    "beside a line that could not be read",
    [line("s1", "a", "x") + line("s1", "b", "y"), "no record"],
    ',"leftovers":1',
  ],
])(
  "recognizes leftovers that an older version noted without marking them, %s",
  (_, lines, unknown) =>
    withBench(async (bench) => {
      const { stateDirectory } = bench;
      bench.write("s1", ...lines);
      await bench.sync();
      const names = readdirSync(stateDirectory, { recursive: true }).map(String);
      for (const file of names.map((name) => join(stateDirectory, name))) {
        if (!file.endsWith(".json")) continue;
        writeFileSync(file, readFileSync(file, "utf8").replaceAll(unknown, ""));
      }

      const preview = { stateDirectory, host: "bench", now: () => new Date(0) };
      const [shown] = (await previewSync(bench.sessions, bench.sources(), preview)).adapters;

      expect(shown?.leftovers).toBe(1);
      expect(shown?.faults[0]).toMatchObject({ is_leftover: true });
    }),
);

it("reports records that share a line once, and stores them all", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"), line("s1", "b", "y") + line("s1", "c", "z"));
    const reported = async (options: Partial<SyncOptions> = {}) => {
      const [report] = (await bench.sync(options)).adapters;
      const lines = report?.faults.map(({ location }) => location.split(":").at(-1));
      return [lines, report?.leftovers, report?.messages_added];
    };

    const first = await reported();
    const again = await reported();
    const verified = await reported({ isVerifying: true });
    bench.append("s1", line("s1", "d", "x"));
    const grown = await reported();
    bench.append("s1", line("s1", "e", "x") + line("s1", "f", "x"));
    const more = await reported();
    bench.append("s1", "no record");
    const broken = await reported();

    expect([first, again, verified]).toEqual([
      [["2"], 1, 3],
      [[], 0, 0],
      [["2"], 1, 0],
    ]);
    expect([grown, more, broken]).toEqual([
      [[], 0, 1],
      [["4"], 1, 2],
      [["2", "4", "5"], 2, 0],
    ]);
  }));

it("shows the one fault that needs action among more than a hundred leftovers", () =>
  withBench(async (bench) => {
    const shared = Array.from({ length: 120 }, (_, at) => {
      return line("s1", `a${at}`, "x") + line("s1", `b${at}`, "y");
    });
    bench.write("s1", ...shared, "no record");
    const reported = async () => {
      const [report] = (await bench.sync()).adapters;
      const lines = report?.faults.map(({ location }) => location.split(":").at(-1));
      return [lines?.at(-1), lines?.length, report?.faults_omitted, report?.leftovers];
    };

    const first = await reported();
    const again = await reported();

    expect([first, again]).toEqual([
      ["121", 100, 21, 120],
      ["121", 100, 21, 120],
    ]);
  }));

it("reads a log again when another log beside it may hold what it lacks", () =>
  withBench(async (bench) => {
    const timestamp = "2026-03-01T09:00:00.000Z";
    const prompt = { type: "queue-operation", operation: "enqueue", content: "x", timestamp };
    bench.write("s1", JSON.stringify({ ...prompt, sessionId: "s1" }));
    const [first] = (await bench.sync()).adapters;
    const [again] = (await bench.sync()).adapters;
    bench.write("s2", line("s2", "a", "x"));
    const [found] = (await bench.sync()).adapters;

    expect([first?.sessions.failed, again?.sessions.failed]).toEqual([1, 1]);
    expect(found?.sessions).toMatchObject({ seen: 2, new: 2, failed: 0 });
    expect(found?.faults).toEqual([]);
  }));
