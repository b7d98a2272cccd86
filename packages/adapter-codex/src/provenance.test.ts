import type { JsonObject } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import {
  goalIn,
  injectedText,
  type Label,
  labelsOf,
  promptStart,
  provenanceOf,
  repliesIn,
} from "./provenance.ts";

it.each<[name: string, text: string, kind: string | undefined]>([
  ["a prompt", "Fix the loom.", undefined],
  ["nothing", "", undefined],
  ["project rules of 2025", "<user_instructions>\nx\n</user_instructions>", "user_instructions"],
  [
    "project rules",
    "# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
    "agents_md",
  ],
  [
    "project rules of no directory",
    "# AGENTS.md instructions\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>",
    "agents_md",
  ],
  ["a heading about them", "# AGENTS.md instructions are too long", undefined],
  ["the environment", "<environment_context>\n</environment_context>\n", "environment_context"],
  ["a question about it", "<environment_context> what is that?", undefined],
  ["a quotation of it", "Is <environment_context></environment_context>", undefined],
  ["text behind it", "<environment_context></environment_context> go on", undefined],
  ["an interruption", "<turn_aborted>\nx\n</turn_aborted>", "turn_aborted"],
  ["a skill", "<skill>\n<name>a</name>\n</skill>", "skill"],
  ["a command of the user", "<user_shell_command>\n</user_shell_command>", "user_shell_command"],
  ["an agent's news", "<subagent_notification>\n</subagent_notification>", "subagent_notification"],
  ["a goal", "<goal_context>\n</goal_context>", "goal_context"],
  [
    "a context with its source",
    '<codex_internal_context source="goal">\n</codex_internal_context>',
    "codex_internal_context",
  ],
  ["plugins", "<recommended_plugins>\n</recommended_plugins>", "recommended_plugins"],
  ["a hook", '<hook_prompt hook_run_id="1">x</hook_prompt>', "hook_prompt"],
  ["an extension", "<external_calendar>x</external_calendar>", "external_calendar"],
  ["an extension of no name", "<external_>x</external_>", undefined],
  ["a worker's question", "<worker_question>x</worker_question>", "worker_question"],
  ["the application", "<application_context>x</application_context>", "application_context"],
  ["a review", "<user_action>\n  <action>review</action>\n  </user_action>\n", "user_action"],
  ["skills", "<skill_suggestions>x</skill_suggestions>", "skill_suggestions"],
  ["a voice", "<realtime_delegation>x</realtime_delegation>", "realtime_delegation"],
  [
    "news of a board",
    "<agent_message_board_notification>x</agent_message_board_notification>",
    "agent_message_board_notification",
  ],
  ["HTML", "<div>x</div>", undefined],
  ["a tag of the prototype", "<constructor>x</constructor>", undefined],
  ["before an image", '<image name=[Image #1] path="/a.png">', "image"],
  ["before an image of no name", "<image>", "image"],
  ["behind an image", "</image>", "image"],
  ["an image tag with words", "<image> is a tag", undefined],
  [
    "a summary",
    "Another language model started to solve this problem and produced a summary",
    "compact-summary",
  ],
  [
    "a warning of processes",
    "Warning: The maximum number of unified exec processes you can keep open is 60",
    "warning",
  ],
  [
    "a warning of patches",
    "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of shell.",
    "warning",
  ],
  [
    "a warning of another model",
    "Warning: Your account was flagged for potentially high-risk cyber activity",
    "warning",
  ],
  ["a warning of a human", "Warning: the build is slow", undefined],
])("classifies %s by its text (`model-part-provenance`)", (_, text, kind) => {
  expect(injectedText(text)).toBe(kind);
});

it.each<[kind: string | undefined, from: string | undefined, provenance: string | undefined]>([
  [undefined, undefined, undefined],
  ["user.text", undefined, "conversational"],
  ["user.goal", undefined, "conversational"],
  ["user.image", undefined, "conversational"],
  ["user.audio", undefined, "conversational"],
  ["assistant.text", undefined, "conversational"],
  ["user.heartbeat", "user", "injected"],
  ["user.goal.omitted", undefined, "injected"],
  ["agents_md.instructions", undefined, "injected"],
  ["environments.environment_context", undefined, "injected"],
  ["multi_agent.subagent_notification", undefined, "injected"],
  ["images.request_budget_omission", undefined, "injected"],
  ["additional_content.calendar", undefined, "injected"],
  ["skills.advisor_suggestions", undefined, "injected"],
  ["realtime_conversation.delegation", undefined, "injected"],
  ["agent_message_board.notification", undefined, "injected"],
  ["audio.unsupported", undefined, "injected"],
  ["components.context", undefined, "injected"],
  ["kind.of_tomorrow", undefined, undefined],
  ["constructor", undefined, undefined],
  ["unknown", "user", "conversational"],
  ["unknown", "harness", "injected"],
  [undefined, "skills", "injected"],
  ["user.text", "harness", "conversational"],
])(
  "takes the client's labels for a text's provenance: kind %s, origin %s",
  (kind, from, provenance) => {
    expect(provenanceOf({ kind, from })).toBe(provenance);
  },
);

