import { type JsonObject, type Message, messageFromWire, partsOf } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { entryFields } from "./entry-fields.ts";
import { withoutExcluded } from "./excluded.ts";

type Draft = readonly [role: string, rest: JsonObject, ...parts: readonly object[]];

/**
 * An entry, with what canonical fields did not take of it; one of role `system` is carried,
 * and has in place of parts what stands beside its record.
 */
function message([role, rest, ...drafts]: Draft, index: number): Message {
  const id = `m${index}`;
  const place = { id, session_id: "s", role, timestamp: "2026-03-01T09:00:00.000Z" };
  if (role === "system") {
    const source = { record: rest, ...drafts[0] };
    return messageFromWire({ ...place, options: { source }, content: "" });
  }
  const provenance = role === "tool" ? "injected" : "conversational";
  const content = drafts.map((part, at) => {
    return { id: `p${at}`, session_id: "s", message_id: id, provenance, options: {}, ...part };
  });
  return messageFromWire({ ...place, options: { source: { rest } }, content });
}

const text = (value: string) => ({ type: "text", text: value });
const thought = { type: "reasoning", text: "hmm" };
const call = (call_id: string) => ({
  type: "tool_call",
  call_id,
  name: "read",
  params: { path: "a" },
  provider_executed: false,
});
const answer = (call_id: string, result: string) => ({
  type: "tool_result",
  call_id,
  is_failure: false,
  result,
});
const edit = (targetId: string, replacement: JsonObject | null): Draft => [
  "system",
  { type: "context_edit", targetId, replacement },
];

/** What a model is given and what is excluded, a message each; those that carry a record apart. */
function parted(...drafts: readonly Draft[]): {
  readonly live: readonly string[];
  readonly undone: readonly string[];
} {
  const messages = drafts.map(message);
  const { live, undone } = withoutExcluded(messages, entryFields(messages));
  return { live: live.flatMap(shortly), undone: undone.flatMap(shortly) };
}

function shortly(each: Message): readonly string[] {
  if (each.role === "system") return [];
  const parts = partsOf(each).map((part) => {
    switch (part.type) {
      case "tool_call":
        return `${part.name} ${part.call_id}`;
      case "tool_result":
        return `${part.call_id} -> ${JSON.stringify(part.result)}`;
      case "file":
        return `${part.media_type} ${part.data.type}`;
      case "text":
        return part.text;
      default:
        return part.type;
    }
  });
  return [`${each.id}: ${parts.join(" | ")}`];
}

it("withholds a command that is for the user alone, with its output", () => {
  const run = { role: "bashExecution", exitCode: 0 };

  expect(
    parted(
      ["user", { message: run }, text("ls"), text("a.txt")],
      ["user", { message: { ...run, excludeFromContext: true } }, text("env"), text("KEY=1")],
      ["user", { message: { ...run, excludeFromContext: false } }, text("pwd"), text("/")],
    ),
  ).toEqual({ live: ["m0: ls | a.txt", "m2: pwd | /"], undone: ["m1: env | KEY=1"] });
});

it.each(["superseded", "recovered"])(
  "withholds an answer that was %s, with its tool results",
  (status) => {
    const broken = { message: { retryRecovery: { status } } };

    expect(
      parted(
        ["user", {}, text("go")],
        ["assistant", {}, call("call_0")],
        ["tool", {}, answer("call_0", "first")],
        ["assistant", broken, text("I lo"), call("call_0")],
        ["tool", {}, answer("call_0", "broken off")],
        ["assistant", {}, text("I look"), call("call_0")],
        ["tool", {}, answer("call_0", "last")],
      ),
    ).toEqual({
      live: [
        "m0: go",
        "m1: read call_0",
        'm2: call_0 -> "first"',
        "m5: I look | read call_0",
        'm6: call_0 -> "last"',
      ],
      undone: ["m3: I lo | read call_0", 'm4: call_0 -> "broken off"'],
    });
  },
);

describe("an edit of the context", () => {
  it("takes its target out, unless a later edit gives it back", () => {
    expect(
      parted(
        ["user", {}, text("secret")],
        ["assistant", {}, text("noted")],
        edit("m0", null),
        edit("m1", null),
        edit("m1", { content: [text("noted")] }),
        edit("lost", null),
      ),
    ).toEqual({ live: ["m1: noted"], undone: ["m0: secret"] });
  });

  it("replaces the content of a prompt, an answer or a tool result, and keeps the rest", () => {
    const blocks = [
      text("said"),
      { type: "toolCall", id: "a", name: "read", arguments: { path: "a" } },
      { type: "unknown" },
    ];

    expect(
      parted(
        ["user", {}, text("my key is 1"), text("go")],
        ["assistant", {}, thought, text("said"), call("a")],
        ["tool", {}, answer("a", "long")],
        edit("m0", { content: "my key is [cut]" }),
        edit("m1", { content: blocks }),
        edit("m2", { content: [text("short")] }),
      ),
    ).toEqual({
      live: [
        "m0: my key is [cut]",
        "m1: said | read a",
        'm2: a -> [{"type":"text","text":"short"}]',
      ],
      undone: ["m0: my key is 1 | go", "m1: reasoning"],
    });
  });

  it("replaces content with every kind of block that the role of the entry can hold", () => {
    const image = { type: "image", mimeType: "image/png", data: "AAAA" };
    const thinking = { type: "thinking", thinking: "hmm, again" };
    const other = { type: "toolCall", id: "a", name: "read", arguments: { path: "b" } };
    const same = { type: "file", media_type: "image/png", data: { type: "bytes", base64: "AAAA" } };

    expect(
      parted(
        ["user", {}, same],
        ["assistant", {}, thought, call("a")],
        edit("m0", { content: [image, thinking, other] }),
        edit("m1", { content: [thinking, other, image] }),
      ),
    ).toEqual({
      live: ["m0: image/png bytes", "m1: reasoning | read a | image/png base64"],
      undone: ["m1: reasoning | read a"],
    });
  });

  it("tells images apart even if their bytes are gone", () => {
    const image = { type: "image", mimeType: "image/png", data: "blob:sha256:b" };
    const other = { type: "url", url: "blob:sha256:a" };
    const gone = { type: "file", media_type: "image/png", data: other };

    expect(parted(["user", {}, gone], edit("m0", { content: [image] }))).toMatchObject({
      live: ["m0: image/png base64"],
    });
  });

  it("finds its target by the client's id, even if the message has an id of its own", () => {
    const links = { "1": { id: "a", parentId: null }, "2": { id: "b", parentId: "a" } };

    expect(
      parted(
        ["system", { type: "custom" }],
        ["system", { type: "session" }, { links }],
        ["user", {}, text("secret")],
        ["assistant", {}, text("noted")],
        ["user", { id: "c" }, text("secret again")],
        ["user", { id: "m3" }, text("go on")],
        edit("a", null),
        edit("c", null),
        edit("m3", { content: "go" }),
      ),
    ).toEqual({
      live: ["m3: noted", "m5: go"],
      undone: ["m2: secret", "m4: secret again", "m5: go on"],
    });
  });

  it("changes nothing if it has another shape or targets a record", () => {
    expect(
      parted(
        ["user", {}, text("one")],
        edit("m0", { text: "two" }),
        ["system", { type: "branch_summary", summary: "left" }],
        edit("m2", { content: "other" }),
      ),
    ).toEqual({ live: ["m0: one"], undone: [] });
  });
});
