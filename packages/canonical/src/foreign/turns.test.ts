import { describe, expect, it } from "vitest";
import { messageFromWire, sessionFromWire, sessionToWire } from "../index.ts";
import type { CommonCall, SessionContent } from "../seam/codec.ts";
import { Tally } from "./tally.ts";
import { type Turn, turnsOf } from "./turns.ts";

type Draft = readonly [role: string, ...parts: readonly (string | object)[]];

const created_at = "2026-03-01T09:00:00.000Z";

/** A session of a client that pond has no adapter for; a part that is a string is a typed text. */
function content(...drafts: readonly Draft[]): SessionContent {
  const labels = { source_agent: "loom", created_at, project: "/home/ada", options: {} };
  const messages = drafts.map(([role, ...parts], index) => {
    const id = `m${index}`;
    const message = { id, session_id: "s", role, timestamp: created_at, options: {} };
    if (role === "system") return messageFromWire({ ...message, content: parts[0] });
    const typed = parts.map((part, at) => ({
      id: String(at),
      session_id: "s",
      message_id: id,
      provenance: "conversational",
      options: {},
      ...(typeof part === "string" ? { type: "text", text: part } : part),
    }));
    return messageFromWire({ ...message, content: typed });
  });
  return { session: sessionFromWire({ id: "s", ...labels }), messages };
}

const call = (call_id: string) => ({
  type: "tool_call",
  call_id,
  name: "sh",
  params: { cmd: "ls" },
  provider_executed: false,
});
const result = (call_id: string, value: string) => ({
  type: "tool_result",
  call_id,
  is_failure: false,
  result: value,
});

const shell: CommonCall = { kind: "shell", fields: { command: "ls" }, rest: {} };

/** The turns of a session, in short. */
function turns(...drafts: readonly Draft[]): readonly string[] {
  const found = turnsOf(content(...drafts), () => shell, new Tally());
  return found.map((turn) => `${turn.kind} ${turn.message.id}: ${parts(turn).join(" | ")}`);
}

function parts(turn: Turn): readonly string[] {
  return turn.parts.map((part) => {
    switch (part.type) {
      case "call":
        return `${part.callId} ${part.common?.kind} -> ${part.result?.part.result ?? "nothing"}`;
      case "orphan":
        return `orphan ${part.part.result}`;
      case "file":
        return part.media_type;
      default:
        return part.text;
    }
  });
}

it("pairs every call with its answer, wherever that stands", () => {
  expect(
    turns(
      ["user", "list"],
      ["assistant", "I look", call("a")],
      ["assistant", call("b"), call("c")],
      ["user", "quickly"],
      ["tool", result("c", "of c"), result("a", "of a")],
      ["assistant", "done"],
    ),
  ).toEqual([
    "user m0: list",
    "assistant m1: I look | a shell -> of a | b shell -> nothing | c shell -> of c",
    "user m3: quickly",
    "assistant m5: done",
  ]);
});

it("gives repeated calls ids of their own, each with its own answer", () => {
  expect(
    turns(
      ["assistant", call("x|1"), call("x|1"), call("call_2"), call("")],
      ["tool", result("x|1", "first"), result("x|1", "second")],
    ),
  ).toEqual([
    "assistant m0: x-1 shell -> first | x-1-2 shell -> second | call-2 shell -> nothing | call shell -> nothing",
  ]);
});

it("takes the answer of a call also from a message that stands before it", () => {
  expect(turns(["tool", result("a", "early")], ["assistant", call("a")])).toEqual([
    "assistant m1: a shell -> early",
  ]);
});

it("ends a step where a message holds the answers to its own calls", () => {
  expect(
    turns(
      ["assistant", "one", call("a"), result("a", "of a"), call("b"), result("b", "of b")],
      ["assistant", "two", call("c")],
      ["assistant", "three"],
    ),
  ).toEqual([
    "assistant m0: one | a shell -> of a | b shell -> of b",
    "assistant m1: two | c shell -> nothing",
    "assistant m2: three",
  ]);
});

it("does not end a step at a record that says nothing to a model", () => {
  expect(
    turns(["assistant", "one"], ["system", ""], ["assistant", call("a")], ["system", " rules "]),
  ).toEqual(["assistant m0: one | a shell -> nothing", "context m3:  rules "]);
});

it("parses parameters that a client writes as JSON text", () => {
  const params = (text: string) => {
    const [turn] = turnsOf(
      content(["assistant", { ...call("a"), params: text }]),
      () => undefined,
      new Tally(),
    );
    const [part] = turn?.parts ?? [];
    return part?.type === "call" ? part.params : undefined;
  };

  expect(params('{"cmd":"ls"}')).toEqual({ cmd: "ls" });
  expect([params('{"cmd":'), params("ls")]).toEqual(['{"cmd":', "ls"]);
});

it("keeps a result that answers no call, where it stands", () => {
  expect(
    turns(
      ["user", "go"],
      ["assistant", call("a"), result("a", "inside"), "after"],
      ["tool", result("a", "again"), result("lost", "no call")],
    ),
  ).toEqual([
    "user m0: go",
    "assistant m1: a shell -> inside | after",
    "context m2: orphan again",
    "context m2: orphan no call",
  ]);
});

