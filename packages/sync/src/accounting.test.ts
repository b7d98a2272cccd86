import { rmSync, statSync, writeFileSync } from "node:fs";
import type { ReadEvent } from "@pond/canonical";
import type { Reader } from "@pond/canonical/adapter";
import { loadLineage } from "@pond/sessions";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { emptyReport } from "./report.ts";
import { type Bench, line, withBench } from "./sync.test-kit.ts";

/** What a log may hold, and what becomes of it where the log has a session. */
const pieces = {
  stored: (session: string, at: number) => line(session, `m${at}`, `text ${at}`),
  twice: (session: string) => line(session, "twice", "said again"),
  carried: (_: string, at: number) => `{"type":"odd","n":${at}}`,
  twoMessages: (session: string, at: number) =>
    JSON.stringify({
      ...JSON.parse(line(session, `m${at}`, "")),
      message: {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "answer" },
          { type: "text", text: "and a word" },
        ],
      },
    }),
  broken: () => '{"type":',
  list: () => "[1]",
  zeros: () => "\0\0\0",
  zerosAround: (_: string, at: number) => `\0{"n":${at}}\0`,
  noText: () => "\xff",
  blank: () => " ",
};
type Piece = keyof typeof pieces;

const log = fc.record({
  lines: fc.array(fc.constantFrom(...(Object.keys(pieces) as Piece[])), { maxLength: 12 }),
  isAttributable: fc.boolean(),
  end: fc.constantFrom("\n", "", "\r\n", '\n{"half'),
});
type Log = typeof log extends fc.Arbitrary<infer T> ? T : never;

function write(bench: Bench, id: string, { lines, isAttributable, end }: Log): void {
  const own = lines.map((piece, at) => pieces[piece](id, at));
  const texts = isAttributable
    ? [line(id, "first", "begin"), ...own]
    : own.map((text) => text.replaceAll("cwd", "wdc"));
  const text = texts.length > 0 ? texts.join("\n") + end : "";
  // Nothing in it is beyond ASCII but the byte that is no UTF-8.
  writeFileSync(bench.write(id), text, "latin1");
}

/** How many records the file has, counted by other means than the reader's. */
function recordsIn({ lines, isAttributable, end }: Log): number {
  const own = lines.filter((piece) => piece !== "blank").length + (isAttributable ? 1 : 0);
  const isWritten = lines.length > 0 || isAttributable;
  return own + (isWritten && end.includes("half") ? 1 : 0);
}

function changed(change: (event: ReadEvent) => readonly ReadEvent[]): (reader: Reader) => Reader {
  return (reader) => ({
    ...reader,
    async *read(key, signal, count) {
      for await (const event of reader.read(key, signal, count)) yield* change(event);
    },
  });
}

