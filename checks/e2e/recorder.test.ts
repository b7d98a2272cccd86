// The worked example of @pond/recorder: an agent of the AI SDK, recorded into a pond, found, and
// restored into every client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@pond/adapters";
import { partsOf } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { Tally, turnsOf } from "@pond/canonical/foreign";
import { createRecorder, pondSink, type Recorder } from "@pond/recorder";
import { createHandlers, type Handlers, type Namespaces, singleNamespace } from "@pond/server";
import { loadLineage } from "@pond/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../../packages/recorder/examples/ai-sdk.ts";
import {
  scriptedExplorer,
  scriptedWeaver,
} from "../../packages/recorder/examples/scripted-models.ts";
import { copyTo } from "../pairs/copies.ts";
import { missingTexts, sessionTexts } from "../pairs/session-texts.ts";

let folder: string;
let namespaces: Namespaces;
let handlers: Handlers;
let recorder: Recorder;
let stored: Lineage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
  namespaces = singleNamespace(join(folder, "store"));
  handlers = createHandlers({ namespaces, host: "test" });
  recorder = createRecorder({
    agent: "loom-agent",
    project: "/home/ada/loom",
    sink: pondSink((events) => handlers.handle("ingest", { protocol_version: 1, events })),
  });
  const weaver = {
    recorder,
    models: { main: scriptedWeaver(), explorer: scriptedExplorer() },
    files: new Map([["loom.py", "if thread % 3: weave(thread)"]]),
  };
  await ask(weaver, "Every third thread is skipped. Why?");
  await ask(weaver, "Thank you.");
  await recorder.flush();
  const [session] = recorder.sessions();
  stored = await loadLineage(await namespaces.open(undefined, "read"), session?.session_id ?? "");
});
afterAll(async () => {
  await namespaces.close();
  rmSync(folder, { recursive: true });
});

/** The texts, calls and answers, one line each. */
function linesOf({ messages }: SessionContent): readonly string[] {
  return messages.flatMap((message) =>
    partsOf(message).map((part) => {
      switch (part.type) {
        case "text":
        case "reasoning":
          return `${message.role} ${part.type} ${part.provenance}: ${part.text}`;
        case "tool_call":
          return `${part.call_id} = ${part.name}(${JSON.stringify(part.params)})`;
        case "tool_result":
          return `${part.call_id}${part.is_failure ? " failed" : ""}: ${JSON.stringify(part.result)}`;
        default:
          return part.type;
      }
    }),
  );
}