it("keeps apart what a human typed and what the harness gave", () => {
  const injected = { type: "text", text: "rules", provenance: "injected" };

  expect(turns(["system", "You weave."], ["user", "typed", injected, "more"], ["user"])).toEqual([
    "context m0: You weave.",
    "context m1: rules",
    "user m1: typed | more",
  ]);
});

it("leaves out and counts files that are kept beside a session", () => {
  const tally = new Tally();
  const file = { type: "file", media_type: "text/plain", data: { type: "url", url: "a" } };
  const { session, messages } = content(["user", file]);
  const options = { source: { sidecar: "a" } };
  const kept = { session, messages: messages.map((message) => ({ ...message, options })) };

  expect(turnsOf(kept, () => undefined, tally)).toEqual([]);
  expect(tally.fidelity()).toEqual({ file: { kept: 0, translated: 0, dropped: 1 } });
});

describe("the conversation of a sub-agent inside another session's log", () => {
  const aside = { source: { rest: { isSidechain: true } } };
  /** A session whose messages have these options; null is none. */
  const marked = (drafts: readonly (readonly [options: object | null, ...Draft])[]) => {
    const { session, messages } = content(...drafts.map(([, ...draft]): Draft => draft));
    const options = (at: number) => JSON.parse(JSON.stringify(drafts[at]?.[0] ?? {}));
    return { session, messages: messages.map((each, at) => ({ ...each, options: options(at) })) };
  };
  const shortly = (session: SessionContent, tally = new Tally()) =>
    turnsOf(session, () => shell, tally).map((turn) => `${turn.kind}: ${parts(turn).join(" | ")}`);

  it("is left out and counted; its outcome is the answer of the call", () => {
    const tally = new Tally();
    const session = marked([
      [null, "user", "fix the bug"],
      [null, "assistant", call("task")],
      [aside, "user", "SEARCH everything"],
      [aside, "assistant", "I look", call("grep")],
      [aside, "system", ""],
      [aside, "tool", result("grep", "hits")],
      [{ source: { continues: "m5" } }, "user", "go on"],
      [aside, "assistant", "found"],
      [null, "tool", result("task", "found")],
      [null, "assistant", "fixed"],
    ]);

    expect(shortly(session, tally)).toEqual([
      "user: fix the bug",
      "assistant: task shell -> found",
      "assistant: fixed",
    ]);
    const dropped = (count: number) => ({ kept: 0, translated: 0, dropped: count });
    expect(tally.fidelity()).toEqual({
      system: dropped(1),
      text: dropped(4),
      tool_call: dropped(1),
      tool_result: dropped(1),
    });
  });

  it("stays where the session is that agent's own, files beside it included", () => {
    const tally = new Tally();
    const file = { type: "file", media_type: "text/plain", data: { type: "url", url: "a" } };
    const session = marked([
      [aside, "user", "SEARCH everything"],
      [aside, "assistant", call("grep")],
      [aside, "tool", result("grep", "hits")],
      [{ source: { continues: "m2" } }, "user", "go on"],
      [aside, "assistant", "found"],
      [{ source: { sidecar: "a" } }, "user", file],
    ]);

    expect(shortly(session, tally)).toEqual([
      "user: SEARCH everything",
      "assistant: grep shell -> hits",
      "user: go on",
      "assistant: found",
    ]);
    expect(tally.fidelity()).toEqual({ file: { kept: 0, translated: 0, dropped: 1 } });
  });

  it.each<[string, object, readonly string[]]>([
    ["stays in a session below another", {}, ["user: SEARCH everything", "user: and more"]],
    ["is left out of a fork", { parent_message_id: "m" }, ["user: and more"]],
  ])("%s, whatever else was typed there", (_, fork, expected) => {
    const { session, messages } = marked([
      [aside, "user", "SEARCH everything"],
      [null, "user", "and more"],
    ]);
    const below = sessionFromWire({ ...sessionToWire(session), parent_session_id: "top", ...fork });

    expect(shortly({ session: below, messages })).toEqual(expected);
  });
});

it("counts what it leaves out, and nothing else", () => {
  const tally = new Tally();
  const approval = { approval_id: "p" };
  turnsOf(
    content(
      ["assistant", call("a"), { type: "tool_approval_request", ...approval, tool_call_id: "a" }],
      ["tool", { type: "tool_approval_response", ...approval, approved: true }, result("a", "ok")],
    ),
    () => undefined,
    tally,
  );

  const dropped = { kept: 0, translated: 0, dropped: 1 };
  expect(tally.fidelity()).toEqual({
    tool_approval_request: dropped,
    tool_approval_response: dropped,
  });
});

it("asks what a call means by the client that made it", () => {
  const asked: unknown[] = [];
  turnsOf(
    content(["assistant", call("a")]),
    (origin, { name, params }) => {
      asked.push([origin, name, params]);
      return undefined;
    },
    new Tally(),
  );

  expect(asked).toEqual([["loom", "sh", { cmd: "ls" }]]);
});
