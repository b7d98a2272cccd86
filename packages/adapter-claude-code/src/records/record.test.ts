import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  contentOf,
  courseOf,
  jsonlRecords,
  lineagesOf,
  readAll,
  restoredFiles,
} from "@pond/adapter-testkit";
import { type Message, partsOf } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromClaudeCode } from "../from-claude-code.ts";
import { claudeCodeRecordRules } from "../record-rules.ts";
import { writeNative } from "../write-native.ts";

let projects: string;
beforeEach(() => {
  projects = mkdtempSync(join(tmpdir(), "pond-claude-"));
});
afterEach(() => rmSync(projects, { recursive: true, force: true }));

const log = "-w-app/5e551000-0000-4000-8000-000000000001.jsonl";

type Row = Readonly<Record<string, unknown>>;

/** A row as the client writes it, without an id: each gets one where it is put into a log. */
function user(content: unknown, fields: Row = {}): Row {
  return { type: "user", message: { role: "user", content }, ...fields };
}

function assistant(text: string, fields: Row = {}): Row {
  const content = [{ type: "text", text }];
  return { type: "assistant", message: { role: "assistant", content }, ...fields };
}

function queue(operation: string, content?: string): Row {
  return { type: "queue-operation", operation, ...(content !== undefined && { content }) };
}

const result = user([{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }]);

/** The messages of a log with these rows, which are also restored as they were. */
async function messagesOf(
  rows: readonly Row[],
  { version = "2.1.30", path = log } = {},
): Promise<readonly Message[]> {
  const records = rows.map((row, index) => ({
    cwd: "/w/app",
    timestamp: `2026-03-01T09:00:${String(index).padStart(2, "0")}.000Z`,
    version,
    ...(row["type"] !== "queue-operation" && { uuid: `u${index}` }),
    ...row,
  }));
  const file = join(projects, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const content = contentOf(await readAll(fromClaudeCode(projects), path));
  const [lineage] = lineagesOf([content]);
  const restored = jsonlRecords(restoredFiles(lineage ? writeNative(lineage) : []));
  expect([...restored.values()]).toEqual([records]);
  return content.messages;
}

/** What a human said, in order, with the answers. */
function said(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    partsOf(message)
      .filter(({ provenance }) => provenance === "conversational")
      .map((part) => `${message.role}: ${part.type === "text" ? part.text : part.type}`),
  );
}

it("reads a text document as a file", async () => {
  const source = { type: "text", media_type: "text/plain", data: "\ufeff# Zür\n" };
  const [message] = await messagesOf([user([{ type: "document", source, title: "PRD.md" }])]);

  expect(message && partsOf(message)).toMatchObject([
    {
      type: "file",
      provenance: "conversational",
      media_type: "text/plain",
      file_name: "PRD.md",
      data: { type: "bytes", bytes: Buffer.from("\ufeff# Zür\n") },
    },
  ]);
});

it.each([
  ["whose text holds a lone surrogate", { media_type: "text/plain", data: "\ud800" }],
  ["without a media type", { data: "x" }],
  ["without text", { media_type: "text/plain" }],
])("keeps the original block of a text document %s", async (_, fields) => {
  const block = { type: "document", source: { type: "text", ...fields } };
  const [message] = await messagesOf([user([block])]);

  expect(message && sourceOf(message)["block.0"]).toEqual(block);
});

it("marks an agent's prompt as written by an agent, but not a helper's copy of human text", async () => {
  const authors = await Promise.all(
    [
      ...["a0a1b2c", "acompact-0a1b2c"],
      ...["aprompt_suggestion-0a1b2c", "aside_question-0a1b2c"],
    ].map(async (agentId) => {
      const row = user("why does the shuttle stop?", { isSidechain: true, agentId });
      const path = log.replace(".jsonl", `/subagents/agent-${agentId}.jsonl`);
      const [message] = await messagesOf([row], { path });
      return message && sourceOf(message)["author"];
    }),
  );

  expect(authors).toEqual(["agent", undefined, undefined, undefined]);
});

const loaded = {
  type: "tool_result",
  tool_use_id: "toolu_1",
  content: [{ type: "tool_reference", tool_name: "Read" }],
};

