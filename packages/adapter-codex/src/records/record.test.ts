import {
  contentOf,
  courseOf,
  firstDifference,
  jsonlRecords,
  readAll,
  restoredFiles,
  withFolder,
} from "@pond/adapter-testkit";
import { type JsonObject, type JsonValue, type Message, stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromCodex } from "../from-codex.ts";
import { codexRecordRules } from "../record-rules.ts";
import { toCodex } from "../to-codex.ts";

const id = "019e0000-0000-7000-8000-000000000001";
const path = `sessions/2026/10/04/rollout-2026-10-04T11-00-00-${id}.jsonl`;
const timestamp = "2026-10-04T09:00:00.000Z";

const header = { id, timestamp, cwd: "/home/ada" };
const line = (type: string, payload: JsonObject, more: JsonObject = {}): JsonObject => ({
  timestamp,
  ...more,
  type,
  payload,
});
const item = (payload: JsonObject, more: JsonObject = {}): JsonObject =>
  line("response_item", payload, more);
const input = (text: string): JsonObject => ({ type: "input_text", text });

/** The messages of these records behind a header, which are first found to be restored as they were. */
async function read(
  records: readonly JsonObject[],
  more: JsonObject = {},
): Promise<readonly Message[]> {
  const lines = [line("session_meta", { ...header, ...more }), ...records];
  const bytes = Buffer.from(lines.map((each) => `${stringifyJson(each)}\n`).join(""));
  const files = new Map([[path, bytes]]);
  const content = contentOf(await withFolder(files, (folder) => readAll(fromCodex(folder), path)));
  const restored = restoredFiles(toCodex.writeNative({ root: content, descendants: [] }));
  const difference = firstDifference(
    jsonlRecords(files).get(path) ?? null,
    jsonlRecords(restored).get(path) ?? null,
  );
  expect(difference).toBeUndefined();
  return content.messages.slice(1);
}

/** Who wrote a message, and its texts with the provenance of each. */
function said(message: Message | undefined): readonly unknown[] {
  if (message === undefined || message.role === "system") return [message?.role];
  const { author } = Object(message.options["source"]);
  const texts = message.content.map((part) =>
    part.type === "text" ? [part.provenance, part.text] : [part.type],
  );
  return [message.role, author, ...texts];
}

it("reads a local shell's output as the result of its call", async () => {
  const [, output] = await read([
    item({ type: "local_shell_call", call_id: "c", status: "completed", action: { type: "exec" } }),
    item({ type: "local_shell_call_output", call_id: "c", output: '{"output":"a badger"}' }),
  ]);

  expect(output).toMatchObject({
    role: "tool",
    content: [
      {
        type: "tool_result",
        call_id: "c",
        name: "local_shell_call",
        is_failure: false,
        result: '{"output":"a badger"}',
      },
    ],
  });
});

it("takes the tags around an image for the client's, even if they are labelled as the user's (`model-part-provenance`)", async () => {
  const tag = '<image name=[Image #1] path="/tmp/x.png">';
  const [message] = await read([
    item({
      type: "message",
      role: "user",
      content: [
        input(tag),
        { type: "input_image", image_url: "data:image/png;base64,aGk=" },
        input("</image>"),
        input("[Image #1] what is wrong?"),
      ],
      internal_chat_message_metadata_passthrough: {
        content_item_kinds: ["user.text", "user.image", "user.text", "user.text"],
      },
    }),
  ]);

  expect(said(message)).toEqual([
    "user",
    undefined,
    ["injected", tag],
    ["file"],
    ["injected", "</image>"],
    ["conversational", "[Image #1] what is wrong?"],
  ]);
});

const head = (type: string): string =>
  `Message Type: ${type}\nTask name: /root/tester\nSender: /root\nPayload:\n`;
const mail = (...content: readonly JsonObject[]): JsonObject => ({
  type: "agent_message",
  id: "am",
  author: "/root",
  recipient: "/root/tester",
  content,
});
const letter = {
  author: "/root",
  recipient: "/root/tester",
  other_recipients: [],
  content: "Run it.",
  trigger_turn: true,
};
const sealed = { type: "encrypted_content", encrypted_content: "gAAA" };