describe("accounting (`adapter-integrity-no-silent-drops`)", () => {
  it("adds up to the records read, whatever a log is made of", () =>
    withBench(async (bench) => {
      const logs = fc.sample(log, { numRuns: 200, seed: 7 });
      for (const [at, each] of logs.entries()) write(bench, `s${at}`, each);

      const { adapters } = await bench.sync();
      const { adapters: again } = await bench.sync({ isVerifying: true });

      for (const { accounting, faults } of [adapters[0], again[0]].filter((each) => !!each)) {
        const { read, stored, faulted, pending } = accounting;
        expect(faults.filter(({ code }) => code === "accounting_mismatch")).toEqual([]);
        expect(stored + faulted + pending).toBe(read);
        expect(read).toBe(logs.reduce((sum, each) => sum + recordsIn(each), 0));
        expect([stored, faulted, pending].every((records) => records > 20)).toBe(true);
      }
      expect(again[0]?.messages_added).toBe(0);
      expect(again[0]?.accounting).toEqual(adapters[0]?.accounting);
    }));

  it.each<[string, (event: ReadEvent) => readonly ReadEvent[], string, readonly string[]]>([
    [
      "drops a message",
      (event) => (event.kind === "message" && event.message.id === "b" ? [] : [event]),
      "3 records read, but 1 stored + 1 faulted + 0 pending",
      ["a"],
    ],
    [
      "drops a fault",
      (event) => (event.kind === "fault" ? [] : [event]),
      "3 records read, but 2 stored + 0 faulted + 0 pending",
      ["a", "b"],
    ],
    [
      "reports a fault twice",
      (event) => (event.kind === "fault" ? [event, event] : [event]),
      "3 records read, but 2 stored + 2 faulted + 0 pending",
      ["a", "b"],
    ],
  ])(
    "reports a reader that %s, keeps the rest, and reports it again on the next sync",
    (...[, change, numbers, kept]) =>
      withBench(async (bench) => {
        bench.write("s1", line("s1", "a", "one"), line("s1", "b", "two"), "{");

        const { adapters } = await bench.sync({ wrap: changed(withoutParts(change)) });
        const { adapters: again } = await bench.sync();

        const mismatch = adapters[0]?.faults.find(({ code }) => code === "accounting_mismatch");
        expect(mismatch).toMatchObject({
          adapter: "claude-code",
          location: expect.stringMatching(/\.claude.*: .*s1/),
          message: expect.stringContaining(numbers),
        });
        expect(again[0]?.faults).toContainEqual(mismatch);
        const { root } = await loadLineage(bench.sessions, "s1");
        expect(root.messages.map(({ id }) => id)).toEqual(kept);
      }),
  );

  it("counts records as faulted if the reader throws before it yields them", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "one"), line("s1", "b", "two"), line("s1", "c", "three"));
      const wrap = changed((event) => {
        if (event.kind === "message" && event.message.id === "b") throw new Error("a defect");
        return [event];
      });

      const { adapters } = await bench.sync({ wrap });

      expect(adapters[0]).toMatchObject({
        accounting: { read: 3, stored: 1, faulted: 2, pending: 0 },
        faults: [{ code: "source_fault", message: "a defect" }],
      });
    }));

  it("counts records as faulted if their file disappears after reading and before they are yielded", () =>
    withBench(async (bench) => {
      const file = bench.write("s1", `{"n":1}`, `{"n":2}`, `{"n":3}`);
      // Its folder, which none of these says, is looked for in the rest of the file.
      const wrap = (reader: Reader): Reader => ({
        ...reader,
        read(key, signal, count) {
          const add = count?.add.bind(count);
          const leave = (records: number): void => {
            add?.(records);
            rmSync(file, { force: true });
          };
          if (count) vi.spyOn(count, "add").mockImplementation(leave);
          return reader.read(key, signal, count);
        },
      });

      const { adapters } = await bench.sync({ wrap });

      expect(adapters[0]).toMatchObject({
        accounting: { read: 3, stored: 0, faulted: 3, pending: 0 },
        faults: [{ code: "source_fault", message: expect.stringContaining("ENOENT") }],
      });
    }));

  it("counts a record whose message breaks the model as faulted", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "one"), line("s1", "b", "two"));
      const wrap = changed((event) =>
        event.kind === "part" && event.part.message_id === "b"
          ? [{ kind: "part", part: { ...event.part, session_id: "other" as never } }]
          : [event],
      );

      const { adapters } = await bench.sync({ wrap });

      expect(adapters[0]).toMatchObject({
        accounting: { read: 2, stored: 1, faulted: 1 },
        faults: [{ code: "validation_failed" }],
      });
    }));

  it("does not take the reader of an empty file for one that does not count", () =>
    withBench(async (bench) => {
      bench.write("s1");

      const { adapters } = await bench.sync();

      expect(adapters[0]).toMatchObject({ sessions: { seen: 1 }, faults: [] });
      expect(adapters[0]?.accounting).toEqual(emptyReport("").accounting);
    }));

  it("counts a session as failed if its reader yields nothing and nothing of it is stored", () =>
    withBench(async (bench) => {
      const file = bench.write("s1", line("s1", "a", "one"));
      const wrap = (reader: Reader): Reader => ({ ...reader, async *read() {} });

      const { adapters } = await bench.sync({ wrap });
      const { adapters: again } = await bench.sync();

      const message = `nothing was read of its ${statSync(file).size} bytes`;
      const fault = { code: "nothing_read", message, location: expect.stringContaining("s1") };
      expect(adapters[0]).toMatchObject({ sessions: { failed: 1, unchanged: 0 }, faults: [fault] });
      expect(again[0]).toMatchObject({ sessions: { failed: 1 }, faults: [fault] });
    }));

  it("counts a stored session as unchanged while its file is blank", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "one"));
      await bench.sync();
      bench.write("s1", " ");

      const { adapters } = await bench.sync();

      expect(adapters[0]).toMatchObject({ sessions: { failed: 0, unchanged: 1 }, faults: [] });
    }));

  it("reports the number of sessions whose reader does not count records", () =>
    withBench(async (bench) => {
      bench.write("s1", line("s1", "a", "one"));
      const wrap = (reader: Reader): Reader => ({ ...reader, read: (key) => reader.read(key) });

      const { adapters } = await bench.sync({ wrap });

      expect(adapters[0]).toMatchObject({
        accounting: { read: 1, stored: 1, sessions_uncounted: 1 },
        faults: [],
      });
    }));
});

/** A message that is dropped takes its parts along. */
function withoutParts(
  change: (event: ReadEvent) => readonly ReadEvent[],
): (event: ReadEvent) => readonly ReadEvent[] {
  let isDropped = false;
  return (event) => {
    if (event.kind === "part") return isDropped ? [] : [event];
    const events = change(event);
    isDropped = events.length === 0;
    return events;
  };
}