it.each<[name: string, blocks: readonly Row[], said: readonly string[]]>([
  ["beside the tool result", [loaded, { type: "text", text: "Tool loaded." }], []],
  ["with message ids", [loaded, { type: "text", text: "Tool loaded.\n[id:a1]\n[id:b2]\n" }], []],
  [
    "not with a human's words after them",
    [loaded, { type: "text", text: "Tool loaded. Go on" }],
    ["user: Tool loaded. Go on"],
  ],
  ["not without the tool result", [{ type: "text", text: "Tool loaded." }], ["user: Tool loaded."]],
])("recognizes the client's words about a loaded tool: %s", async (_, blocks, expected) => {
  expect(said(await messagesOf([user(blocks)]))).toEqual(expected);
});

const talk = {
  type: "system",
  subtype: "voice_call_talk",
  level: "info",
  isMeta: true,
  msgV: 1,
  content: "[TALK FROM A VOICE CALL - NOT USER INPUT]\nplease dye the warp purple",
  origin: { kind: "voice-call" },
};

it("reads speech from a voice call as injected, because nobody typed it", async () => {
  const blocks = [{ type: "text", text: talk.content }];
  const messages = await messagesOf([talk, { ...talk, blocks }]);

  const part = { type: "text", text: talk.content, provenance: "injected" };
  expect(messages).toMatchObject([
    { role: "user", content: [part] },
    { role: "user", content: [part] },
  ]);
  expect(messages.map((message) => sourceOf(partsOf(message)[0] ?? message)["kind"])).toEqual([
    "voice-call",
    "voice-call",
  ]);
});

it.each([
  ["without content", { content: undefined }],
  ["with a list as content", { content: [{ type: "text", text: "dye it" }] }],
  ["of another origin", { origin: { kind: "human" } }],
  ["without an origin", { origin: undefined }],
  ["of another subtype", { subtype: "informational" }],
])(
  "carries a system row as a system message if it is no voice-call talk: %s",
  async (_, fields) => {
    const [message] = await messagesOf([{ ...talk, ...fields }]);

    expect(message?.role).toBe("system");
  },
);

/** Events that the client polled for, each with who sent it. */
function polled(provenance: unknown, fields: Row = {}): Row {
  const envelopes = ["<event>dye the warp</event>", "<event>the loom stopped</event>"];
  return {
    type: "attachment",
    attachment: { type: "poll_events", envelopes, provenance, ...fields },
  };
}

const byHuman = { authority: "human-principal", senderText: "dye the warp" };

it.each<[name: string, row: Row, said: readonly string[]]>([
  ["one of two events", polled([byHuman, { authority: "world-event" }]), ["user: dye the warp"]],
  ["beside an event without a sender", polled([byHuman, null]), ["user: dye the warp"]],
  [
    "both of two events",
    polled([byHuman, { ...byHuman, senderText: "so?" }]),
    ["user: dye the warp", "user: so?"],
  ],
  ["not if a tool result holds the events", polled([byHuman], { deliveredVia: "poll_tool" }), []],
  ["not if a prompt holds the events", polled([byHuman], { deliveredVia: "value_dispatch" }), []],
  ["not of another human", polled([{ ...byHuman, authority: "human-other" }]), []],
  ["not without the sender's text", polled([{ authority: "human-principal" }]), []],
  ["not if the provenance is not a list", polled("human-principal"), []],
])("reads human messages among polled events: %s", async (_, row, expected) => {
  const messages = await messagesOf([row, assistant("it is done")]);

  expect(messages[0]?.role).toBe("system");
  expect(said(messages)).toEqual([...expected, "assistant: it is done"]);
});

const refusal =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a " +
  "file edit, the new_string was NOT written to the file). To tell you how to proceed, the user " +
  "said:\n";
const clarified = "The user wants to clarify these questions.\n    This means they may have more.";
const agentsRefusal =
  "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, " +
  "the new_string was NOT written to the file). The user said:\n";
