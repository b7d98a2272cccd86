import { describe, expect, it } from "vitest";
import { Output } from "./output/output.ts";
import { ProgressLine } from "./output/progress.ts";
import { describeSync, showSync } from "./sync-progress.ts";

const counts = {
  sessionsDone: 50,
  sessionsTotal: 100,
  bytesDone: 25,
  bytesTotal: 100,
  messagesRead: 90_000,
};
const importing = (more: object = {}, adapter = "claude\x1b[2J") =>
  ({ stage: "import", adapter, ...counts, ofAdapter: { ...counts, ...more } }) as const;
const pace = { done: 25, total: 100, doneBefore: 0, elapsedMs: 2_000, columns: 79 };

describe("describeSync", () => {
  it("shows the rate and the time left once they mean something", () => {
    expect([
      describeSync(importing(), { ...pace, elapsedMs: 500 }),
      describeSync(importing(), pace),
    ]).toEqual([
      "claude␛[2J   ██░░░░░░  25 %   50/100 sessions",
      "claude␛[2J   ██░░░░░░  25 %   50/100 sessions  6 s left  45,000 messages/s",
    ]);
  });

  it.each([
    [59, "claude␛[2J   █░░░░  25 %   50/100 sessions  6 s left"],
    [40, "claude␛[2J   █░░░░  25 %"],
  ])("leaves out the least important figures in %i columns", (columns, expected) => {
    expect(describeSync(importing(), { ...pace, columns })).toBe(expected);
  });

  it("rounds the time left to steps that are easy to read", () => {
    const guess = (seconds: number) => {
      const halfway = { ...pace, done: 50, elapsedMs: seconds * 1_000, columns: 200 };
      return / (\S+ \S+(?: \d+ \S+)?) left/.exec(describeSync(importing(), halfway))?.[1];
    };

    expect([1, 9.2, 31, 59, 101, 599, 640, 7_205].map(guess)).toEqual([
      ...["1 s", "10 s", "35 s", "1 min 0 s", "1 min 50 s"],
      ...["10 min", "11 min", "2 h 1 min"],
    ]);
  });

  it("shows the progress of embedding, with messages that cannot be embedded counted as done", () => {
    const counts = { embedded: 1_195, stored: 1_000, total: 5_000, failed: 5 };
    const embedding = { stage: "embed", ...counts } as const;
    const after = { ...pace, done: 1_200, total: 5_000, doneBefore: 200, elapsedMs: 10_000 };

    expect(describeSync(embedding, after)).toBe(
      "embedding    ██░░░░░░  24 %  1,200/5,000 messages  40 s left  100/s",
    );
  });

  it("shows what an embedder tries again, instead of numbers that stand still", () => {
    const counts = { embedded: 0, stored: 0, total: 5_000, failed: 0 };
    const retrying = "the endpoint answered 429; it asks for a pause of 60 s";
    const after = { ...pace, done: 0, total: 5_000, doneBefore: 0, elapsedMs: 10_000 };

    expect(describeSync({ stage: "embed", ...counts, retrying }, after)).toBe(
      `embedding    ░░░░░░░░   0 %  ${retrying}`,
    );
  });

  it("shows the progress of comparing stored rows with what was written", () => {
    const comparing = { stage: "compare", rows: 1_200, total: 5_000 } as const;
    const after = { ...pace, done: 1_200, total: 5_000, doneBefore: 0, elapsedMs: 10_000 };

    expect(describeSync(comparing, after)).toBe(
      "comparing    ██░░░░░░  24 %  1,200/5,000 rows  35 s left",
    );
  });

  it("shows the progress of storing again what an earlier version stored", () => {
    const mending = { stage: "mend", table: "messages", rows: 1_200, total: 5_000 } as const;
    const after = { ...pace, done: 1_200, total: 5_000, doneBefore: 0, elapsedMs: 10_000 };

    expect(describeSync(mending, after)).toBe(
      "mending      ██░░░░░░  24 %  1,200/5,000 messages  35 s left  120/s",
    );
  });

  it("shows that the folding of an index goes on", () => {
    const folding = { stage: "update-indexes", table: "messages" } as const;

    expect(
      [1_000, 12_000].map((elapsedMs) => describeSync(folding, { ...pace, elapsedMs })),
    ).toEqual(["indexing     messages", "indexing     messages  12 s"]);
  });

  it("shows 0 % when there is nothing to divide by", () => {
    const none = { ...pace, done: 0, total: 0 };

    expect(describeSync(importing({ sessionsDone: 0 }), none)).toContain(
      "  0 %    0/100 sessions  45,000 messages/s",
    );
  });
});

