import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function written(level: "info" | "error" | "silent", secrets: readonly string[] = []) {
  const lines: string[] = [];
  return { lines, log: createLog(level, secrets, (line) => lines.push(line)) };
}

test.each([
  ["info", ["told", "failed", "answered"]],
  ["error", ["failed"]],
  ["silent", []],
] as const)("the log level %s lets only its own messages through", (level, messages) => {
  const { lines, log } = written(level);

  log.info("told");
  log.error("failed");
  log.stream.write('{"level":30,"msg":"answered"}\n');

  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(messages);
});

test("every entry is JSON on one line", () => {
  const { lines, log } = written("info");

  log.info("a\nb", { url: "http://127.0.0.1:1" });

  const [line = ""] = lines;
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({
    level: 30,
    time: expect.any(String),
    url: "http://127.0.0.1:1",
    msg: "a\nb",
  });
});

test("an unforeseen error is logged with its place in the code, without its message", () => {
  const { lines, log } = written("info");

  log.failure("failed", new RangeError("what a session said\n    at the bank"));
  log.failure("failed", "what a session said");

  expect(lines.join("")).not.toMatch(/session|bank/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: 50,
    error: "RangeError",
    from: expect.stringMatching(/^at .*log\.test\.ts/),
  });
});

test("secrets are masked, both as they are and as JSON escapes them", () => {
  const { lines, log } = written("info", ['pass"word', "pass"]);

  log.error("storage does not answer", { reason: 'refused pass"word and pass' });

  expect(JSON.parse(lines[0] ?? "").reason).toBe("refused *** and ***");
});