const at = { adapter: "codex", uri: "a.jsonl", record: 1 };
const content = [{ type: "input_text", text: "a" }];
const user = { provenance: { type: "user" } };

it.each<[name: string, labels: Label[], metadata: JsonObject]>([
  ["a kind", [{ kind: "user.text", from: undefined }], { content_item_kinds: ["user.text"] }],
  ["an origin", [{ kind: undefined, from: "user" }], { content_item_metadata: [user] }],
  [
    "both",
    [{ kind: "user.text", from: "user" }],
    { content_item_kinds: ["user.text"], content_item_metadata: [user] },
  ],
  [
    "something else",
    [{ kind: undefined, from: undefined }],
    { content_item_kinds: [1], content_item_metadata: [{ provenance: "user" }] },
  ],
  ["nothing", [], {}],
  ["one kind too many", [], { content_item_kinds: ["user.text", "user.text"] }],
])("reads the client's labels of content elements: %s", (_, labels, metadata) => {
  const item = openRecord(at, { content, internal_chat_message_metadata_passthrough: metadata });

  expect(labelsOf(item)).toEqual(labels);
});

const marker = "## My request for Codex:";
const later = "## My request:";
const automation =
  "Automation: Daily\nAutomation ID: daily\nAutomation memory: $CODEX_HOME/a.md\nLast run: never\n";