const editorsRefusal = refusal.replace(
  "To tell you how to proceed, the user said:\n",
  "The user provided the following reason for the rejection:  ",
);
const note = "\n\nNote: The user's next message may contain a correction or preference. Pay close";
const rejected = (content: string) => ({
  type: "tool_result",
  tool_use_id: "toolu_1",
  content,
  is_error: true,
});
const words = "use the old loom";
const [refused, unclear] = [words, clarified].map((each) => rejected(`${refusal}${each}`));
const enough = rejected(
  `${refusal}The user has indicated they have provided enough answers for the plan interview.\nStop`,
);
const channel = rejected(`${refusal}Denied via channel telegram`);
const noted = rejected(`${refusal}${words}${note} attention.`);
const ofAgent = rejected(`${agentsRefusal}${words}`);
const inEditor = rejected(`${editorsRefusal}${words}`);
const inBlock = { ...refused, content: [{ type: "text", text: `${refusal}${words}` }] };
const answered = { type: "tool_result", tool_use_id: "toolu_1", content: "It was answered." };
const questions = [{ question: "Which dye?" }, { question: "How long?" }];

it.each<[name: string, blocks: readonly unknown[], fields: Row, said: readonly string[]]>([
  [
    "the reason for a refusal, from a field of its own",
    [refused],
    { userFeedback: "the old one" },
    ["the old one"],
  ],
  ["the reason for a refusal in older clients", [refused], {}, ["use the old loom"]],
  [
    "text pasted beside a refusal",
    [refused, { type: "text", text: "see there" }],
    {},
    ["see there", "use the old loom"],
  ],
  ["not a note that the user wants to clarify", [unclear], { userFeedback: clarified }, []],
  ["not a note that the user wants to clarify in older clients", [unclear], {}, []],
  ["not a note that the user has answered enough", [enough], {}, []],
  ["not the channel that a refusal came through", [channel], {}, []],
  [
    "the reason for a refusal, without the client's note after it",
    [noted],
    {},
    ["use the old loom"],
  ],
  ["the reason for a refusal to a sub-agent", [ofAgent], {}, ["use the old loom"]],
  ["the reason for a refusal in an editor", [inEditor], {}, ["use the old loom"]],
  ["the reason for a refusal in a content block", [inBlock], {}, ["use the old loom"]],
  ["not a tool's output that looks like a refusal", [{ ...refused, is_error: false }], {}, []],
  ["not in a row with two results", [refused, { ...answered, tool_use_id: "toolu_2" }], {}, []],
  [
    "answers to questions, with notes",
    [answered],
    {
      toolUseResult: {
        questions,
        answers: { "Which dye?": "purple", "How long?": ["a day", "or two"] },
        annotations: { "Which dye?": { notes: "of snails", preview: "~~~" } },
      },
    },
    ["purple", "of snails", "a day", "or two"],
  ],
  [
    "one response to all questions",
    [answered],
    { toolUseResult: { questions, response: "no" } },
    ["no"],
  ],
  [
    "a note without a chosen answer",
    [answered],
    { toolUseResult: { questions, annotations: { "Which dye?": { notes: "of snails" } } } },
    ["of snails"],
  ],
  [
    "not the client's placeholders for answers",
    [answered],
    {
      toolUseResult: {
        questions: [...questions, { question: "Seen?" }, { question: "Else?" }],
        answers: {
          "Which dye?": "(notes only)",
          "How long?": "a day (Image attached)",
          "Seen?": "(Image attached)",
          "Else?": "__other__",
        },
        annotations: { "Which dye?": { notes: "of snails" } },
      },
    },
    ["of snails", "a day"],
  ],
  ["not answers without questions", [answered], { toolUseResult: { answers: { a: "b" } } }, []],
  [
    "not answers in another shape",
    [answered],
    { toolUseResult: { questions, answers: [1, ""] } },
    [],
  ],
])("reads a human's words in a tool result: %s", async (_, blocks, fields, expected) => {
  const messages = await messagesOf([user(blocks, fields), assistant("well")]);

  expect(messages[0]?.role).toBe("tool");
  expect(said(messages)).toEqual([...expected.map((text) => `user: ${text}`), "assistant: well"]);
});

it.each([
  ["AskUserQuestion", ["user: purple"]],
  ["mcp__loom__survey", []],
])("reads a user's answers only in the results of AskUserQuestion: %s", async (name, expected) => {
  const call = { type: "tool_use", id: "toolu_1", name, input: {} };
  const asking = { type: "assistant", message: { role: "assistant", content: [call] } };
  const answers = { toolUseResult: { questions, answers: { "Which dye?": "purple" } } };

  const messages = await messagesOf([asking, user([answered], answers)]);

  expect(said(messages)).toEqual(["assistant: tool_call", ...expected]);
});