describe("ProgressLine", () => {
  const lineAt = (nowMs: () => number, sinkOf: object = {}, isQuiet = false, env = {}) => {
    const pieces: string[] = [];
    const sink = {
      ...{ isTTY: true, columns: 100 },
      ...sinkOf,
      write: (text: string) => void pieces.push(text.replaceAll("\x1b", "␛")),
    };
    const flags = { isJson: false, isVerbose: false, isColorAllowed: false, isQuiet };
    const output = new Output({ ...{ stdout: sink, stderr: sink, env }, ...flags });
    return { line: new ProgressLine(output, nowMs), pieces, sink };
  };

  it("draws in place, not too often, and removes itself", () => {
    let nowMs = 0;
    const { line, pieces } = lineAt(() => nowMs);
    showSync(line, importing());
    nowMs = 10;
    showSync(line, importing({ sessionsDone: 51 }));
    nowMs = 3_000;
    showSync(line, importing({ sessionsDone: 75, bytesDone: 75 }));
    line.clear();
    line.clear();

    expect(pieces).toEqual([
      expect.stringMatching(/^\r.* 50\/100 sessions␛\[J\r$/),
      expect.stringMatching(
        /^\r.*75 % {3}75\/100 sessions {2}2 s left {2}30,000 messages\/s␛\[J\r$/,
      ),
      "\r␛[K␛[C␛[J\r",
    ]);
  });

  it("keeps a line for each client, unchanged after the client is done", () => {
    let nowMs = 0;
    const { line, pieces } = lineAt(() => nowMs);
    for (const name of ["a", "b"]) showSync(line, { stage: "list", adapter: name, sessions: 2 });
    nowMs = 1_000;
    showSync(line, importing({}, "a"));
    nowMs = 3_000;
    showSync(line, importing({ sessionsDone: 100, bytesDone: 100 }, "a"));
    nowMs = 60_000;
    showSync(line, importing({ bytesDone: 0 }, "b"));

    const last = pieces.at(-1)?.split("␛[K\n");
    expect(last).toEqual([
      expect.stringMatching(/^\r␛\[1Aa .* 100 % {2}100\/100 sessions {2}45,000 messages\/s$/),
      expect.stringMatching(/^b .* 0 % {3}50\/100 sessions␛\[J\r$/),
    ]);
    line.clear();
    expect(pieces.at(-1)).toBe("\r␛[1A␛[K␛[C␛[J\r");
  });

  it("shows on one line that a table is stored again and then indexed", () => {
    let nowMs = 0;
    const { line, pieces } = lineAt(() => nowMs);
    const mending = { stage: "mend", table: "messages", total: 5_000 } as const;
    showSync(line, { stage: "update-indexes", table: "messages" });
    showSync(line, { ...mending, rows: 0 });
    nowMs = 2_000;
    showSync(line, { ...mending, rows: 0 });
    nowMs = 10_000;
    showSync(line, { ...mending, rows: 2_500 });
    showSync(line, { stage: "update-indexes", table: "messages" });

    expect(pieces).toEqual([
      expect.stringMatching(/^\rindexing +messages␛\[J\r$/),
      expect.stringMatching(/^\rmending .* 0 % {6}0\/5,000 messages␛\[J\r$/),
      expect.stringMatching(
        /^\rmending .*50 % {2}2,500\/5,000 messages {2}10 s left {2}250\/s␛\[J\r$/,
      ),
      expect.stringMatching(/^\rindexing +messages␛\[J\r$/),
    ]);
  });

  it("clears all the rows into which a narrower terminal wrapped a line", () => {
    const { line, pieces, sink } = lineAt(() => 0);
    for (const name of ["a", "b"]) showSync(line, importing({}, name));
    sink.columns = 20;
    line.clear();

    // 45 columns of the first line are three rows of 20.
    expect(pieces.at(-1)).toBe("\r␛[3A␛[K␛[C␛[J\r");
  });

  it("draws no more lines than the terminal has", () => {
    const { line, pieces } = lineAt(() => 0, { rows: 3 });
    for (const name of ["a", "b", "c", "d"]) showSync(line, importing({}, name));
    line.clear();

    expect(pieces.at(-2)).toMatch(/^\r␛\[1Ac .*\nd .*\r$/);
  });

  it.each([
    ["in a pipe", { isTTY: false }, false, {}],
    ["with -q", {}, true, {}],
    ["on a dumb terminal", {}, false, { TERM: "dumb" }],
  ])("prints nothing %s", (_, sinkOf, isQuiet, env) => {
    const { line, pieces } = lineAt(() => 0, sinkOf, isQuiet, env);
    showSync(line, importing());
    line.clear();

    expect(pieces).toEqual([]);
  });
});