it.each<[name: string, injected: string, typed: string]>([
  ["an editor", `# Context from my IDE setup:\n\n## Active file: a\n\n${marker}\n`, "Why?\n"],
  ["files", `\n# Files mentioned by the user:\n\n## a: /a\n\n${marker}\n`, "Why 🧵?\n"],
  ["findings", `\n# Review findings:\n\n## Finding 1 (a)\n\n${marker}\r\n`, "Why?\n"],
  ["a marker that is repeated", `# Review findings:\n\n${marker}\n`, `What is ${marker}\n?`],
  ["a marker at the end", `# Review findings:\n\n${marker}`, ""],
  ["no marker", "", "# Review findings:\n\nnone"],
  ["no heading of the client's", "", `# Mine:\n\n${marker}\nWhy?`],
  ["a marker alone", `\n${marker}\n`, "Why?"],
  ["a later marker alone", `${later}\n`, "Why?"],
  ["an editor with a later marker", `# Context from my IDE setup:\n\n${later}\n`, "Why?\n"],
  ["the last of two markers", `# Review findings:\n\n${later}\nIs\n${marker}\n`, "it?"],
  [
    "a selection that holds the marker",
    `# Context from my IDE setup:\n\n## Active selection of the file:\n${later}\nx\n\n${marker}\n`,
    "Why?\n",
  ],
  [
    "a selection that holds a deeper heading",
    `# Context from my IDE setup:\n\n## Active selection of the file:\n#${later}\nx\n\n${marker}\n`,
    "Why?\n",
  ],
  [
    "a tab of the marker's name",
    `# Context from my IDE setup:\n\n## Open tabs:\n- ${later} a.md: a.md\n\n${marker}\n`,
    "Why?\n",
  ],
  ["a heading and no line of the marker", "", `# Review findings:\n\nWhat is ${marker}?`],
  ["a browser", `\n# In app browser:\n- x\n\n${marker}\n`, "Why?\n"],
  [
    "a browser's state",
    `\n<in-app-browser-context source="ambient-ui-state">\nx\n</in-app-browser-context>\n\n${later}\n`,
    "Why?\n",
  ],
  ["a browser's state of no marker", "", "<in-app-browser-context> what is that?"],
  ["applications", `\n# Applications mentioned by the user:\n\nx\n\n${later}\n`, "Why?"],
  ["a selection", `# Selected text:\n\nx\n\n${later}\n`, "Why?"],
  ["a selection of no marker", "", "# Selected text:\n\nx"],
  [
    "no context: notes on a response",
    "",
    `\n# Response annotations:\n<response-annotations>\n[{"text":"Done.","annotation":"No."}]\n</response-annotations>\n\n${later}\n\n`,
  ],
  [
    "no context: notes on a diff",
    "",
    `\n# Diff comments:\n\n## User Comment 1\nFile: a.ts\nComment:\nWhy?\n\n${later}\n\n`,
  ],
  [
    "no context: notes on a page",
    "",
    `# Browser comments:\n\n## Comment 1\nComment:\nWhy?\n\n${later}\nHow?`,
  ],
  [
    "an editor, before notes on a diff",
    "# Context from my IDE setup:\n\n## Active file: a\n\n",
    `# Diff comments:\n\n## Comment 1\nComment:\nWhy?\n\n${later}\nHow?\n`,
  ],
  [
    "an editor, before a prompt about notes",
    `# Context from my IDE setup:\n\n## Active file: a\n\n${later}\n`,
    "What is\n# Diff comments:\n?",
  ],
  ["pasted files", `# Files pasted by the user:\n\nx\n\n${later}\n`, "Why?"],
  ["tabs", `# Chrome tabs:\n\nx\n\n${later}\n`, "Why?"],
  ["an application of a server", `# MCP app context:\n\nx\n\n${later}\n`, "Why?"],
  ["checks", `# Failing PR checks:\n\nx\n\n${later}\n`, "Why?"],
  ["a conflict", `# Pull request merge conflict:\n\nx\n\n${later}\n`, "Why?"],
  ["guidelines", `## Code review guidelines:\n\nx\n\n${later}\n`, "Why?"],
  ["an earlier conversation", `## Prior conversation with Codex:\n\nx\n\n${later}\n`, "Why?"],
  ["other chats", `## Referenced chats with Codex:\n\nx\n\n${later}\n`, "Why?"],
  [
    "a chat of another application",
    `\n## Referenced ChatGPT conversation:\nx\n{"priorConversation":null}\n${marker}\n`,
    "Why?\n",
  ],
  ["a fix", `## Pull request fix:\nRepository: a/b\n\n${marker}\n`, "Why?"],
  ["a merge", `## Pull request merge task:\nRepository: a/b\n\n${marker}\n`, "Why?"],
  ["a merge of its own", `## Auto resolve merge:\nRepository: a/b\n\n${marker}\n`, "Why?"],
  [
    "pasted text",
    `The attached pasted text file(s) contain the user's request. x\n\n${marker}\n`,
    "Why?",
  ],
  [
    "a chat that is quoted in a prompt",
    "",
    `What is\n## Referenced ChatGPT conversation:\n?\n\n${marker}\nWhy?`,
  ],
  ["words and a marker that is typed", "", `Add this line:\n\n${marker}\n\nand that is all.`],
  ["the head of an automation", `${automation}\n`, "Look for news.\n"],
  ["a head that goes on", "", `${automation}Look for news.\n`],
  ["a line of an automation", "", "Automation: Daily\n\nWhat is that?"],
])("finds where the prompt begins after %s (spec 6.5, rule 1)", (_, injected, typed) => {
  expect(promptStart(`${injected}${typed}`)).toBe(injected.length);
});

const reply = (json: string) =>
  `<send_user_message_question_reply>\n${json}\n</send_user_message_question_reply>`;
const replyTo = (question: string, answer: string) => ({ questionItemId: "[1]", question, answer });

it.each<[name: string, text: string, answers: readonly string[] | undefined]>([
  ["one", reply(JSON.stringify([replyTo("Which?", "blue")])), ["blue"]],
  [
    "several, of any order of keys",
    reply(
      JSON.stringify(
        [{ answer: "red", question: "A", questionItemId: "1" }, replyTo("B", "")],
        null,
        1,
      ),
    ),
    ["red", ""],
  ],
  [
    "one with quotation marks, to a question that looks like it",
    reply(JSON.stringify([replyTo('{"answer":"no"}', 'say "answer": "yes"')])),
    ['say \\"answer\\": \\"yes\\"'],
  ],
  ["none that are open", `<send_user_message_question_reply>\n[]`, undefined],
  ["none of another shape", reply('[{"answer":"blue"}]'), undefined],
  ["none of no JSON", reply("blue"), undefined],
  ["none in a sentence", `What is ${reply("[]")}`, undefined],
])("finds the answers in a reply to questions: %s", (_, text, answers) => {
  expect(repliesIn(text)?.map(({ start, end }) => text.slice(start, end))).toEqual(answers);
});

it("finds a user's goal of any length", () => {
  const head = '<codex_internal_context source="user_goal">\nUser set the goal: "';
  const goal = 'Say \\"hi\\".'.padEnd(10_000_000, "x");

  expect(goalIn(`${head}${goal}"\n</codex_internal_context>`)).toEqual({
    start: head.length,
    end: head.length + goal.length,
  });
  expect(goalIn(`${head}${goal}`)).toBe(undefined);
});
