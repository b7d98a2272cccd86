import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { claudeCodeProblems } from "./problems.ts";
import { writeForeign } from "./write-foreign.ts";

const written = restoredFiles(writeForeign(sampleLineage(), {}));

const noImage =
  '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"blob:sha256:f0"}}';

/** The problems of the sample session, changed. */
function problemsOf(change: (log: string) => string): readonly string[] {
  const [path, bytes] = [...written][0] ?? ["", new Uint8Array()];
  const log = change(Buffer.from(bytes).toString());
  return claudeCodeProblems(new Map([[path, Buffer.from(log)]])).map((problem) =>
    problem.slice(path.length),
  );
}

it("finds nothing wrong with the files that pond writes", () => {
  expect(claudeCodeProblems(written)).toEqual([]);
});

it.each<[string, (log: string) => string, string]>([
  ["a missing final newline", (log) => log.trimEnd(), " does not end with a newline"],
  ["a line that is not JSON", (log) => `${log}{\n`, " is no JSON; the client stops reading here"],
  [
    "a first row that is not a user row",
    (log) => `{"type":"mode"}\n${log}`,
    " is first and no user row",
  ],
  [
    "a gap in the chain of rows",
    (log) => withoutLine(log, 1),
    " is not linked to the row before it",
  ],
  ["an empty text", (log) => log.replace("It is bent.", " "), " holds an empty text"],
  ["a repeated uuid", (log) => log + log, " has no uuid of its own"],
  [
    "a tool call without a result",
    (log) => log.replace(/"tool_use_id":"web-1"/, '"tool_use_id":"x"'),
    " leaves the call web-1 without an answer",
  ],
  [
    "a tool result without a call",
    (log) => log.replace(/"id":"web-1"/, '"id":"w"'),
    " answers no open call",
  ],
  [
    "a tool call whose input is not an object",
    (log) => log.replace('"input":{"path":"heddle.txt"}', '"input":"heddle.txt"'),
    " makes a call whose input is no object",
  ],
  [
    "rows of another session",
    (log) => log.replaceAll(/"sessionId":"[^"]+"/g, '"sessionId":"x"'),
    " names another session than its file",
  ],
  ["a lone surrogate", (log) => log.replace("It is bent.", "\\ud800"), " holds a lone surrogate"],
  [
    "an incomplete message",
    (log) => log.replace('"type":"message",', ""),
    " is no whole message of the API",
  ],
  [
    "a block of an unknown type",
    (log) => log.replace('"type":"image"', '"type":"film"'),
    " holds a block of type film",
  ],
  [
    "an image that is not base64",
    (log) => log.replace(/"data":"[^"]+"/, '"data":"[image data removed]"'),
    " holds an image that is none",
  ],
  [
    "a tool result with an image that is not base64",
    (log) => log.replace('"content":"null"', `"content":[${noImage}]`),
    " holds an image that is none",
  ],
])("finds %s", (_, change, problem) => {
  expect(problemsOf(change).map((each) => each.replace(/^:\d+/, ""))).toContain(problem);
});

it("finds a file where the client does not look", () => {
  expect(claudeCodeProblems(new Map([["projects/x/a.jsonl", Buffer.from("\n")]]))[0]).toBe(
    "projects/x/a.jsonl is no place where the client looks for sessions",
  );
});

function withoutLine(log: string, index: number): string {
  return log
    .split("\n")
    .filter((_, at) => at !== index)
    .join("\n");
}
