import { type JsonObject, type JsonValue, stringifyJson } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { header, logName, message, project } from "./home.test-kit.ts";
import { ompProblems, piProblems } from "./problems.ts";
import { titleSlot } from "./session-file/title-slot.ts";

const path = `${project}/${logName("s1")}`;
const log = (records: readonly JsonValue[]) =>
  new Map([[path, Buffer.from(records.map((record) => `${stringifyJson(record)}\n`).join(""))]]);
const found = (records: readonly JsonValue[], problems = piProblems) =>
  problems(log(records)).map((problem) => problem.replace(path, ""));

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
const said = { api: "a", provider: "p", model: "m", usage, stopReason: "stop" };
const answer = (content: JsonValue, fields: JsonObject = {}) =>
  message("a2", "a1", { role: "assistant", content, ...said, ...fields });
const prompt = message("a1", null, { role: "user", content: "hi" });
const image = { type: "image", mimeType: "image/png", data: "aGk=" };
const reference = `blob:sha256:${"f0".repeat(32)}`;
const call = { type: "toolCall", id: "c1", name: "bash", arguments: {} };
const result = (fields: JsonObject = {}) =>
  message("a3", "a2", {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "bash",
    content: [],
    isError: false,
    ...fields,
  });

it("finds nothing wrong with a whole session", () => {
  const records = [header("s1"), prompt, answer([call]), result({ content: [image] })];

  expect(found(records)).toEqual([]);
  expect(found([titleSlot("1970-01-01T00:00:00.000Z"), ...records], ompProblems)).toEqual([]);
  // The clients migrate what they wrote before.
  const first = { type: "session", id: "s", timestamp: "2025-11-20T10:00:00.000Z", cwd: "/w" };
  expect(
    found([
      first,
      { type: "message", timestamp: first.timestamp, message: { role: "user", content: "x" } },
    ]),
  ).toEqual([]);
});

describe("piProblems", () => {
  it.each<[problem: string, records: readonly JsonValue[]]>([
    [" holds no session", []],
    [":1 is first and no header of a session", [prompt, header("s1")].slice(0, 1)],
    [":1 has version 4", [header("s1", { version: 4 })]],
    [":1 has no working directory", [header("s1", { cwd: "" })]],
    [":1 has no time", [header("s1", { timestamp: "now" })]],
    [":2 has no type", [header("s1"), { id: "a1", parentId: null, timestamp: "2026-01-01" }]],
    [
      ":2 has no parent in front of it",
      [header("s1"), message("a1", "zz", { role: "user", content: "x" })],
    ],
    [
      ":3 has no id of its own",
      [header("s1"), prompt, message("a1", "a1", { role: "user", content: "x" })],
    ],
    [
      ":2 has no provider",
      [
        header("s1"),
        { type: "model_change", id: "a1", parentId: null, timestamp: "2026-01-01", modelId: "m" },
      ],
    ],
    [":2 has a message of role poet", [header("s1"), message("a1", null, { role: "poet" })]],
    [
      ":2 has no list of content",
      [header("s1"), message("a1", null, { role: "user", content: null })],
    ],
    [":3 holds a block of type image", [header("s1"), prompt, answer([{ type: "image" }])]],
    [
      ":3 holds a thinking block that is not whole",
      [header("s1"), prompt, answer([{ type: "thinking" }])],
    ],
    ...["", "[image data removed]", reference].map((data): [string, readonly JsonValue[]] => [
      ":2 holds an image that is none",
      [header("s1"), message("a1", null, { role: "user", content: [{ ...image, data }] })],
    ]),
    [":3 has no whole usage", [header("s1"), prompt, answer([], { usage: { input: 1 } })]],
    [":3 stops for pending", [header("s1"), prompt, answer([], { stopReason: "pending" })]],
    [":3 does not say which model answered", [header("s1"), prompt, answer([], { model: "" })]],
    [
      ":3 holds a toolCall block that is not whole",
      [header("s1"), prompt, answer([{ ...call, arguments: "x" }]), result()],
    ],
    [" leaves a call without an answer: c1", [header("s1"), prompt, answer([call])]],
    [
      ":2 answers a call that was not made: c1",
      [
        header("s1"),
        message("a1", null, {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "t",
          content: [],
          isError: false,
        }),
      ],
    ],
    [
      ":4 is no whole answer to a call",
      [header("s1"), prompt, answer([call]), result({ isError: "no" })],
    ],
    [
      ":2 holds a lone surrogate",
      [header("s1"), message("a1", null, { role: "user", content: "\ud800" })],
    ],
  ])("reports the problem `log%s`", (problem, records) => {
    expect(found(records)).toEqual([problem]);
  });

  it.each([
    [
      "a file path",
      new Map([["x.jsonl", log([header("s1")]).get(path) ?? Buffer.alloc(0)]]),
      "x.jsonl is no place where the client looks for sessions",
    ],
    [
      "a line",
      new Map([[path, Buffer.from(`${stringifyJson(header("s1"))}\n[]\n`)]]),
      `${path}:2 is no JSON object`,
    ],
    [
      "an end of file",
      new Map([[path, Buffer.from(stringifyJson(header("s1")))]]),
      `${path} does not end with a newline`,
    ],
  ])("reports %s that is wrong", (_, files, problem) => {
    expect(piProblems(files)).toEqual([problem]);
  });
});

it("checks a log of omp by omp's own rules for titles, models and images", () => {
  const short = { ...titleSlot("1970-01-01T00:00:00.000Z"), pad: "" };
  const model = { type: "model_change", id: "a1", parentId: null, timestamp: "2026-01-01" };

  expect(found([short, header("s1")], ompProblems)).toEqual([
    ":1 is a title of another length than 256 bytes",
  ]);
  expect(found([header("s1"), { ...model, provider: "p", modelId: "m" }], ompProblems)).toEqual([
    ":2 has no model",
  ]);
  expect(found([header("s1"), { ...model, model: "p/m" }], ompProblems)).toEqual([]);
  // Its images may lie in files of their own.
  const seen = message("a1", null, { role: "user", content: [{ ...image, data: reference }] });
  expect(found([header("s1"), seen], ompProblems)).toEqual([]);
});