it.each<[name: string, record: JsonObject, said: readonly unknown[]]>([
  [
    "a task",
    item(mail(input(`${head("NEW_TASK")}Run it.`))),
    ["user", "agent", ["injected", head("NEW_TASK")], ["conversational", "Run it."]],
  ],
  [
    "an answer without a sender's name",
    item(mail(input("Message Type: FINAL_ANSWER\nPayload:\nIt fails."))),
    [
      "user",
      "agent",
      ["injected", "Message Type: FINAL_ANSWER\nPayload:\n"],
      ["conversational", "It fails."],
    ],
  ],
  [
    "text in another form",
    item(mail(input("Payload: Run it."))),
    ["user", "agent", ["conversational", "Payload: Run it."]],
  ],
  [
    "an encrypted task",
    item(mail(input(head("NEW_TASK")), sealed)),
    ["user", "agent", ["injected", head("NEW_TASK")]],
  ],
  ["encrypted content alone", item(mail(sealed)), ["system"]],
  [
    "a message in a line of its own",
    line("inter_agent_communication", { ...letter, id: "am" }),
    ["user", "agent", ["conversational", "Run it."]],
  ],
  [
    "an encrypted message in a line of its own",
    line("inter_agent_communication", { ...letter, content: "", encrypted_content: "gAAA" }),
    ["system"],
  ],
  [
    "metadata without the mail",
    line("inter_agent_communication_metadata", { trigger_turn: true }),
    ["system"],
  ],
])("reads mail from another agent: %s", async (_, record, expected) => {
  const [message] = await read([record]);

  expect(said(message)).toEqual(expected);
});

it("gives a line of mail the id that it had as a carried record (`lance-deterministic-pk`)", async () => {
  const [first, second] = await read([
    line("inter_agent_communication", { ...letter, id: "am" }),
    line("inter_agent_communication", { ...letter, id: "am" }),
  ]);

  expect([first?.id, second?.id]).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    `${first?.id}.1`,
  ]);
});

const wrapper = "<realtime_delegation>\n  <input>";
const transcript =
  "</input>\n  <transcript_delta>user: is a &lt; b?\nassistant: on it</transcript_delta>\n</realtime_delegation>";
const flushed =
  "<realtime_delegation>\n  <source>transcript_tail_flush</source>\n  <input>Go on.</input>\n</realtime_delegation>";
const empty = "<realtime_delegation>\n  <input></input>\n</realtime_delegation>";
const handedOver = (text: string, kinds?: readonly string[]): JsonObject =>
  item({
    type: "message",
    role: "user",
    content: [input(text)],
    ...(kinds && { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }),
  });

it.each<[name: string, record: JsonObject, parts: readonly unknown[]]>([
  [
    "a request",
    handedOver(`${wrapper}Is a &lt; b?${transcript}`),
    [
      ["injected", wrapper],
      ["conversational", "Is a &lt; b?"],
      ["injected", transcript],
    ],
  ],
  [
    "a request with a label",
    handedOver(`${wrapper}Why?${transcript}`, ["realtime_conversation.delegation"]),
    [
      ["injected", wrapper],
      ["conversational", "Why?"],
      ["injected", transcript],
    ],
  ],
  ["the last words of a talk", handedOver(flushed), [["injected", flushed]]],
  ["an empty request", handedOver(empty), [["injected", empty]]],
  [
    "a wrapper quoted in a prompt",
    handedOver(`${flushed} ?`),
    [["conversational", `${flushed} ?`]],
  ],
])("cuts spoken words out of their wrapper: %s (spec 6.5, rule 1)", async (_, record, parts) => {
  const [message] = await read([record]);

  expect(said(message)).toEqual(["user", undefined, ...parts]);
});

const answer = (text: string, kind?: string): JsonObject =>
  item({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text }],
    ...(kind !== undefined && {
      internal_chat_message_metadata_passthrough: {
        content_item_kinds: [kind],
        content_item_metadata: [{ provenance: { type: "model" } }],
      },
    }),
  });

const called = "[external_agent_tool_call: Bash]\ncommand: ls\n";
const call = `${called}[/external_agent_tool_call]`;
const ended = "[/external_agent_tool_result]";
const output = `[external_agent_tool_result: error]\na\n\nb\n${ended}`;
const nothing = `[external_agent_tool_result]\n${ended}`;
const notTaken = "[external unsupported block: image]";

