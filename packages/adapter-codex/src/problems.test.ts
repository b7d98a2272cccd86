import { restoredFiles, sampleLineage } from "@pond/adapter-testkit";
import { stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { codexProblems } from "./problems.ts";
import { toCodex } from "./to-codex.ts";

const id = "019e0000-0000-7000-8000-000000000001";
const path = `sessions/2026/05/04/rollout-2026-05-04T11-00-00-${id}.jsonl`;
const timestamp = "2026-05-04T09:00:00.000Z";
const payload = {
  id,
  timestamp,
  cwd: "/a",
  originator: "pond",
  cli_version: "0.169.0",
  source: "cli",
};
const meta = { timestamp, type: "session_meta", payload };
const item = (fields: object) => ({ timestamp, type: "response_item", payload: fields });
const call = { type: "function_call", name: "ls", arguments: "{}", call_id: "c" };
const output = { type: "function_call_output", call_id: "c", output: "" };
const text = (type: string) => ({ type, text: "x" });

const log = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
const problems = (content: string | Uint8Array, at = path): readonly string[] =>
  codexProblems(new Map([[at, Buffer.from(content)]])).map((each) => each.replace(at, ""));

it("finds nothing wrong with records that the client accepts", () => {
  const records = [
    meta,
    {
      timestamp,
      type: "turn_context",
      payload: { cwd: "/a", model: "m", summary: "auto", sandbox_policy: {} },
    },
    item({
      type: "message",
      role: "user",
      content: [
        text("input_text"),
        { type: "input_image", image_url: "data:image/png;base64,aGk=" },
      ],
    }),
    { timestamp, type: "event_msg", payload: { type: "user_message", message: "x" } },
    item({ type: "reasoning", summary: [] }),
    item(call),
    item({ ...output, output: [text("input_text")] }),
    item({ type: "custom_tool_call", name: "apply_patch", input: "x", call_id: "d" }),
    item({ type: "custom_tool_call_output", call_id: "d", output: "" }),
    item({ type: "message", role: "assistant", content: [text("output_text")] }),
    { timestamp, type: "a type of tomorrow", payload: {} },
  ];

  expect(problems(log(...records))).toEqual([]);
});

it.each<[name: string, records: readonly object[], found: readonly string[]]>([
  ["no header", [item({ type: "reasoning", summary: [] })], [":1 is first and no session_meta"]],
  [
    "another thread's header",
    [{ ...meta, payload: { ...payload, id: "x" } }],
    [":1 names another thread than its file"],
  ],
  [
    "a header without a directory",
    [{ ...meta, payload: { ...payload, cwd: null } }],
    [":1 has no cwd"],
  ],
  [
    "a source that the client does not list",
    [{ ...meta, payload: { ...payload, source: "exec" } }],
    [":1 is of a source that the client does not list"],
  ],
  [
    "a paginated history",
    [{ ...meta, payload: { ...payload, history_mode: "paginated" } }],
    [":1 is paginated"],
  ],
  [
    "a numbered line in a thread that is not paginated",
    [{ ...meta, ordinal: 0 }],
    [":1 is numbered, which only a paginated thread is"],
  ],
  ["a line without a time", [meta, { type: "event_msg", payload: {} }], [":2 has no time"]],
  ["a line without a payload", [meta, { timestamp, type: "event_msg" }], [":2 has no payload"]],
  [
    "a turn without a model",
    [
      meta,
      {
        timestamp,
        type: "turn_context",
        payload: { cwd: "/a", summary: "auto", sandbox_policy: {} },
      },
    ],
    [":2 has no model"],
  ],
  [
    "an event without its text",
    [meta, { timestamp, type: "event_msg", payload: { type: "user_message" } }],
    [":2 has no message"],
  ],
  [
    "a lone surrogate",
    [
      meta,
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "\ud800" }] }),
    ],
    [":2 holds a lone surrogate"],
  ],
  [
    "a role unknown to the API",
    [meta, item({ type: "message", role: "tool", content: [] })],
    [":2 is a message of role tool"],
  ],
  [
    "content that is not a list",
    [meta, item({ type: "message", role: "user", content: "x" })],
    [":2 has no list of content"],
  ],
  [
    "assistant content in a user message",
    [meta, item({ type: "message", role: "user", content: [text("output_text")] })],
    [":2 holds content of type output_text"],
  ],
  [
    "a text element without text",
    [meta, item({ type: "message", role: "user", content: [{ type: "input_text" }] })],
    [":2 holds a text that is none"],
  ],
  [
    "an image without data",
    [
      meta,
      item({
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: "data:image/png;base64," }],
      }),
    ],
    [":2 holds an image that is none"],
  ],
  [
    "reasoning without a summary",
    [meta, item({ type: "reasoning" })],
    [":2 is reasoning without a summary"],
  ],
  [
    "a call whose arguments are not JSON",
    [meta, item({ ...call, arguments: "{" }), item(output)],
    [":2 makes a call whose arguments are no JSON object"],
  ],
  [
    "a custom call without an input",
    [
      meta,
      item({ ...call, type: "custom_tool_call" }),
      item({ ...output, type: "custom_tool_call_output" }),
    ],
    [":2 makes a call without an input"],
  ],
  [
    "a tool name that the API refuses",
    [meta, item({ ...call, name: "a b" }), item(output)],
    [":2 calls a tool whose name the API refuses"],
  ],
  [
    "a repeated call",
    [meta, item(call), item(output), item(call)],
    [":4 makes a call without an id of its own"],
  ],
  [
    "a call id that is too long",
    [
      meta,
      item({ ...call, call_id: "c".repeat(65) }),
      item({ ...output, call_id: "c".repeat(65) }),
    ],
    [":2 makes a call whose id the API refuses"],
  ],
  ["a call without an output", [meta, item(call)], [" leaves the call c without an output"]],
  [
    "an output before its call",
    [meta, item(output), item(call)],
    [":2 answers no open call of its kind", " leaves the call c without an output"],
  ],
  [
    "an output of another kind than its call",
    [meta, item(call), item({ ...output, type: "custom_tool_call_output" })],
    [":3 answers no open call of its kind", " leaves the call c without an output"],
  ],
  [
    "an output that is neither a text nor a list",
    [meta, item(call), item({ ...output, output: { content: "x" } })],
    [":3 has no list of content"],
  ],
  [
    "an item type unknown to the API",
    [meta, item({ type: "tool_call" })],
    [":2 is an item of type tool_call"],
  ],
])("finds a problem in the records: %s", (_, records, found) => {
  expect(problems(log(...records))).toEqual(found);
});