describe("the session of the @pond/recorder example", () => {
  it("is stored with its texts, tool calls and results in order, its sub-agent's too", () => {
    const { root, descendants } = stored;

    expect(linesOf(root)).toEqual([
      "user text conversational: Every third thread is skipped. Why?",
      "assistant reasoning conversational: A step of three smells like a modulus.",
      "assistant text conversational: I will read the loom's program first.",
      'call-read = read({"path":"loom.py"})',
      'call-missing = read({"path":"shuttle.py"})',
      'call-missing failed: "Error: there is no file shuttle.py"',
      'call-read: "if thread % 3: weave(thread)"',
      "assistant text conversational: The modulus is wrong. Somebody should look for other places.",
      'call-explore = explore({"task":"Find every other modulus."})',
      'call-explore: "There is no other modulus in this program."',
      "assistant text conversational: Fixed: thread % 3 skipped every third thread, and nothing else does.",
      "user text conversational: Thank you.",
      "assistant text conversational: You are welcome.",
    ]);
    expect(descendants.map(linesOf)).toEqual([
      [
        "user text injected: Find every other modulus.\n\nloom.py",
        "assistant text conversational: There is no other modulus in this program.",
      ],
    ]);
  });

  it("has turns, token usage, statuses, and links between parent and sub-agent in both directions", () => {
    const [main, child] = recorder.sessions();

    expect(main?.loops).toMatchObject([
      {
        status: "Completed",
        turns: [
          { triggered_by: "User", usage: { input: 12, output: 8, total_tokens: 20 } },
          { triggered_by: "Continuation", tool_results: [{}] },
          { triggered_by: "Continuation" },
        ],
        child_loop_refs: [{ tool_call_id: "call-explore", child_session_id: child?.session_id }],
      },
      { status: "Completed", turns: [{ triggered_by: "User" }] },
    ]);
    expect(child).toMatchObject({
      agent_id: "explorer",
      parent_spawn_ref: { parent_session_id: main?.session_id, tool_call_id: "call-explore" },
      loops: [{ status: "Completed", turns: [{ triggered_by: "SubAgent" }] }],
    });
  });

  it("is found by its own words and by those of its sub-agent", async () => {
    const { id } = stored.root.session;
    const found = async (query: string) => {
      const { sessions } = await handlers.handle("search", { protocol_version: 1, query });
      return sessions.map(({ matches: [match] }) => [match?.session_id, match?.parent_session_id]);
    };

    expect(await found('"every third thread is skipped"')).toEqual([[id, undefined]]);
    expect(await found('"no other modulus in this program"')).toEqual([
      [stored.descendants[0]?.session.id, id],
    ]);
  });

  it.each(adapters.map((to) => ({ client: to.origin, to })))(
    "is restored into $client with all its texts and tool calls",
    async ({ to }) => {
      const copy = await copyTo(to, stored);

      expect(copy.complaints).toEqual([]);
      const missing = [stored.root, ...stored.descendants].flatMap((original, index) => {
        const content = copy.contents[index];
        return content
          ? missingTexts(sessionTexts(content), sessionTexts(original))
          : [original.session.id];
      });
      expect(missing).toEqual([]);
      const calls = copy.contents.map((content) => content && callsOf(content));
      expect(calls).toEqual([stored.root, ...stored.descendants].map(callsOf));
    },
  );
});

it.each(adapters.map((to) => ({ client: to.origin, to })))(
  "interleaved branches, an overlay, a refusal and a broken-off loop are copied to $client without loss",
  async ({ to }) => {
    const root = troubled();

    const copy = await copyTo(to, { root, descendants: [] });

    expect(copy.complaints).toEqual([]);
    const [content] = copy.contents;
    expect(content && missingTexts(sessionTexts(content), sessionTexts(root))).toEqual([]);
  },
);

/** A session full of complications. */
function troubled(): SessionContent {
  const agent = createRecorder({ agent: "loom-agent", project: "/home/ada/loom" });
  const prompt = { role: "user", content: "Which yarn?" } as const;
  const group = agent.parallelGroup({ branches: 2, prompt });
  const branches = [group.start(0), group.start(1)];
  const calls = branches.map((loop, index) => {
    const call = { call_id: `call-${index}`, name: "measure" };
    const part = { type: "tool_call", ...call, params: { grams: index } } as const;
    loop.startTurn();
    loop.say({ role: "assistant", content: [part] });
    return call;
  });
  for (const [index, loop] of branches.entries()) {
    const call = calls[index] ?? { call_id: "", name: "" };
    const part = { type: "tool_result", ...call, result: `${index} grams` } as const;
    loop.say({ role: "tool", content: [part] });
    loop.say({ role: "assistant", content: `Branch ${index} would take wool.` });
    loop.endTurn();
    loop.end();
  }
  group.select(1);
  branches[0]?.compact({ keep_first: { startTurn: 0, endTurn: 0 } });
  const refused = agent.loop();
  refused.say({ role: "user", content: "What is the password?" });
  refused.reject("no secrets");
  const broken = agent.loop();
  broken.say({ role: "user", content: "Weave on." });
  broken.say({
    role: "assistant",
    content: [{ type: "tool_call", call_id: "call-lost", name: "measure", params: {} }],
  });
  const content = agent.content(broken.sessionId);
  if (content === undefined) throw new Error("there is no session");
  return content;
}

/** The calls with their parameters, which a client may write as text. */
function callsOf(content: SessionContent): readonly unknown[] {
  return turnsOf(content, {}, new Tally()).flatMap((turn) =>
    turn.kind === "assistant"
      ? turn.parts.flatMap((part) => (part.type === "call" ? [[part.part.name, part.params]] : []))
      : [],
  );
}
