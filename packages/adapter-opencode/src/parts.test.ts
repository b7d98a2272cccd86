import { contentOf, courseOf, readAll, restoredFiles } from "@pond/adapter-testkit";
import { type JsonValue, type Message, type Part, partsOf } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import { createHome, start } from "./home.test-kit.ts";
import { opencodeRecordRules } from "./record-rules.ts";
import { toOpencode } from "./to-opencode.ts";

const id = "ses_a";
const time = { created: start, updated: start };
const base64 = Buffer.from("a picture").toString("base64");

/** The parts that a message of 1.x became, all of whose values are restored. */
function partsOf1(role: string, ...parts: readonly object[]): Promise<readonly Part[]> {
  const place = { sessionID: id, messageID: "msg_1" };
  return partsIn({
    info: { id, directory: "/home/ada/loom", time },
    messages: [
      {
        info: { id: "msg_1", sessionID: id, role, time },
        parts: parts.map((part, index) => ({ id: `prt_${index}`, ...place, ...part })),
      },
    ],
  });
}

/** The same of a message of 2.x. */
function partsOf2(message: object): Promise<readonly Part[]> {
  const info = { id, location: { directory: "/home/ada/loom" }, time };
  return partsIn({ info, messages: [{ id: "msg_1", ...message, time }] });
}

async function partsIn(file: object): Promise<readonly Part[]> {
  return (await messagesIn(file)).flatMap(partsOf);
}

async function messagesIn(file: object): Promise<readonly Message[]> {
  const reader = fromOpencode(createHome({ "ses_a.json": file }));
  const root = contentOf(await readAll(reader, "ses_a.json"));
  const [restored] = restoredFiles(toOpencode.writeNative({ root, descendants: [] })).values();
  expect(JSON.parse(Buffer.from(restored ?? "").toString())).toEqual(file);
  return root.messages;
}

/** Whether a tool failed, and what it answered. */
function answers(parts: readonly Part[]): readonly (readonly [boolean, JsonValue])[] {
  return parts.flatMap((part) =>
    part.type === "tool_result" ? [[part.is_failure, part.result] as const] : [],
  );
}

describe("a tool of 1.x that was interrupted", () => {
  const ended = (metadata: object) => ({
    type: "tool",
    callID: "call_1",
    tool: "bash",
    state: {
      status: "error",
      input: { command: "make test" },
      error: "Tool execution aborted",
      metadata,
      time: { start, end: start },
    },
  });

  it.each([
    ["with its output so far", { interrupted: true, output: "ok 1\n" }, false, "ok 1\n"],
    ["with its output even if that is empty", { interrupted: true, output: "" }, false, ""],
    ["with its error if it had no output", { interrupted: true }, true, "Tool execution aborted"],
    [
      "with its error if `interrupted` is false",
      { interrupted: false, output: "ok 1\n" },
      true,
      "Tool execution aborted",
    ],
  ])("answers %s", async (_, metadata, isFailure, result) => {
    expect(answers(await partsOf1("assistant", ended(metadata)))).toEqual([[isFailure, result]]);
  });
});

describe("a tool of 2.x", () => {
  const call = (state: object, more: object = {}) =>
    partsOf2({
      type: "assistant",
      content: [
        { type: "tool", id: "call_1", name: "shell", ...more, state: { input: {}, ...state } },
      ],
    });
  const said = { type: "text", text: "undefined reference to weave" };
  const error = { type: "tool.failed", message: "exit 2" };

  it.each<[string, object, JsonValue]>([
    [
      "with its error message and its output",
      { error, content: [said] },
      [{ type: "text", text: "exit 2" }, said],
    ],
    ["with its output if there is no error", { content: [said] }, [said]],
    [
      "with its output if the error message is empty",
      { error: { ...error, message: "" }, content: [said] },
      [said],
    ],
    ["with its error if it has no output", { error, content: [] }, error],
    ["with its error alone if that has another shape", { error: "no", content: [said] }, "no"],
  ])("that failed answers %s", async (_, state, result) => {
    expect(answers(await call({ status: "error", ...state }))).toEqual([[true, result]]);
  });

  const structured = { lines: 3 };
  const result = { type: "text", value: "three lines" };
  it.each<[string, object, object, JsonValue]>([
    ["with its content", {}, { content: [said], structured, result }, [said]],
    [
      "with its structured fields if its content is empty",
      {},
      { content: [], structured },
      structured,
    ],
    ["with its structured fields if it has no content", {}, { structured, result }, structured],
    [
      "with the provider's result if the provider ran it",
      { provider: { executed: true } },
      { content: [], structured, result },
      result,
    ],
    ["with empty content if it has nothing else", {}, { content: [] }, []],
  ])("answers %s", async (_, more, state, expected) => {
    expect(answers(await call({ status: "completed", ...state }, more))).toEqual([
      [false, expected],
    ]);
  });

  it.each([
    [true, { executed: true }],
    [true, { provider: { executed: true } }],
    [false, { provider: { executed: false } }],
    [false, {}],
  ])("counts as run by the provider: %s for %j", async (expected, more) => {
    const [part] = await call({ status: "completed", content: [said] }, more);

    expect(part).toMatchObject({ type: "tool_call", provider_executed: expected });
  });
});