it.each<[name: string, content: string | Uint8Array, found: readonly string[]]>([
  ["an empty file", "", [" does not end with a newline", " is empty"]],
  ["a last line without a newline", log(meta).trimEnd(), [" does not end with a newline"]],
  [
    "a byte order mark",
    `\uFEFF${log(meta)}`,
    [" begins with a byte order mark", ":1 is no JSON object"],
  ],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff]), [" is not UTF-8"]],
  [
    "lines that are not JSON objects",
    `${log(meta)}[]\n{\n`,
    [":2 is no JSON object", ":3 is no JSON object"],
  ],
])("finds a problem in the bytes of a file: %s", (_, content, found) => {
  expect(problems(content)).toEqual(found);
});

it.each(["rollout.jsonl", `sessions/2026/05/04/${id}.jsonl`, path.replace(/jsonl$/, "json")])(
  "finds that %s is no place for a session file",
  (place) => {
    expect(problems(log(meta), place)).toContain(
      " is no place where the client looks for sessions",
    );
  },
);

it("finds nothing wrong with a session restored from another client (`adapter-native-restore-lossless`)", () => {
  const files = restoredFiles(toCodex.writeForeign(sampleLineage(), {}));

  expect([files.size, codexProblems(files)]).toEqual([3, []]);
  expect(stringifyJson([...files.keys()])).not.toContain("sample");
});