it.each<[name: string, record: JsonObject, provenance: string]>([
  ["an answer", answer("Done."), "conversational"],
  ["an answer with a label", answer("Done.", "assistant.text"), "conversational"],
  ["an answer with an unknown label", answer("Done.", "kind.of_tomorrow"), "conversational"],
  ["mail", answer(stringifyJson(letter)), "injected"],
  [
    "a text with a label for mail",
    answer("Done.", "multi_agent.inter_agent_completion_message"),
    "injected",
  ],
  ["JSON with more fields than mail", answer(stringifyJson({ ...letter, x: 1 })), "conversational"],
  ["JSON with fewer fields than mail", answer('{"author":"/root"}'), "conversational"],
  ["a text that begins with a brace", answer("{ Done."), "conversational"],
  ["an import's call that ends like an output", answer(`${called}${ended}`), "conversational"],
  ["text on the last line of an import's output", answer(`${output} Done.`), "conversational"],
])(
  "tells whose words an assistant message holds: %s (`model-part-provenance`)",
  async (_, record, provenance) => {
    const [message] = await read([record]);

    expect(message).toMatchObject({ role: "assistant", content: [{ type: "text", provenance }] });
  },
);

it.each<[name: string, texts: readonly (readonly [string, string])[]]>([
  ["a call", [["injected", call]]],
  ["an output", [["injected", output]]],
  ["an empty output", [["injected", nothing]]],
  ["several marks", [["injected", `${call}\n\n${call}\n\n${notTaken}`]]],
  [
    "a call after text",
    [
      ["conversational", "I look."],
      ["injected", `\n\n${call}`],
    ],
  ],
  [
    "text between calls",
    [
      ["injected", `${call}\n\n`],
      ["conversational", "And\n\nthen."],
      ["injected", `\n\n${call}`],
    ],
  ],
  [
    "a mark before text",
    [
      ["injected", `${notTaken}\n\n`],
      ["conversational", "Done."],
    ],
  ],
  ["not a call without an end", [["conversational", `Well.\n\n${called}`]]],
  ["not a mark in a sentence", [["conversational", `What is ${notTaken}?`]]],
])("cuts an import's marks off the assistant's words: %s (spec 6.5, rule 1)", async (_, parts) => {
  const [message] = await read([answer(parts.map(([, text]) => text).join(""))]);

  expect(said(message)).toEqual(["assistant", undefined, ...parts]);
});

it.each<[name: string, texts: readonly (readonly [string, string])[]]>([
  [
    "before them",
    [
      ["injected", `${output}\n\n${nothing}\n\n`],
      ["conversational", "Not so."],
    ],
  ],
  ["not an output that the user quotes", [["conversational", `What is this?\n\n${output}`]]],
  [
    "with unsupported blocks after them",
    [
      ["conversational", "What is this?"],
      ["injected", `\n\n${notTaken}\n\n${notTaken}`],
    ],
  ],
  [
    "with an unsupported block among them",
    [
      ["injected", `${output}\n\n`],
      ["conversational", "This?"],
      ["injected", `\n\n${notTaken}\n\n`],
      ["conversational", "Or\n\nthis?"],
    ],
  ],
  ["not marks in sentences", [["conversational", `What is ${notTaken}?\n\nAnd ${notTaken}`]]],
])(
  "cuts the outputs that an import wrote off the user's words: %s (spec 6.5, rule 1)",
  async (_, parts) => {
    const [message] = await read([handedOver(parts.map(([, text]) => text).join(""))]);

    expect(said(message)).toEqual(["user", undefined, ...parts]);
  },
);

it("cuts a text full of unclosed marks in linear time", async () => {
  // To look for the end of each would not end within the time of a test.
  const text = `${called}\n`.repeat(100_000);
  const [message] = await read([answer(text)]);

  expect(said(message)).toEqual(["assistant", undefined, ["conversational", text]]);
});

const typed = (more: JsonObject): JsonObject =>
  item({ type: "message", role: "user", content: [input("Why?")] }, more);

it.each<[name: string, record: JsonObject, author: string | undefined]>([
  ["the agent's task", typed({ ordinal: 2 }), "agent"],
  ["the agent's task without a number", typed({ metadata: { client_authored: true } }), "agent"],
  ["a message from before the task", typed({ ordinal: 1 }), undefined],
  ["an inherited message", typed({ metadata: { inherited_user_message: true } }), undefined],
])("tells who wrote a message to a spawned agent: %s", async (_, record, author) => {
  const [message] = await read([record], {
    thread_source: "subagent",
    subagent_history_start_ordinal: 2,
  });

  expect(said(message)).toEqual(["user", author, ["conversational", "Why?"]]);
});

const rules = `${"Weave from the left. Never cut the warp without asking. ".repeat(2)}\n\n## Skills`;
const instructions = (text: string): JsonObject =>
  handedOver(`# AGENTS.md instructions for /home/ada\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`);
