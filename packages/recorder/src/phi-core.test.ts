// A loop that was recorded here means what the same loop of phi-core means, read by its adapter.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@pond/adapters";
import type { JsonObject, JsonValue, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf, type ReadEvent, stringifyJson } from "@pond/canonical";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoopRecord, SessionRecord } from "./record.ts";
import type { Recorder } from "./recorder.ts";
import { snapshot } from "./snapshot.ts";
import { eventOfMessage, sourceOf } from "./stored-event.ts";
import { assistant, call, config, contentOf, testRecorder, usage, user } from "./testing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const scenarios: readonly [string, (recorder: Recorder) => void][] = [
  [
    "a turn with a tool and a follow-up",
    (recorder) => {
      const loop = recorder.loop({ config });
      loop.startTurn();
      loop.say(user("Why is every third thread skipped?"));
      loop.say({
        role: "assistant",
        content: [
          { type: "reasoning", text: "A step of three." },
          { type: "text", text: "I look." },
          { type: "tool_call", call_id: "c", name: "read", params: { path: "loom.py" } },
        ],
      });
      loop.startTool({ call_id: "c", name: "read" }, { path: "loom.py" });
      loop.endTool({ call_id: "c", name: "read" }, { result: "thread % 3" });
      loop.say({
        role: "tool",
        content: [
          {
            type: "tool_result",
            call_id: "c",
            name: "read",
            result: [{ type: "text", text: "thread % 3" }],
          },
        ],
      });
      loop.endTurn(usage);
      loop.end({ usage });
      const next = recorder.loop({ continues: loop.loopId, as: { Rerun: { tag: "again" } } });
      next.say(assistant("The modulus is wrong."));
      next.end();
    },
  ],
  [
    "parallel branches of one prompt, one of them chosen",
    (recorder) => {
      const group = recorder.parallelGroup({ branches: 2, prompt: user("Which yarn?") });
      const [wool, linen] = [group.start(0, { config }), group.start(1, { config })];
      wool.say(assistant("Wool."));
      wool.end();
      linen.say(assistant("Linen."));
      linen.end();
      group.select(1, usage);
    },
  ],
  [
    "a sub-agent and its task",
    (recorder) => {
      const parent = recorder.loop();
      parent.say(user("Find every modulus."));
      const child = parent.spawn(call);
      child.say(user("Find them in src."));
      child.say(assistant("There is one."));
      child.end();
      parent.endTool(call, { result: "one" });
      parent.end();
    },
  ],
  [
    "a compaction, a rejection and an aborted loop",
    (recorder) => {
      const loop = recorder.loop();
      loop.say(user("All of it."));
      loop.end();
      loop.compact({ keep_first: { startTurn: 0, endTurn: 0 } });
      const refused = recorder.loop();
      refused.say(user("The password?"));
      refused.reject("no secrets");
      const broken = recorder.loop();
      broken.say(user("Go on."));
      broken.abort();
    },
  ],
];

test.each(scenarios)(
  "a recorded session means what phi-core's file of it means: %s",
  async (_, play) => {
    const recorder = testRecorder();
    play(recorder);
    const phiCore = adapters.find(({ origin }) => origin === "phi-core");
    if (phiCore === undefined) throw new Error("there is no adapter of phi-core");
    const files = new Map(
      recorder.sessions().map((record) => {
        return [`${record.session_id}.json`, Buffer.from(stringifyJson(documentOf(record)))];
      }),
    );
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);

    expect(phiCore.problems?.(files)).toEqual([]);
    for (const { session_id } of recorder.sessions()) {
      const events = await Array.fromAsync(phiCore.from(folder).read(`${session_id}.json`));
      expect(meaningOfEvents(events)).toEqual(meaningOf(recorder, session_id));
    }
  },
);

/** What a session means: whose sub-agent it is, what was said in which loop, what was compacted. */
type Meaning = {
  readonly parent: string | undefined;
  readonly said: readonly JsonValue[];
  readonly compacted: readonly JsonValue[];
};