it("does not mistake a human's words in a tool result for a waiting queued prompt", async () => {
  const messages = await messagesOf([
    result,
    queue("enqueue", "also wash it"),
    queue("remove"),
    user([refused]),
    assistant("well"),
  ]);

  expect(said(messages).toSorted()).toEqual([
    "assistant: well",
    "user: also wash it",
    "user: use the old loom",
  ]);
});

it("gives a model a human's words in a tool result only once", async () => {
  const messages = await messagesOf([user([refused]), assistant("well")]);

  const course = courseOf(claudeCodeRecordRules, messages);

  expect(course.live.map(({ role }) => role)).toEqual(["tool", "assistant"]);
});

const summarize = "Your task is to create a detailed summary of the conversation so far";
const sideQuestion = "<system-reminder>This is a side question.</system-reminder>\n\nwhich loom?";

it.each<[name: string, agentId: string, prompt: string, expected: readonly string[]]>([
  ["a summary", "acompact-0a1b2c", summarize, []],
  ["a suggestion", "aprompt_suggestion-0a1b2c", "[SUGGESTION MODE: Suggest]", []],
  [
    "a side question that a human asked",
    "aside_question-0a1b2c",
    sideQuestion,
    ["user: which loom?", "assistant: let me see", "assistant: here it is"],
  ],
  [
    "the same prompt to an agent that is not a helper",
    "a0a1b2c",
    summarize,
    [`user: ${summarize}`, "assistant: let me see", "assistant: here it is"],
  ],
])(
  "tells a helper's answers to the client from answers to a human: %s",
  async (_, agentId, prompt, expected) => {
    const rows = [
      user("fix the loom"),
      assistant("I look", { parentUuid: "u0" }),
      user(prompt, { parentUuid: "u1" }),
      assistant("let me see", { parentUuid: "u2" }),
      assistant("here it is", { parentUuid: "u3" }),
    ].map((row) => ({ ...row, isSidechain: true, agentId }));
    const path = log.replace(".jsonl", `/subagents/agent-${agentId}.jsonl`);

    expect(said(await messagesOf(rows, { path }))).toEqual([
      "user: fix the loom",
      "assistant: I look",
      ...expected,
    ]);
  },
);

it("leaves out an agent's answer to the warm-up, even after tool results", async () => {
  const agentId = "a0a1b2c";
  const rows = [
    user("Warmup", { parentUuid: null }),
    assistant("let me see", { parentUuid: "u0" }),
    { type: "progress", data: { type: "hook_progress" }, parentUuid: "u1" },
    { ...result, parentUuid: "u2" },
    assistant("here it is", { parentUuid: "u3" }),
    user("fix the loom", { parentUuid: "u4" }),
    assistant("I look", { parentUuid: "u5" }),
  ].map((row) => ({ ...row, isSidechain: true, agentId }));
  const path = log.replace(".jsonl", `/subagents/agent-${agentId}.jsonl`);

  const texts = said(await messagesOf(rows, { path })).filter((text) => !text.startsWith("tool:"));

  expect(texts).toEqual(["user: fix the loom", "assistant: I look"]);
});

it("continues the conversation after a helper's answer", async () => {
  const rows = [
    user(summarize, { parentUuid: null }),
    assistant("overloaded", { parentUuid: "u0", isApiErrorMessage: true }),
    assistant("we wove", { parentUuid: "u1" }),
    user("fix the loom", { parentUuid: "u2" }),
    assistant("I look", { parentUuid: "u3" }),
  ].map((row) => ({ ...row, isSidechain: true, agentId: "acompact-0a1b2c" }));
  const path = log.replace(".jsonl", "/subagents/agent-acompact-0a1b2c.jsonl");

  expect(said(await messagesOf(rows, { path }))).toEqual([
    "user: fix the loom",
    "assistant: I look",
  ]);
});

it("places a queued prompt where the model answers it", async () => {
  const messages = await messagesOf([
    user("fix the loom"),
    assistant("I look"),
    queue("enqueue", "does it fail here?"),
    queue("remove"),
    result,
    assistant("It does"),
  ]);

  expect(said(messages)).toEqual([
    "user: fix the loom",
    "assistant: I look",
    "user: does it fail here?",
    "assistant: It does",
  ]);
  const [, , carrier, , , prompt] = messages;
  expect(prompt?.id).toBe(`${carrier?.id}#text`);
  expect(prompt?.timestamp).toBe(carrier?.timestamp);
});

