import { contentOf, readSource, withFolder } from "@pond/adapter-testkit";
import { partsOf } from "@pond/canonical";
import type { InheritedHistory, SessionContent } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { claudeCodeRecordRules } from "./record-rules.ts";

const main = "5e551000-0000-4000-8000-000000000001";
const agent = `${main}/subagents/agent-a1`;

type Row = Readonly<Record<string, unknown>>;

function row(
  type: "user" | "assistant",
  uuid: string,
  parentUuid: string | null,
  said: unknown,
): Row {
  return { type, uuid, parentUuid, message: { role: type, content: said } };
}

function forkOf(parentLastUuid: string, parentSessionId = main): readonly Row[] {
  const context = { type: "fork-context-ref", agentId: "a1", parentSessionId, parentLastUuid };
  return [
    { ...context, contextLength: 2 },
    { ...row("user", "f1", null, "warp it"), isSidechain: true },
    { ...row("assistant", "f2", "f1", [{ type: "text", text: "warped" }]), isSidechain: true },
  ];
}

const log: readonly Row[] = [
  { type: "custom-title", customTitle: "Looms" },
  row("user", "a", null, "which loom?"),
  row("assistant", "b", "a", [{ type: "text", text: "the big one" }]),
  row("user", "c", "b", "undone"),
  row("assistant", "d", "c", [{ type: "text", text: "undone, too" }]),
  row("user", "e", "b", "why?"),
  row("assistant", "f", "e", [{ type: "tool_use", id: "t1", name: "Read", input: {} }]),
  row("user", "g", "f", [
    { type: "tool_result", tool_use_id: "t1", content: "ok" },
    { type: "text", text: "go on" },
  ]),
  { type: "system", subtype: "turn_duration", uuid: "h", parentUuid: "g" },
  row("assistant", "i", "h", [{ type: "text", text: "later" }]),
];

/** The sessions of a main log and a fork of it, as far as they are there. */
async function read(logs: Readonly<Record<string, readonly Row[]>>) {
  const files = Object.entries(logs).map(([id, rows]) => {
    const lines = rows.map((each, index) => {
      const time = `2026-03-01T09:00:${String(index).padStart(2, "0")}.000Z`;
      return `${JSON.stringify({ cwd: "/w/app", sessionId: main, timestamp: time, ...each })}\n`;
    });
    return [`projects/-w-app/${id}.jsonl`, Buffer.from(lines.join(""))] as const;
  });
  const read = await withFolder(new Map(files), (home) => readSource(fromClaudeCode(home)));
  const contents = [...read.values()].map(contentOf);
  return new Map(contents.map((content) => [String(content.session.id), content]));
}

function inherited(
  contents: ReadonlyMap<string, SessionContent>,
  ...[of = agent, ...known]: readonly string[]
): InheritedHistory {
  const [content, ...others] = [of, ...known].flatMap((id) => contents.get(id) ?? []);
  const found = content && claudeCodeRecordRules.inherited?.(content, others);
  if (found === undefined) throw new Error(`there is no ${of}`);
  return found;
}

const textsIn = ({ messages }: Pick<SessionContent, "messages">): readonly string[] =>
  messages.flatMap((message) =>
    partsOf(message).map((part) => (part.type === "text" ? part.text : part.type)),
  );

it.each([
  ["b", ["which loom?", "the big one"]],
  // What is left later was not left then.
  ["d", ["which loom?", "the big one", "undone", "undone, too"]],
  ["f", ["which loom?", "the big one", "why?", "tool_call"]],
  ["g", ["which loom?", "the big one", "why?", "tool_call", "tool_result", "go on"]],
  ["h", ["which loom?", "the big one", "why?", "tool_call", "tool_result", "go on"]],
])("gives a forked agent the messages of its session up to message %s", async (last, texts) => {
  const contents = await read({ [main]: log, [agent]: forkOf(last) });

  const { pieces, missing } = inherited(contents, agent, main);

  expect([pieces.map(textsIn), missing]).toEqual([[texts], undefined]);
  // Neither its title, nor what it kept for itself.
  expect(pieces.flatMap(({ messages }) => messages).map(({ role }) => role)).not.toContain(
    "system",
  );
});

it("asks for the session that a forked agent needs, or says that the session lacks the cut-point", async () => {
  const contents = await read({ [main]: log, [agent]: forkOf("elsewhere") });

  expect(inherited(contents)).toEqual({ pieces: [], missing: [main] });
  expect(inherited(contents, agent, main)).toEqual({ pieces: [], missing: [] });
  expect(inherited(contents, main)).toEqual({ pieces: [] });
});

it("keeps every inherited message of a forked agent live, even those that its session undid", async () => {
  const contents = await read({ [main]: log, [agent]: forkOf("d") });
  const fork = contents.get(agent);
  if (fork === undefined) throw new Error("no fork was read");
  const before = inherited(contents, agent, main).pieces.flatMap(({ messages }) =>
    // As it stands in another session, where its ids say whose it is.
    messages.map((message) => ({ ...message, id: `${main}/${message.id}` as typeof message.id })),
  );

  const messages = [...before, ...fork.messages];
  const course = claudeCodeRecordRules.course?.({ session: fork.session, messages });

  expect(course).toEqual({ live: messages, undone: [] });
  expect(textsIn({ messages }).slice(-3)).toEqual(["undone, too", "warp it", "warped"]);
});

it.each([
  ["warp it"],
  ["<fork-boilerplate>\nYou are a fork.\n</fork-boilerplate>\n\nYour directive: warp it"],
])(
  "takes a forked agent's prompt from its own first row, wrapped by the client or not: %j",
  async (said) => {
    const [context = {}, prompt = {}, answer = {}] = forkOf("b");
    const rows = [context, { ...prompt, message: { role: "user", content: said } }, answer];
    const contents = await read({ [main]: log, [agent]: rows });
    const fork = contents.get(agent);
    if (fork === undefined) throw new Error("no fork was read");
    const before = inherited(contents, agent, main).pieces.flatMap(({ messages }) => messages);

    for (const messages of [fork.messages, [...before, ...fork.messages]]) {
      expect(claudeCodeRecordRules.agentPrompt?.({ session: fork.session, messages })).toBe(
        "warp it",
      );
    }
  },
);