const prompt = (texts: readonly string[], kinds?: readonly string[]): JsonObject =>
  item({
    type: "message",
    role: "user",
    content: texts.map(input),
    ...(kinds && { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }),
  });
const quoted = `${rules.slice(0, 110)}\n`;

it.each<[name: string, record: JsonObject, parts: readonly unknown[]]>([
  [
    "before a prompt",
    prompt([quoted, "Explain the loom."]),
    [
      ["injected", quoted],
      ["conversational", "Explain the loom."],
    ],
  ],
  [
    "before a prompt that the client labels as the user's",
    prompt([quoted, "Explain the loom."], ["user.text", "user.text"]),
    [
      ["injected", quoted],
      ["conversational", "Explain the loom."],
    ],
  ],
  ["not in place of a prompt", prompt([quoted]), [["conversational", quoted]]],
  [
    "not in place of a prompt, before an image",
    prompt([quoted, "<image>", "</image>"]),
    [
      ["conversational", quoted],
      ["injected", "<image>"],
      ["injected", "</image>"],
    ],
  ],
  [
    "not in so few words that a human may type them",
    prompt([rules.slice(0, 90), "Explain that."]),
    [
      ["conversational", rules.slice(0, 90)],
      ["conversational", "Explain that."],
    ],
  ],
  [
    "not with a human's words added",
    prompt([`${quoted}Why?`, "Explain that."]),
    [
      ["conversational", `${quoted}Why?`],
      ["conversational", "Explain that."],
    ],
  ],
])(
  "recognizes the project's rules when an editor repeats them: %s (`model-part-provenance`)",
  async (_, record, parts) => {
    const [, message] = await read([instructions(rules), record]);

    expect(said(message)).toEqual(["user", undefined, ...parts]);
  },
);

it.each<[name: string, before: readonly JsonObject[]]>([
  ["are not in the log", []],
  ["are too long to compare", [instructions(rules + "x".repeat(300_000))]],
])("counts text before a prompt as the user's if the project's rules %s", async (_, before) => {
  const messages = await read([...before, prompt([quoted, "Explain the loom."])]);

  expect(said(messages[before.length])).toEqual([
    "user",
    undefined,
    ["conversational", quoted],
    ["conversational", "Explain the loom."],
  ]);
});

const event = (type: string, payload: JsonObject = {}): JsonObject =>
  line("event_msg", { type, ...payload });
const shown = (message: string): JsonObject => event("agent_message", { message });
const aborted = event("turn_aborted", { reason: "interrupted" });
const thought = item({ type: "reasoning", summary: [], encrypted_content: "gAAA" });

it("reads the model's words in an interrupted answer for which the client records no item", async () => {
  const messages = await read([
    typed({}),
    shown("I look."),
    event("agent_reasoning", { text: "Hm." }),
    shown("I weave."),
    aborted,
    typed({}),
  ]);

  expect(messages.map(said)).toEqual([
    ["user", undefined, ["conversational", "Why?"]],
    ["system"],
    ["system"],
    ["system"],
    ["system"],
    ["assistant", undefined, ["conversational", "I look."]],
    ["assistant", undefined, ["conversational", "I weave."]],
    ["user", undefined, ["conversational", "Why?"]],
  ]);
  const [, carrier, , , , first] = messages;
  expect(first?.id).toBe(`${carrier?.id}#text`);
  expect(first?.timestamp).toBe(carrier?.timestamp);
});

it("reads an interrupted answer even if it repeats the user's prompt", async () => {
  const messages = await read([typed({}), shown("Why?"), aborted]);

  expect(said(messages.at(-1))).toEqual(["assistant", undefined, ["conversational", "Why?"]]);
});

it.each<[name: string, records: readonly JsonObject[]]>([
  ["whose item follows", [shown("Done."), answer("Done."), aborted]],
  ["whose item precedes it", [answer("Done."), shown("Done."), aborted]],
  ["whose item has more text", [shown("Done."), answer("Done. <plan>"), aborted]],
  ["followed by a reasoning item", [shown("Done."), thought, aborted]],
  [
    "of a complete answer whose item follows the interruption",
    [shown("Done."), event("token_count", { info: null }), aborted, thought, answer("Done.")],
  ],
  ["of a turn that was not interrupted", [shown("Done.")]],
  ["of an earlier turn", [shown("Done."), typed({}), aborted]],
  ["with an empty text", [shown(""), aborted]],
  ["without a text", [event("agent_message", { message: null }), aborted]],
])("makes no message of an answer event %s", async (_, records) => {
  const messages = await read(records);

  const items = records.filter((each) => each["type"] === "response_item" && each !== thought);
  expect(messages.filter(({ role }) => role !== "system")).toHaveLength(items.length);
});