it("takes prompts out of the queue in the order in which they came in", async () => {
  const messages = await messagesOf([
    queue("enqueue"),
    queue("enqueue", "first"),
    queue("enqueue", "/model"),
    queue("dequeue"),
    queue("remove"),
    result,
    assistant("one"),
    queue("enqueue", "second"),
    queue("remove"),
    queue("remove"),
    result,
    assistant("two"),
  ]);

  expect(said(messages)).toEqual([
    "user: first",
    "assistant: one",
    "user: second",
    "assistant: two",
  ]);
});

it("tells from a typed prompt that an earlier queued one was taken out unrecorded", async () => {
  const messages = await messagesOf([
    queue("enqueue", "first"),
    queue("enqueue", "second"),
    queue("dequeue"),
    user("second"),
    queue("enqueue", "third"),
    queue("remove"),
    result,
    assistant("so"),
  ]);

  expect(said(messages)).toEqual(["user: second", "user: third", "assistant: so"]);
});

it("holds at most a hundred prompts that were taken out of the queue before an answer", async () => {
  const taken = Array.from({ length: 150 }, (_, n) => [queue("enqueue", `p${n}`), queue("remove")]);

  const messages = await messagesOf([result, ...taken.flat(), assistant("so")]);

  expect(said(messages)).toHaveLength(101);
});

describe("when a queue record is lost", () => {
  it("reads a waiting prompt between tool results and their answer", async () => {
    const messages = await messagesOf([
      queue("enqueue", "first"),
      result,
      assistant("one"),
      queue("enqueue", "second"),
      queue("remove"),
      result,
      assistant("two"),
      user("idle"),
      queue("enqueue", "third"),
      queue("remove"),
      result,
      assistant("three"),
    ]);

    expect(said(messages)).toEqual([
      ...["user: first", "assistant: one", "user: second", "assistant: two"],
      ...["user: idle", "user: third", "assistant: three"],
    ]);
  });

  it("waits for the answer if the rest of a message follows the tool results", async () => {
    const row = (text: string, id: string) => ({
      ...assistant(text),
      message: { role: "assistant", id, content: [{ type: "text", text }] },
    });
    const messages = await messagesOf([
      queue("enqueue", "typed"),
      row("I look", "msg_1"),
      result,
      row("and look", "msg_1"),
      result,
      queue("remove"),
      row("so", "msg_2"),
    ]);

    expect(said(messages).slice(2)).toEqual(["user: typed", "assistant: so"]);
  });

  it("reads only once a prompt that was taken out and put back", async () => {
    const messages = await messagesOf([
      queue("enqueue", "typed"),
      queue("dequeue"),
      queue("enqueue", "typed"),
      queue("dequeue"),
      queue("remove"),
      queue("remove"),
      result,
      assistant("so"),
    ]);

    expect(said(messages)).toEqual(["user: typed", "assistant: so"]);
  });

  it("tells by its time which of two equal prompts an idle client took out", async () => {
    const messages = await messagesOf([
      queue("enqueue", "typed"),
      { ...queue("enqueue", "typed"), timestamp: "2026-03-01T09:01:00.000Z" },
      queue("dequeue"),
      user("typed", { timestamp: "2026-03-01T09:01:00.020Z" }),
      result,
      assistant("so"),
    ]);

    expect(said(messages)).toEqual(["user: typed", "assistant: so"]);
  });

  it("reads only once a prompt whose queue record was written twice", async () => {
    const line = { ...queue("enqueue", "typed"), timestamp: "2026-03-01T09:00:00.000Z" };

    const messages = await messagesOf([line, line, queue("remove"), result, assistant("so")]);

    expect(said(messages)).toEqual(["user: typed", "assistant: so"]);
  });
});

const task = JSON.stringify({
  task_id: "b0a1b2c",
  tool_use_id: "toolu_1",
  description: "weave",
  task_type: "local_bash",
});

