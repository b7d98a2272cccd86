import { describe, expect, it } from "vitest";
import { Output } from "./output/output.ts";
import { ProgressLine } from "./output/progress.ts";
import { describeSync, showSync } from "./sync-progress.ts";

const importing = {
  stage: "import",
  adapter: "claude\x1b[2J",
  sessionsDone: 50,
  sessionsTotal: 100,
  bytesDone: 25,
  bytesTotal: 100,
  messagesRead: 90_000,
} as const;
const pace = { done: 25, total: 100, doneBefore: 0, elapsedMs: 2_000 };

describe("describeSync", () => {
  it("tells rate and time left once they mean something", () => {
    expect([
      describeSync(importing, { ...pace, elapsedMs: 500 }),
      describeSync(importing, pace),
    ]).toEqual([
      "claude␛[2J  ███░░░░░░░  25 %  50/100 sessions",
      "claude␛[2J  ███░░░░░░░  25 %  50/100 sessions  45,000 messages/s  6.0 s left",
    ]);
  });

  it("tells how far embedding is, counting what cannot be embedded as done", () => {
    const embedding = { stage: "embed", embedded: 1_195, total: 5_000, failed: 5 } as const;
    const after = { done: 1_200, total: 5_000, doneBefore: 200, elapsedMs: 10_000 };

    expect(describeSync(embedding, after)).toBe(
      "embedding  ██░░░░░░░░  24 %  1,200/5,000 messages  100/s  38 s left",
    );
  });

  it("does not divide by nothing", () => {
    const none = { ...pace, done: 0, total: 0 };

    expect(describeSync({ ...importing, sessionsDone: 0 }, none)).toContain(
      "  0 %  0/100 sessions  45,000 messages/s",
    );
  });
});

describe("ProgressLine", () => {
  const lineAt = (nowMs: () => number, options: { isTTY?: boolean; isQuiet?: boolean } = {}) => {
    let written = "";
    const sink = {
      isTTY: options.isTTY ?? true,
      columns: 100,
      write: (text: string) => {
        written += text;
      },
    };
    const flags = { isJson: false, isVerbose: false, isColorAllowed: false };
    const output = new Output({
      ...{ stdout: sink, stderr: sink, env: {}, ...flags },
      isQuiet: options.isQuiet ?? false,
    });
    return { line: new ProgressLine(output, nowMs), written: () => written };
  };

  it("draws in place, not too often, and removes itself", () => {
    let nowMs = 0;
    const { line, written } = lineAt(() => nowMs);
    showSync(line, importing);
    nowMs = 10;
    showSync(line, { ...importing, sessionsDone: 51 });
    nowMs = 3_000;
    showSync(line, { ...importing, sessionsDone: 75, bytesDone: 75 });
    line.clear();
    line.clear();

    expect(written().split("\r\x1b[2K")).toEqual([
      "",
      expect.stringContaining("50/100"),
      expect.stringMatching(/75 % {2}75\/100 sessions {2}30,000 messages\/s {2}1.5 s left$/),
      "",
    ]);
  });

  it.each([{ isTTY: false }, { isQuiet: true }])("is silent with %j", (options) => {
    const { line, written } = lineAt(() => 0, options);
    showSync(line, importing);
    line.clear();

    expect(written()).toBe("");
  });
});