it("only adds the interrupted answer when a file grows by the interruption (`adapter-integrity-additive-sync`)", async () => {
  const records = [typed({}), shown("I look."), aborted, typed({})];

  const states = await Promise.all(records.map((_, index) => read(records.slice(0, index + 1))));

  for (const [index, state] of states.entries()) {
    expect(states.at(-1)?.slice(0, state.length), `${index}`).toEqual(state);
  }
});

const answers = (answer: string) => [
  '<send_user_message_question_reply>\n[{"questionItemId":"[1]","question":"Which?","answer":"',
  answer,
  '"}]\n</send_user_message_question_reply>',
];
const file = '\n<context ref="file:///w/a.rs">\nfn weave() {}\n</context>';

it.each<[name: string, texts: readonly string[], said: readonly string[]]>([
  [
    "a prompt before a file from an editor",
    ["[@a.rs](file:///w/a.rs)", file],
    ["[@a.rs](file:///w/a.rs)"],
  ],
  ["a file from an editor alone", [file], []],
  ["an answer to a question", answers("blue"), ["blue"]],
  ["an empty answer to a question", [answers("").join("")], []],
  [
    "an answer after an editor's context",
    [
      `# Context from my IDE setup:\n\n## My request for Codex:\n${answers("")[0]}`,
      ...answers("blue").slice(1),
    ],
    ["blue"],
  ],
  [
    "a prompt between an editor's context and a file",
    ["# Context from my IDE setup:\n\n## My request for Codex:\n", "Why?", file],
    ["Why?"],
  ],
])(
  "cuts text that the client labels as the user's: %s (spec 6.5, rule 1)",
  async (_, texts, typed) => {
    const labels = { content_item_kinds: ["user.text"] };
    const [message] = await read([
      item({
        type: "message",
        role: "user",
        content: [input(texts.join(""))],
        internal_chat_message_metadata_passthrough: labels,
      }),
    ]);

    expect(said(message)).toEqual([
      "user",
      undefined,
      ...texts.map((text) => [typed.includes(text) ? "conversational" : "injected", text]),
    ]);
  },
);

const asked = (name: string, more: JsonObject = {}): JsonObject =>
  item({ type: "function_call", id: "fc", call_id: "c", name, arguments: "{}", ...more });
const replied = (output: JsonValue): JsonObject =>
  item({ type: "function_call_output", id: "fco", call_id: "c", output });
const dyed = '{"answers":{"dye":{"answers":["Purple","user_note: of snails"]}}}';

it.each<[name: string, tool: string, output: JsonValue, texts: readonly string[]]>([
  ["answers with a note", "request_user_input", dyed, ["Purple", "of snails"]],
  ["none if the answer is empty", "request_user_input", '{"answers":{"dye":{"answers":[""]}}}', []],
  ["none if the output is not JSON", "request_user_input", "cancelled", []],
  ["none in another tool's output", "exec_command", dyed, []],
])("reads a user's answers to questions: %s", async (_, tool, output, texts) => {
  const [, result, ...answers] = await read([asked(tool), replied(output)]);

  expect(result?.role).toBe("tool");
  const expected = ["user", undefined, ...texts.map((text) => ["conversational", text])];
  expect(answers.map(said)).toEqual(texts.length > 0 ? [expected] : []);
  // A model hears them in the output.
  const { live } = courseOf(codexRecordRules, [...answers]);
  expect(live).toEqual([]);
});

it("reads no user's answer in the result of a server's tool of the same name", async () => {
  const call = asked("request_user_input", { namespace: "mcp__forms" });

  const messages = await read([call, replied(dyed)]);

  expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
});

const given = (name: string, output: JsonValue, more: JsonObject = {}): JsonObject =>
  item({ type: "function_call_output", id: "fco", name, namespace: "agent", output, ...more });
const announced = (objective: string): JsonObject => given("goal_objective", objective);
const goal = (objective: string, more: JsonObject = {}): JsonObject =>
  event("thread_goal_updated", { threadId: id, ...more, goal: { objective, status: "active" } });
const goalMessage = (text: string, kind = "user.goal"): JsonObject => handedOver(text, [kind]);
const noted = `<codex_internal_context source="user_goal">\nUser set the goal: "Say \\"hi\\"."\n</codex_internal_context>`;

