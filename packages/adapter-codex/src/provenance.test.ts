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
  ["an empty text", "", undefined],
  [
    "project rules in the form of 2025",
    "<user_instructions>\nx\n</user_instructions>",
    "user_instructions",
  ],
  [
    "project rules",
    "# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
    "agents_md",
  ],
  [
    "project rules without a directory",
    "# AGENTS.md instructions\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>",
    "agents_md",
  ],
  ["a heading about project rules", "# AGENTS.md instructions are too long", undefined],
  [
    "an environment context",
    "<environment_context>\n</environment_context>\n",
    "environment_context",
  ],
  ["a question about an environment context", "<environment_context> what is that?", undefined],
  [
    "an environment context in a sentence",
    "Is <environment_context></environment_context>",
    undefined,
  ],
  [
    "an environment context with text after it",
    "<environment_context></environment_context> go on",
    undefined,
  ],
  ["an interruption", "<turn_aborted>\nx\n</turn_aborted>", "turn_aborted"],
  ["a skill", "<skill>\n<name>a</name>\n</skill>", "skill"],
  ["a user's shell command", "<user_shell_command>\n</user_shell_command>", "user_shell_command"],
  [
    "a sub-agent's notification",
    "<subagent_notification>\n</subagent_notification>",
    "subagent_notification",
  ],
  ["a goal context", "<goal_context>\n</goal_context>", "goal_context"],
  [
    "an internal context with a source",
    '<codex_internal_context source="goal">\n</codex_internal_context>',
    "codex_internal_context",
  ],
  ["recommended plugins", "<recommended_plugins>\n</recommended_plugins>", "recommended_plugins"],
  ["a hook's prompt", '<hook_prompt hook_run_id="1">x</hook_prompt>', "hook_prompt"],
  ["an extension's text", "<external_calendar>x</external_calendar>", "external_calendar"],
  ["an extension's text without a name", "<external_>x</external_>", undefined],
  ["a worker's question", "<worker_question>x</worker_question>", "worker_question"],
  [
    "an application's context",
    "<application_context>x</application_context>",
    "application_context",
  ],
  [
    "a review action",
    "<user_action>\n  <action>review</action>\n  </user_action>\n",
    "user_action",
  ],
  ["skill suggestions", "<skill_suggestions>x</skill_suggestions>", "skill_suggestions"],
  ["a request by voice", "<realtime_delegation>x</realtime_delegation>", "realtime_delegation"],
  [
    "a notification from a message board",
    "<agent_message_board_notification>x</agent_message_board_notification>",
    "agent_message_board_notification",
  ],
  ["HTML", "<div>x</div>", undefined],
  ["a tag named like a prototype's property", "<constructor>x</constructor>", undefined],
  ["the tag before an image", '<image name=[Image #1] path="/a.png">', "image"],
  ["the tag before an image without a name", "<image>", "image"],
  ["the tag after an image", "</image>", "image"],
  ["a sentence about an image tag", "<image> is a tag", undefined],
  [
    "a compaction summary",
    "Another language model started to solve this problem and produced a summary",
    "compact-summary",
  ],
  [
    "a warning about open processes",
    "Warning: The maximum number of unified exec processes you can keep open is 60",
    "warning",
  ],
  [
    "a warning about patches through the shell",
    "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of shell.",
    "warning",
  ],
  [
    "a warning about a flagged account",
    "Warning: Your account was flagged for potentially high-risk cyber activity",
    "warning",
  ],
  ["a warning that a human typed", "Warning: the build is slow", undefined],
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
    "a kind and an origin",
    [{ kind: "user.text", from: "user" }],
    { content_item_kinds: ["user.text"], content_item_metadata: [user] },
  ],
  [
    "labels in another shape",
    [{ kind: undefined, from: undefined }],
    { content_item_kinds: [1], content_item_metadata: [{ provenance: "user" }] },
  ],
  ["no labels", [], {}],
  ["more kinds than elements", [], { content_item_kinds: ["user.text", "user.text"] }],
])("reads the client's labels of content elements: %s", (_, labels, metadata) => {
  const item = openRecord(at, { content, internal_chat_message_metadata_passthrough: metadata });

  expect(labelsOf(item)).toEqual(labels);
});

const marker = "## My request for Codex:";
const later = "## My request:";
const automation =
  "Automation: Daily\nAutomation ID: daily\nAutomation memory: $CODEX_HOME/a.md\nLast run: never\n";