describe("the files of a prompt of 2.x", () => {
  const inBeta = { uri: `data:image/png;base64,${base64}`, mime: "image/png", name: "shot.png" };
  const elsewhere = {
    uri: "file:///home/ada/loom/a.txt",
    mime: "text/plain",
    source: { start: 8, end: 14, text: "@a.txt" },
  };
  const inline = { data: base64, mime: "image/png", source: { type: "inline" } };
  const linked = { mime: "text/plain", source: { type: "uri", uri: "file:///a.txt" } };
  const odd = { mime: "text/plain", name: "without content" };

  it.each([
    [
      "files as the betas wrote them",
      [inBeta, elsewhere],
      ["2 bytes", "3 file:///home/ada/loom/a.txt"],
    ],
    ["files as releases write them", [inline, linked], ["2 bytes", "3 file:///a.txt"]],
    [
      "a data URL that is not base64 as the client writes it",
      [{ ...inBeta, uri: "data:image/png;base64,!" }],
      ["2 data:image/png;base64,!"],
    ],
    [
      "files between entries without content",
      [odd, inBeta, odd, inline, odd],
      ["3 bytes", "5 bytes"],
    ],
    ["none if one entry is not an object", [inBeta, "a.txt"], []],
    ["none if no entry has content", [odd, odd], []],
  ])("become parts: %s", async (_, files, expected) => {
    const parts = await partsOf2({ type: "user", text: "Look", files });

    const found = parts.flatMap((part) =>
      part.type === "file"
        ? [`${part.id} ${part.data.type === "url" ? part.data.url : part.data.type}`]
        : [],
    );
    expect(found).toEqual(expected);
  });
});

it("reads the prompt of a command that a sub-agent runs as typed text", async () => {
  const subtask = {
    type: "subtask",
    prompt: "Weigh the quokka",
    agent: "general",
    command: "weigh",
  };

  const parts = await partsOf1("user", subtask);

  expect(parts).toMatchObject([
    { type: "text", id: "prt_0", provenance: "conversational", text: "Weigh the quokka" },
  ]);
});

const answered = "User has answered your questions: so. You can now continue.";
const picked = { answers: [["Purple", "of snails"], [], [""], ["a day"]] };

it.each<[string, string, object, string, readonly string[]]>([
  ["that were answered", "question", picked, answered, ["Purple", "of snails", "a day"]],
  ["that were left unanswered: none", "question", { answers: [[]] }, answered, []],
  ["with answers of another shape: none", "question", { answers: { a: "b" } }, answered, []],
  ["of a `question` tool of another maker: none", "question", picked, "Done.", []],
  ["of another tool: none", "bash", picked, answered, []],
])("finds a user's answers to questions %s", async (_, tool, metadata, said, texts) => {
  const input = { questions: [] };
  const completed = { status: "completed", input };
  const place = { sessionID: id, messageID: "msg_1" };
  const state1 = { ...completed, output: said, title: "", metadata, time: { start, end: start } };
  const part = { id: "prt_1", ...place, type: "tool", callID: "call_1", tool, state: state1 };
  const first = {
    info: { id, directory: "/home/ada/loom", time },
    messages: [{ info: { id: "msg_1", sessionID: id, role: "assistant", time }, parts: [part] }],
  };
  const content = [{ type: "text", text: said }];
  const second = (told: object) => ({
    info: { id, location: { directory: "/home/ada/loom" }, time },
    messages: [
      {
        ...{ id: "msg_1", type: "assistant", time },
        content: [
          {
            type: "tool",
            id: "call_1",
            name: tool,
            state: { ...completed, content, ...told },
            time,
          },
        ],
      },
    ],
  });
  // Betas had it under `structured`.
  for (const file of [first, second({ metadata }), second({ structured: metadata })]) {
    const messages = await messagesIn(file);

    const users = messages.filter(({ role }) => role === "user");
    expect(users.map(({ id: own }) => own)).toEqual(texts.length > 0 ? ["msg_1#answers"] : []);
    expect(users.flatMap(partsOf)).toMatchObject(
      texts.map((text) => ({ text, provenance: "conversational" })),
    );
    // A model hears them in the answer of the tool.
    expect(courseOf(opencodeRecordRules, [...messages]).live.map(({ role }) => role)).not.toContain(
      "user",
    );
  }
});

const feedback =
  "The user rejected permission to use this specific tool call with the following feedback: ";

it.each<[string, string, readonly string[]]>([
  ["with feedback", `${feedback}use the\nold loom`, ["use the\nold loom"]],
  ["with feedback in an older client", `Error: ${feedback}use the old loom`, ["use the old loom"]],
  ["without feedback", "The user rejected permission to use this specific tool call.", []],
  ["with empty feedback", feedback, []],
  ["by a rule", "The user has specified a rule which prevents you from using this.", []],
])("finds the user's words, if any, on a call refused %s", async (_, error, texts) => {
  const input = { command: "weave" };
  const place = { sessionID: id, messageID: "msg_1" };
  const state = { status: "error", input, error, time: { start, end: start } };
  const part = { id: "prt_1", ...place, type: "tool", callID: "call_1", tool: "bash", state };
  const first = {
    info: { id, directory: "/home/ada/loom", time },
    messages: [{ info: { id: "msg_1", sessionID: id, role: "assistant", time }, parts: [part] }],
  };
  const state2 = { status: "error", input, error: { type: "tool", message: error } };
  const tool = { type: "tool", id: "call_1", name: "bash", state: state2, time };
  const second = {
    info: { id, location: { directory: "/home/ada/loom" }, time },
    messages: [{ id: "msg_1", type: "assistant", time, content: [tool] }],
  };

  for (const file of [first, second]) {
    const messages = await messagesIn(file);

    const users = messages.filter(({ role }) => role === "user");
    expect(users.flatMap(partsOf)).toMatchObject(
      texts.map((text) => ({ text, provenance: "conversational" })),
    );
    const { live } = courseOf(opencodeRecordRules, [...messages]);
    expect(live.map(({ role }) => role)).not.toContain("user");
  }
});