it.each<[name: string, records: readonly JsonObject[], provenance: string]>([
  ["a user set", [goal("Weave."), announced("Weave.")], "conversational"],
  ["nobody is known to have set", [announced("Weave.")], "injected"],
  ["the model set", [goal("Weave.", { turnId: "t" }), announced("Weave.")], "injected"],
  ["the model set after the user", [goal("Weave."), announced("Spin.")], "injected"],
  [
    "was told before and is resumed",
    [goal("Weave."), announced("Weave."), goal("Weave."), announced("Weave.")],
    "injected",
  ],
  [
    "a user set in place of another",
    [goal("Weave."), announced("Weave."), goal("Spin."), announced("Spin.")],
    "conversational",
  ],
  [
    "a message already holds",
    [goalMessage("Weave."), goal("Weave."), announced("Weave.")],
    "injected",
  ],
  [
    "a message already quotes",
    [goalMessage(noted), goal('Say "hi".'), announced('Say "hi".')],
    "injected",
  ],
  [
    "a message omits as too long",
    [goalMessage("Weave.", "user.goal.omitted"), goal("Weave."), announced("Weave.")],
    "conversational",
  ],
])(
  "tells whose goal the client gives its model: one that %s (`model-part-provenance`)",
  async (_, records, provenance) => {
    const messages = await read(records);

    expect(messages.at(-1)).toMatchObject({
      role: "user",
      content: [{ type: "text", provenance }],
    });
  },
);

it("cuts the client's words off a goal that a user set (`model-part-provenance`)", async () => {
  const [message] = await read([goalMessage(noted)]);

  expect(message && said(message)).toEqual([
    "user",
    undefined,
    ["injected", '<codex_internal_context source="user_goal">\nUser set the goal: "'],
    ["conversational", 'Say \\"hi\\".'],
    ["injected", '"\n</codex_internal_context>'],
  ]);
});

const target = { type: "custom", instructions: "Look at the knots." };
const entered = (where: JsonObject, form = "entered_review_mode"): JsonObject =>
  form === "entered_review_mode"
    ? event(form, { target: where })
    : event("item_completed", { item: { type: form, target: where } });

it.each<[form: string]>([["entered_review_mode"], ["EnteredReviewMode"]])(
  "reads the text that a user typed for a review if only an event holds it: %s",
  async (form) => {
    const messages = await read([entered(target, form)]);

    expect(messages.map(said)).toEqual([
      ["system"],
      ["user", undefined, ["conversational", "Look at the knots."]],
    ]);
    expect(messages[1]?.id).toBe(`${messages[0]?.id}#text`);
  },
);

it.each<[name: string, record: JsonObject]>([
  ["whose prompt is the client's", entered({ type: "uncommittedChanges" })],
  ["whose target is a commit", entered({ ...target, type: "commit" })],
  ["with empty instructions", entered({ ...target, instructions: "" })],
  ["that ends the review", entered(target, "ExitedReviewMode")],
])("makes no message of a review event %s", async (_, record) => {
  expect((await read([record])).map(said)).toEqual([["system"]]);
});

it("counts review instructions in a thread of the client's own as injected", async () => {
  const [, message] = await read([entered(target)], { source: { subagent: "review" } });

  expect(said(message)).toEqual(["user", undefined, ["injected", "Look at the knots."]]);
});

it("gives an output without a call the id that it had as a carried record (`lance-deterministic-pk`)", async () => {
  const [first, second] = await read([given("zed", "a"), given("zed", "a")]);

  expect([first?.id, second?.id]).toEqual(["fco", expect.stringMatching(/^[0-9a-f]{32}$/)]);
});

it("counts an application's text in an output without a call as injected", async () => {
  const [message] = await read([given("page_note", "A bigger moth.", { namespace: "browser" })]);

  expect(said(message)).toEqual(["user", undefined, ["injected", "A bigger moth."]]);
});

it.each<[name: string, record: JsonObject]>([
  ["a list", given("page_note", [input("A bigger moth.")])],
  ["empty", given("page_note", "")],
  ["a text without a tool name", item({ type: "function_call_output", output: "A bigger moth." })],
  ["a text without a call id", given("ls", "a.md", { call_id: null })],
])("carries an output without a call as a system message if it is %s", async (_, record) => {
  const [message] = await read([record]);

  expect(said(message)).toEqual(["system"]);
});