it.each([
  ["a task", task],
  ["a task notification", "<task-notification>x</task-notification>"],
  ["a shell notification of an older build", "<bash-notification>x</bash-notification>"],
  ["an agent notification of an older build", "<agent-notification>x</agent-notification>"],
])("takes prompts out of the queue ahead of %s", async (_, waiting) => {
  const messages = await messagesOf([
    queue("enqueue", waiting),
    queue("enqueue", "first"),
    queue("remove"),
    result,
    assistant("one"),
    queue("enqueue", waiting),
    queue("enqueue", "second"),
    queue("remove"),
    result,
    assistant("two"),
    queue("remove"),
    queue("remove"),
    result,
    assistant("three"),
  ]);

  expect(said(messages)).toEqual([
    "user: first",
    "assistant: one",
    "user: second",
    "assistant: two",
    "assistant: three",
  ]);
});

it("leaves prompts in the queue if tasks are removed at the end of a turn", async () => {
  const messages = await messagesOf([
    queue("enqueue", task),
    queue("enqueue", task),
    result,
    queue("enqueue", "first"),
    queue("enqueue", "second"),
    { ...queue("remove"), timestamp: "2026-03-01T09:00:05.001Z" },
    { ...queue("remove"), timestamp: "2026-03-01T09:00:05.001Z" },
    { ...queue("dequeue"), timestamp: "2026-03-01T09:00:05.002Z" },
    assistant("one"),
    user("first"),
    assistant("hm"),
    queue("remove"),
    result,
    assistant("two"),
  ]);

  expect(said(messages)).toEqual([
    "assistant: one",
    "user: first",
    "assistant: hm",
    "user: second",
    "assistant: two",
  ]);
});

it("reads a queued prompt that only looks like a task", async () => {
  const rows = [
    queue("enqueue", '{"task_id":1}'),
    queue("remove"),
    queue("enqueue", '{"task_id'),
    queue("remove"),
  ];
  const messages = await messagesOf([result, ...rows, assistant("so")]);

  expect(said(messages)).toEqual(['user: {"task_id":1}', 'user: {"task_id', "assistant: so"]);
});

it.each<[name: string, rows: readonly Row[]]>([
  [
    "another is queued before the answer",
    [queue("remove"), result, queue("enqueue", "next"), assistant("so")],
  ],
  [
    "it is removed after the results, and another is queued",
    [result, queue("remove"), queue("enqueue", "next"), assistant("so")],
  ],
  [
    "it is removed while a tool call is written",
    [assistant("hm"), queue("remove"), assistant("hm"), result, assistant("so")],
  ],
  [
    "a notification is queued before the answer",
    [
      queue("remove"),
      result,
      queue("enqueue", "<task-notification>x</task-notification>"),
      assistant("so"),
    ],
  ],
])("reads a queued prompt if %s", async (_, rows) => {
  const messages = await messagesOf([queue("enqueue", "typed"), ...rows]);

  expect(said(messages).filter((text) => text !== "assistant: hm")).toEqual([
    "user: typed",
    "assistant: so",
  ]);
});

it.each<[name: string, rows: readonly Row[], version?: string]>([
  ["that became a prompt of its own", [queue("dequeue"), result, assistant("so")]],
  ["that was taken back with all others", [queue("popAll"), result, assistant("so")]],
  [
    "that was taken back and edited",
    [queue("remove"), queue("enqueue", "edited"), queue("popAll"), result, assistant("so")],
  ],
  [
    "that was taken back after a task was removed",
    [
      result,
      { ...queue("remove"), timestamp: "2026-03-01T09:00:05.001Z" },
      { ...queue("popAll", "typed"), timestamp: "2026-03-01T09:00:05.002Z" },
      assistant("so"),
    ],
  ],
  ["that was taken back during an answer", [queue("remove"), assistant("so")]],
  ["that is not answered yet", [result, queue("remove")]],
  [
    "that an attachment holds in newer builds",
    [result, queue("remove"), assistant("so")],
    "2.1.108",
  ],
])("makes no message of a queued prompt %s", async (_, rows, version = "2.1.92") => {
  const messages = await messagesOf([queue("enqueue", "typed"), ...rows], { version });

  expect(said(messages).filter((text) => text.startsWith("user"))).toEqual([]);
});

it("makes no message of a queued prompt that was typed again", async () => {
  const rows = [
    queue("enqueue", "typed"),
    queue("remove"),
    user("typed!"),
    result,
    assistant("so"),
  ];

  expect(said(await messagesOf(rows))).toEqual(["user: typed!", "assistant: so"]);
});
