import { describe, expect, it } from "vitest";
import { type JsonObject, type Message, messageFromWire, sessionFromWire } from "../index.ts";
import type { CommonCall, NamedModel, RecordRules, SessionContent } from "../seam/codec.ts";
import { courseByRules, courseWithout, courseWithoutDuplicates } from "./course.ts";
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
  const found = turnsOf(content(...drafts), { readTool: () => shell }, new Tally());
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

it("pairs every call with its result, wherever the result stands", () => {
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

it("gives repeated calls ids of their own, each with its own result", () => {
  expect(
    turns(
      ["assistant", call("x|1"), call("x|1"), call("call_2"), call("")],
      ["tool", result("x|1", "first"), result("x|1", "second")],
    ),
  ).toEqual([
    "assistant m0: x-1 shell -> first | x-1-2 shell -> second | call-2 shell -> nothing | call shell -> nothing",
  ]);
});

it("gives a call that was cut off no result of a later call with the same id", () => {
  expect(
    turns(
      ["user", "drop it"],
      ["assistant", call("call_0")],
      ["user", "stop, only list"],
      ["assistant", call("call_0")],
      ["tool", result("call_0", "listed")],
    ),
  ).toEqual([
    "user m0: drop it",
    "assistant m1: call-0 shell -> nothing",
    "user m2: stop, only list",
    "assistant m3: call-0-2 shell -> listed",
  ]);
});

it("gives calls of one step that share an id their results in order", () => {
  const ordered = turns(
    ["assistant", call("a"), call("a")],
    ["system", ""],
    ["assistant", call("a")],
    ["tool", result("a", "first"), result("a", "second")],
    ["tool", result("a", "third")],
  );

  expect(ordered).toEqual([
    "assistant m0: a shell -> first | a-2 shell -> second | a-3 shell -> third",
  ]);
});

it("shortens ids that are too long for APIs, and keeps them distinct", () => {
  const long = `call_${"a".repeat(60)}|fc_${"b".repeat(380)}`;
  const longer = `${long}c`;
  const found = turns(
    ["assistant", call(long), call(longer), call(long), call("a".repeat(60))],
    ["tool", result(longer, "of longer"), result(long, "of long"), result(long, "again")],
  );
  const ids = (found[0]?.split(": ")[1] ?? "").split(" | ").map((each) => each.split(" ")[0]);

  expect(ids.filter((id) => id === undefined || id.length > 64)).toEqual([]);
  expect(new Set(ids).size).toBe(4);
  expect(ids[3]).toBe("a".repeat(60));
  expect(found[0]?.match(/of long\w*|again/g)).toEqual(["of long", "of longer", "again"]);
});

it("takes the result of a call even from an earlier message", () => {
  expect(turns(["tool", result("a", "early")], ["assistant", call("a")])).toEqual([
    "assistant m1: a shell -> early",
  ]);
});

it("ends a step after a message that holds the results of its own calls", () => {
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

it("keeps the order of several steps in one message", () => {
  const steps = ["one", call("a"), result("a", "of a"), "two", call("b"), call("c")];

  expect(turns(["assistant", ...steps, result("c", "of c"), "three"])).toEqual([
    "assistant m0: one | a shell -> of a",
    "assistant m0: two | b shell -> nothing | c shell -> of c",
    "assistant m0: three",
  ]);
});

it("gives text that the client injected into an assistant message as context", () => {
  const injected = { type: "text", text: "API Error: 500", provenance: "injected" };

  expect(turns(["assistant", "one", injected, call("a")], ["assistant", injected])).toEqual([
    "assistant m0: one",
    "context m0: API Error: 500",
    "assistant m0: a shell -> nothing",
    "context m1: API Error: 500",
  ]);
});

it("names a step's own model, or else the one that an earlier record names", () => {
  const { session, messages } = content(
    ["assistant", "one"],
    ["system", ""],
    ["user", "go"],
    ["assistant", "two"],
    ["user", "go on"],
    ["assistant", "three"],
  );
  const names: Readonly<Record<string, string>> = { m1: "o3", m3: "o4" };
  const model = ({ id }: Message): NamedModel => (names[id] ? { model: names[id] } : {});

  const found = turnsOf({ session, messages }, { recordRulesOf: () => ({ model }) }, new Tally());

  expect(found.flatMap((turn) => (turn.kind === "assistant" ? [turn.model] : []))).toEqual([
    {},
    { model: "o4" },
    { model: "o3" },
  ]);
});

/** The steps of answers that have these fields at their source, each with the model it names. */
function steps(...sources: readonly JsonObject[]): readonly string[] {
  const { session, messages } = content(...sources.map((_, at): Draft => ["assistant", `${at}`]));
  const named = messages.map((each, at) => ({ ...each, options: { source: sources[at] ?? {} } }));
  return turnsOf({ session, messages: named }, {}, new Tally()).map((turn) => {
    const { provider, model } = turn.kind === "assistant" ? turn.model : {};
    return `${provider}/${model}: ${parts(turn).join(" | ")}`;
  });
}

it("keeps answers of different models apart even if nothing stands between them", () => {
  const one = { rest: { model: "claude-a", provider: "anthropic" } };
  const other = { rest: { model: "gpt-b", provider: "openai" } };

  expect(steps(one, one, other, one)).toEqual([
    "anthropic/claude-a: 0 | 1",
    "openai/gpt-b: 2",
    "anthropic/claude-a: 3",
  ]);
  expect(steps(one, { rest: { model: "claude-a", provider: "router" } })).toEqual([
    "anthropic/claude-a: 0",
    "router/claude-a: 1",
  ]);
});

it("adds an answer that names no model to the open step", () => {
  const named = { rest: { model: "claude-a", provider: "anthropic" } };

  expect(steps(named, {}, { rest: { model: "claude-a" } })).toEqual([
    "anthropic/claude-a: 0 | 1 | 2",
  ]);
  expect(steps({}, named)).toEqual(["undefined/undefined: 0", "anthropic/claude-a: 1"]);
});

it("does not end a step at an empty system message", () => {
  expect(
    turns(["assistant", "one"], ["system", ""], ["assistant", call("a")], ["system", " rules "]),
  ).toEqual(["assistant m0: one | a shell -> nothing", "context m3:  rules "]);
});

it("parses call parameters that a client writes as JSON text", () => {
  const params = (text: string) => {
    const [turn] = turnsOf(content(["assistant", { ...call("a"), params: text }]), {}, new Tally());
    const [part] = turn?.parts ?? [];
    return part?.type === "call" ? part.params : undefined;
  };

  expect(params('{"cmd":"ls"}')).toEqual({ cmd: "ls" });
  expect([params('{"cmd":'), params("ls")]).toEqual(['{"cmd":', "ls"]);
});

it("keeps a result that answers no call in its place", () => {
  expect(
    turns(
      ["user", "go"],
      ["assistant", call("a"), result("a", "inside"), "after"],
      ["tool", result("a", "again"), result("lost", "no call")],
    ),
  ).toEqual([
    "user m0: go",
    "assistant m1: a shell -> inside",
    "assistant m1: after",
    "context m2: orphan again",
    "context m2: orphan no call",
  ]);
});

it("separates what a human typed from what the harness injected", () => {
  const injected = { type: "text", text: "rules", provenance: "injected" };

  expect(turns(["system", "You weave."], ["user", "typed", injected, "more"], ["user"])).toEqual([
    "context m0: You weave.",
    "context m1: rules",
    "user m1: typed | more",
  ]);
});

it("leaves out and counts a file that is kept beside a session", () => {
  const tally = new Tally();
  const file = { type: "file", media_type: "text/plain", data: { type: "url", url: "a" } };
  const { session, messages } = content(["user", file]);
  const options = { source: { sidecar: "a" } };
  const kept = { session, messages: messages.map((message) => ({ ...message, options })) };

  expect(turnsOf(kept, {}, tally)).toEqual([]);
  expect(tally.fidelity()).toEqual({ file: { kept: 0, translated: 0, dropped: 1 } });
});

/** A session whose messages have these options; null is none. */
function marked(drafts: readonly (readonly [options: object | null, ...Draft])[]): SessionContent {
  const { session, messages } = content(...drafts.map(([, ...draft]): Draft => draft));
  const options = (at: number) => JSON.parse(JSON.stringify(drafts[at]?.[0] ?? {}));
  return { session, messages: messages.map((each, at) => ({ ...each, options: options(at) })) };
}

function shortly(session: SessionContent, tally: Tally = new Tally()): readonly string[] {
  const found = turnsOf(session, { readTool: () => shell }, tally);
  return found.map((turn) => `${turn.kind}: ${parts(turn).join(" | ")}`);
}

describe("parallel branches", () => {
  const one = { source: { loop: "one" } };
  const two = { source: { loop: "two" } };

  it("have steps of their own, even if one model answered in both", () => {
    const session = marked([
      [one, "assistant", "left"],
      [two, "assistant", "right"],
      [two, "assistant", "and on"],
    ]);

    expect(shortly(session)).toEqual(["assistant: left", "assistant: right | and on"]);
  });

  it("give results to the calls of their own branch", () => {
    const session = marked([
      [one, "assistant", call("call_0")],
      [two, "assistant", call("call_0")],
      [two, "tool", result("call_0", "of two")],
      [one, "tool", result("call_0", "of one")],
      [two, "tool", result("call_0", "again")],
    ]);

    expect(shortly(session)).toEqual([
      "assistant: call-0 shell -> of one",
      "assistant: call-0-2 shell -> of two",
      "context: orphan again",
    ]);
  });

  it("never give a result to another branch's call if their own branch made the call", () => {
    const session = marked([
      [one, "assistant", call("call_0")],
      [two, "assistant", call("call_0")],
      [two, "tool", result("call_0", "of two"), result("call_0", "again")],
    ]);

    expect(shortly(session)).toEqual([
      "assistant: call-0 shell -> nothing",
      "assistant: call-0-2 shell -> of two",
      "context: orphan again",
    ]);
  });

  it("give a result to another branch's call if their own branch made none", () => {
    const session = marked([
      [one, "assistant", call("call_0")],
      [two, "tool", result("call_0", "of one")],
    ]);

    expect(shortly(session)).toEqual(["assistant: call-0 shell -> of one"]);
  });
});

describe("a client's own rules", () => {
  const rules: RecordRules = {
    course: ({ messages: [first, ...others] }) => ({ live: others, undone: first ? [first] : [] }),
    contextText: ({ id }) => (id === "m1" ? "It was the modulus." : ""),
  };
  const session = content(
    ["user", "one"],
    ["system", "a record"],
    ["user", "two"],
    ["system", "rules"],
  );

  it("drop and count undone messages, and give a record its text", () => {
    const tally = new Tally();
    const recordRulesOf = (origin: string) => (origin === "loom" ? rules : undefined);

    const found = turnsOf(session, { recordRulesOf }, tally);

    expect(found.map((turn) => `${turn.kind}: ${parts(turn).join(" | ")}`)).toEqual([
      "context: It was the modulus.",
      "user: two",
    ]);
    const dropped = { kept: 0, translated: 0, dropped: 1 };
    expect(tally.fidelity()).toEqual({ system: dropped, text: dropped });
  });

  it("count a message that is told twice as translated, not as dropped", () => {
    const tally = new Tally();
    const repeated = content(["tool", result("a", "so: two")], ["user", "two"], ["user", "three"]);
    const course = ({ messages }: SessionContent) =>
      courseByRules(messages, [
        (rest) => courseWithoutDuplicates(rest, ({ id }) => id === "m1"),
        (rest) => courseWithout(rest, new Set(rest.filter(({ id }) => id === "m2"))),
      ]);

    turnsOf(repeated, { recordRulesOf: () => ({ course }) }, tally);

    expect(tally.fidelity().text).toEqual({ kept: 0, translated: 1, dropped: 1 });
  });

  it("apply only to sessions of that client", () => {
    const recordRulesOf = (origin: string) => (origin === "shuttle" ? rules : undefined);

    const found = turnsOf(session, { recordRulesOf }, new Tally());

    expect(found.map(({ message }) => message.id)).toEqual(["m0", "m1", "m2", "m3"]);
  });

  it("decide where a step ends, and so which of two calls with one id has a result", () => {
    const session = content(
      ["assistant", call("a")],
      ["system", ""],
      ["assistant", call("a")],
      ["tool", result("a", "done")],
    );
    const linesOf = (own: RecordRules) =>
      turnsOf(session, { recordRulesOf: () => own }, new Tally()).map((turn) =>
        parts(turn).join(" | "),
      );

    expect(linesOf({})).toEqual(["a undefined -> done | a-2 undefined -> nothing"]);
    expect(linesOf({ contextText: () => "said" })).toEqual([
      "a undefined -> nothing",
      "said",
      "a-2 undefined -> done",
    ]);
  });
});

it("counts only the parts that it leaves out", () => {
  const tally = new Tally();
  const approval = { approval_id: "p" };
  turnsOf(
    content(
      ["assistant", call("a"), { type: "tool_approval_request", ...approval, tool_call_id: "a" }],
      ["tool", { type: "tool_approval_response", ...approval, approved: true }, result("a", "ok")],
    ),
    {},
    tally,
  );

  const dropped = { kept: 0, translated: 0, dropped: 1 };
  expect(tally.fidelity()).toEqual({
    tool_approval_request: dropped,
    tool_approval_response: dropped,
  });
});

it("asks the client that made a call for the call's meaning", () => {
  const asked: unknown[] = [];
  turnsOf(
    content(["assistant", call("a")]),
    {
      readTool: (origin, { name, params }) => {
        asked.push([origin, name, params]);
        return undefined;
      },
    },
    new Tally(),
  );

  expect(asked).toEqual([["loom", "sh", { cmd: "ls" }]]);
});
