import type { JsonValue } from "@pond/canonical";
import { messageFromWire, sessionFromWire } from "@pond/canonical";
import type { Lineage, Meanings, SessionContent } from "@pond/canonical/adapter";
import { readRenamed, toolFields } from "@pond/canonical/foreign";

/**
 * One rich session in no client's own form: system text, harness text, an image, reasoning, calls
 * of every kind of tool, a failure, a missing answer, a tool that nobody else has, and a sub-agent.
 * Its tools have the names of the common kinds.
 */
export function story(): Lineage {
  return {
    root: content("story", {}, main),
    descendants: [content("story-agent", { parent_session_id: "story" }, agent)],
  };
}

/** Reads the tools of the story: each kind and its parameters have their own names. */
export const storyMeanings: Meanings = {
  readTool: (_, { name, params }) => {
    const kind = kinds.find((each) => each === name);
    if (kind === undefined) return undefined;
    const fields = Object.fromEntries(Object.keys(toolFields[kind]).map((field) => [field, field]));
    return readRenamed({ kind, fields }, params);
  },
};

const kinds = [
  "shell",
  "read",
  "write",
  "edit",
  "patch",
  "grep",
  "glob",
  "list",
  "fetch",
  "web_search",
  "todo",
  "agent",
] as const;

type Draft = { readonly role: string; readonly content: string | readonly object[] };

const text = (value: string) => ({ type: "text", text: value });
const given = (value: string) => ({ ...text(value), provenance: "injected" });
const call = (call_id: string, name: string, params: JsonValue) => ({
  type: "tool_call",
  call_id,
  name,
  params,
  provider_executed: false,
});
const answer = (call_id: string, name: string, result: JsonValue, is_failure = false) => ({
  type: "tool_result",
  call_id,
  name,
  is_failure,
  result,
  provenance: "injected",
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==";
const loom = "/home/ada/loom/src/loom.py";

const main: readonly Draft[] = [
  { role: "system", content: "You are a careful assistant to a weaver." },
  {
    role: "user",
    content: [
      given("The workshop is open until six."),
      text("Every third thread is skipped. Why? 織機が三本目を飛ばす 🧵"),
      {
        type: "file",
        media_type: "image/png",
        file_name: "cloth.png",
        data: { type: "bytes", base64: pixel },
      },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "A step of three smells like a modulus." },
      text("I will read the loom's program first."),
      call("call-ls", "shell", {
        command: "ls src",
        timeout_ms: 5000,
        description: "List sources",
      }),
      call("call-read", "read", { path: loom, offset: 10, limit: 3 }),
    ],
  },
  {
    role: "tool",
    content: [
      answer("call-ls", "shell", "loom.py\nshuttle.py\n"),
      answer("call-read", "read", "for thread in range(n):\n    if thread % 3: weave(thread)\n"),
    ],
  },
  {
    role: "assistant",
    content: [
      text("The modulus is wrong. Somebody should look for other places."),
      call("call-agent", "agent", {
        prompt: "Find every other modulus in src.",
        description: "Find moduli",
        agent: "explore",
      }),
      call("call-edit", "edit", { path: loom, old_text: "thread % 4", new_text: "True" }),
    ],
  },
  {
    role: "tool",
    content: [
      answer("call-agent", "agent", "There is no other one."),
      answer("call-edit", "edit", "The text to replace was not found.", true),
    ],
  },
  {
    role: "assistant",
    content: [
      call("call-edit-2", "edit", {
        path: loom,
        old_text: "if thread % 3: weave(thread)",
        new_text: "weave(thread)",
        replace_all: false,
      }),
      call("call-write", "write", {
        path: "/home/ada/loom/NOTES.md",
        content: "# Threads\n\nAll of them.\n",
      }),
      call("call-todo", "todo", { items: [{ content: "Add a test", status: "pending" }] }),
    ],
  },
  {
    role: "tool",
    content: [
      answer("call-edit-2", "edit", "Replaced one place."),
      answer("call-write", "write", "Written."),
      answer("call-todo", "todo", "Noted."),
    ],
  },
  { role: "assistant", content: [text("Fixed: no thread is skipped any more.")] },
  { role: "user", content: [text("Good. Now measure the tension, and look the yarn up.")] },
  {
    role: "assistant",
    content: [
      call("call-own", "measure_tension", { grams: 12.5, exact: "9007199254740993" }),
      call("call-fetch", "fetch", { url: "https://example.org/yarn", prompt: "How thick is it?" }),
      call("call-search", "web_search", { query: "yarn thickness" }),
      call("call-glob", "glob", { pattern: "**/*.py", path: "/home/ada/loom" }),
      call("call-list", "list", { path: "/home/ada/loom" }),
      call("call-lost", "shell", { command: "sleep 1000" }),
    ],
  },
  {
    role: "tool",
    content: [
      answer("call-own", "measure_tension", [
        text("steady"),
        { type: "image", mimeType: "image/png", data: pixel },
      ]),
      answer("call-fetch", "fetch", "Two millimetres."),
      answer("call-search", "web_search", "Nothing better."),
      answer("call-glob", "glob", "src/loom.py"),
      answer("call-list", "list", "NOTES.md\nsrc\n"),
    ],
  },
  {
    role: "assistant",
    content: [text("The tension is steady and the yarn two millimetres thick.")],
  },
];

const agent: readonly Draft[] = [
  { role: "user", content: [given("Find every other modulus in src.")] },
  {
    role: "assistant",
    content: [
      call("call-grep", "grep", { pattern: "%", path: "src", glob: "*.py", ignore_case: true }),
    ],
  },
  { role: "tool", content: [answer("call-grep", "grep", "")] },
  { role: "assistant", content: [text("There is no other one.")] },
];

function content(id: string, more: object, drafts: readonly Draft[]): SessionContent {
  const session = sessionFromWire({
    id,
    source_agent: "story",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/home/ada/loom",
    options: {},
    ...more,
  });
  const messages = drafts.map(({ role, content: drafted }, index) => {
    const message = {
      id: `${id}-${index}`,
      session_id: id,
      role,
      timestamp: new Date(Date.UTC(2026, 2, 1, 9, 0, index)).toISOString(),
      options: {},
    };
    if (typeof drafted === "string") return messageFromWire({ ...message, content: drafted });
    const parts = drafted.map((part, at) => ({
      id: String(at),
      session_id: id,
      message_id: message.id,
      provenance: "conversational",
      options: {},
      ...part,
    }));
    return messageFromWire({ ...message, content: parts });
  });
  return { session, messages };
}