it.each<[name: string, injected: string, typed: string]>([
  [
    "an editor's context",
    `# Context from my IDE setup:\n\n## Active file: a\n\n${marker}\n`,
    "Why?\n",
  ],
  ["mentioned files", `\n# Files mentioned by the user:\n\n## a: /a\n\n${marker}\n`, "Why 🧵?\n"],
  ["review findings", `\n# Review findings:\n\n## Finding 1 (a)\n\n${marker}\r\n`, "Why?\n"],
  ["a marker that the prompt repeats", `# Review findings:\n\n${marker}\n`, `What is ${marker}\n?`],
  ["a marker at the end", `# Review findings:\n\n${marker}`, ""],
  ["no context: a heading without a marker", "", "# Review findings:\n\nnone"],
  ["no context: a heading that is not the client's", "", `# Mine:\n\n${marker}\nWhy?`],
  ["a marker alone", `\n${marker}\n`, "Why?"],
  ["a newer marker alone", `${later}\n`, "Why?"],
  [
    "an editor's context with a newer marker",
    `# Context from my IDE setup:\n\n${later}\n`,
    "Why?\n",
  ],
  ["the last of two markers", `# Review findings:\n\n${later}\nIs\n${marker}\n`, "it?"],
  [
    "an editor's selection that holds the marker",
    `# Context from my IDE setup:\n\n## Active selection of the file:\n${later}\nx\n\n${marker}\n`,
    "Why?\n",
  ],
  [
    "an editor's selection that holds a deeper heading",
    `# Context from my IDE setup:\n\n## Active selection of the file:\n#${later}\nx\n\n${marker}\n`,
    "Why?\n",
  ],
  [
    "an open tab named like the marker",
    `# Context from my IDE setup:\n\n## Open tabs:\n- ${later} a.md: a.md\n\n${marker}\n`,
    "Why?\n",
  ],
  ["no context: a marker inside a line", "", `# Review findings:\n\nWhat is ${marker}?`],
  ["a browser's context", `\n# In app browser:\n- x\n\n${marker}\n`, "Why?\n"],
  [
    "a browser's state",
    `\n<in-app-browser-context source="ambient-ui-state">\nx\n</in-app-browser-context>\n\n${later}\n`,
    "Why?\n",
  ],
  ["no context: a browser's state without a marker", "", "<in-app-browser-context> what is that?"],
  ["mentioned applications", `\n# Applications mentioned by the user:\n\nx\n\n${later}\n`, "Why?"],
  ["selected text", `# Selected text:\n\nx\n\n${later}\n`, "Why?"],
  ["no context: selected text without a marker", "", "# Selected text:\n\nx"],
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
    "an editor's context before notes on a diff",
    "# Context from my IDE setup:\n\n## Active file: a\n\n",
    `# Diff comments:\n\n## Comment 1\nComment:\nWhy?\n\n${later}\nHow?\n`,
  ],
  [
    "an editor's context before a prompt about notes",
    `# Context from my IDE setup:\n\n## Active file: a\n\n${later}\n`,
    "What is\n# Diff comments:\n?",
  ],
  ["pasted files", `# Files pasted by the user:\n\nx\n\n${later}\n`, "Why?"],
  ["browser tabs", `# Chrome tabs:\n\nx\n\n${later}\n`, "Why?"],
  ["the context of an MCP app", `# MCP app context:\n\nx\n\n${later}\n`, "Why?"],
  ["failing checks", `# Failing PR checks:\n\nx\n\n${later}\n`, "Why?"],
  ["a merge conflict", `# Pull request merge conflict:\n\nx\n\n${later}\n`, "Why?"],
  ["review guidelines", `## Code review guidelines:\n\nx\n\n${later}\n`, "Why?"],
  ["an earlier conversation", `## Prior conversation with Codex:\n\nx\n\n${later}\n`, "Why?"],
  ["referenced chats", `## Referenced chats with Codex:\n\nx\n\n${later}\n`, "Why?"],
  [
    "a referenced ChatGPT conversation",
    `\n## Referenced ChatGPT conversation:\nx\n{"priorConversation":null}\n${marker}\n`,
    "Why?\n",
  ],
  ["a task to fix a pull request", `## Pull request fix:\nRepository: a/b\n\n${marker}\n`, "Why?"],
  [
    "a task to merge a pull request",
    `## Pull request merge task:\nRepository: a/b\n\n${marker}\n`,
    "Why?",
  ],
  [
    "a task to resolve a merge automatically",
    `## Auto resolve merge:\nRepository: a/b\n\n${marker}\n`,
    "Why?",
  ],
  [
    "a notice of pasted text",
    `The attached pasted text file(s) contain the user's request. x\n\n${marker}\n`,
    "Why?",
  ],
  [
    "no context: a chat heading quoted in a prompt",
    "",
    `What is\n## Referenced ChatGPT conversation:\n?\n\n${marker}\nWhy?`,
  ],
  [
    "no context: a marker that the user typed",
    "",
    `Add this line:\n\n${marker}\n\nand that is all.`,
  ],
  ["the head of an automation", `${automation}\n`, "Look for news.\n"],
  [
    "no context: an automation's head without an empty line after it",
    "",
    `${automation}Look for news.\n`,
  ],
  [
    "no context: only the first line of an automation's head",
    "",
    "Automation: Daily\n\nWhat is that?",
  ],
])("finds where the prompt begins after %s (spec 6.5, rule 1)", (_, injected, typed) => {
  expect(promptStart(`${injected}${typed}`)).toBe(injected.length);
});

const reply = (json: string) =>
  `<send_user_message_question_reply>\n${json}\n</send_user_message_question_reply>`;
const replyTo = (question: string, answer: string) => ({ questionItemId: "[1]", question, answer });

it.each<[name: string, text: string, answers: readonly string[] | undefined]>([
  ["one answer", reply(JSON.stringify([replyTo("Which?", "blue")])), ["blue"]],
  [
    "several answers, with keys in any order",
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
    "an answer with quotation marks, to a question that looks like an answer",
    reply(JSON.stringify([replyTo('{"answer":"no"}', 'say "answer": "yes"')])),
    ['say \\"answer\\": \\"yes\\"'],
  ],
  ["none in an unclosed reply", `<send_user_message_question_reply>\n[]`, undefined],
  ["none in a reply of another shape", reply('[{"answer":"blue"}]'), undefined],
  ["none in a reply that is not JSON", reply("blue"), undefined],
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