function meaningOf(recorder: Recorder, sessionId: string): Meaning {
  const { session, messages } = contentOf(recorder, sessionId);
  const loops = recorder.session(sessionId)?.loops.map(({ loop_id }) => loop_id) ?? [];
  const said = messages.filter((message) => eventOfMessage(message)?.type === "MessageEnd");
  return {
    parent: session.parent_session_id,
    // A file has loop after loop; a log has what happened when.
    said: loops.flatMap((id) => {
      return said
        .filter((message) => sourceOf(message)["loop"] === id)
        .map((message) => saidAs(message, partsOf(message)));
    }),
    compacted: messages
      .map(sourceOf)
      .flatMap(({ boundary, loop = null }) => (boundary === undefined ? [] : [loop])),
  };
}

function meaningOfEvents(events: readonly ReadEvent[]): Meaning {
  const [first] = events;
  const parts = events.flatMap((event) => (event.kind === "part" ? [event.part] : []));
  const messages = events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
  const ofLoops = messages.filter((message) => sourceOf(message)["loop"] !== undefined);
  return {
    parent: first?.kind === "session" ? first.session.parent_session_id : "no session",
    said: ofLoops
      .filter((message) => !message.id.startsWith("loop:"))
      .map((message) => {
        return saidAs(
          message,
          parts.filter((part) => part.message_id === message.id),
        );
      }),
    compacted: ofLoops
      .filter((message) => sourceOf(message)["boundary"] !== undefined)
      .map((message) => loopOf(message)),
  };
}

function saidAs(
  message: Pick<Message, "role" | "options" | "timestamp">,
  parts: readonly Part[],
): JsonValue {
  const { repeats = false } = sourceOf(message);
  return {
    loop: loopOf(message),
    role: message.role,
    repeats,
    timestamp: String(message.timestamp),
    parts: parts.map((part) => {
      const { session_id: _, message_id: _message, options: _options, ...said } = part;
      return snapshot(said);
    }),
  };
}

/** The adapter names a loop by its id and its start. */
function loopOf(message: Pick<Message, "options">): string {
  return String(sourceOf(message)["loop"]).split("@")[0] ?? "";
}

const zero = { input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };

/** The session as phi-core would have written it. */
function documentOf({ loops, parent_spawn_ref, ...head }: SessionRecord): JsonObject {
  const document = snapshot({
    ...head,
    parent_spawn_ref: parent_spawn_ref ?? null,
    loops: loops.map((loop) => loopDocument(loop)),
  });
  return isJsonObject(document) ? document : {};
}

function loopDocument({ messages, turns: _, events: _events, ...loop }: LoopRecord): object {
  const { compaction_block: block, parallel_group: group } = loop;
  return {
    rejection: null,
    ...loop,
    messages: messages.map(messageDocument),
    turns: [],
    events: [],
    usage: { ...zero, ...loop.usage },
    ...(block && { compaction_block: { ...block, createdAt: loop.ended_at } }),
    ...(group && { parallel_group: { ...group, evaluation_usage: { ...zero, ...usage } } }),
  };
}

function messageDocument(message: Message): object {
  const timestamp = Number(message.timestamp / 1000n);
  const parts = partsOf(message);
  const [first] = parts;
  if (first?.type === "tool_result") {
    const { call_id: toolCallId, name: toolName, is_failure: isError, result: content } = first;
    return { role: "toolResult", toolCallId, toolName, isError, content, timestamp };
  }
  const content = parts.map((part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning":
        return { type: "thinking", thinking: part.text };
      case "tool_call":
        return { type: "toolCall", id: part.call_id, name: part.name, arguments: part.params };
      default:
        throw new TypeError(`phi-core has no ${part.type}`);
    }
  });
  const answer = { stopReason: "stop", ...config, usage: zero };
  return { role: message.role, content, timestamp, ...(message.role === "assistant" && answer) };
}
