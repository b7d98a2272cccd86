import { describe, expect, it } from "vitest";
import { type JsonObject, type Message, messageFromWire } from "../index.ts";
import { partUndone } from "./undone.ts";

type Draft = readonly [id: string, text: string, source: JsonObject, role?: string];

/** A message whose text is typed or said; one of role `system` carries the record it is given. */
function message([id, text, source, role = "user"]: Draft): Message {
  const place = { id, session_id: "s", role, timestamp: "2026-03-01T09:00:00.000Z" };
  const given = { ...place, options: { source } };
  if (role === "system") return messageFromWire({ ...given, content: "" });
  const part = { id: "0", session_id: "s", message_id: id, provenance: "conversational" };
  return messageFromWire({ ...given, content: [{ ...part, type: "text", text, options: {} }] });
}

/** What of a session is live, and that nothing of it is lost. */
function live(...drafts: readonly Draft[]): string {
  const messages = drafts.map(message);
  const course = partUndone(messages);
  expect(new Set([...course.live, ...course.undone])).toEqual(new Set(messages));
  expect(course.live).toEqual(messages.filter((each) => course.live.includes(each)));
  return course.live.map(({ id }) => id).join(" ");
}

const under = (parentId: string | null): JsonObject => ({ rest: { parentId } });
const below = (parentUuid: string | null): JsonObject => ({ rest: { parentUuid } });
const carried = (record: JsonObject): JsonObject => ({ record });

describe("of pi, that is live which leads to the last entry", () => {
  it("leaves out branches that were left, with all that is below them", () => {
    expect(
      live(
        ["header", "", carried({ type: "session" }), "system"],
        ["a", "one", under(null)],
        ["b", "said", under("a"), "assistant"],
        ["c", "undone", under("b")],
        ["d", "undone", under("c"), "assistant"],
        ["e", "", carried({ type: "branch_summary", id: "e", parentId: "b" }), "system"],
        ["f", "two", under("e")],
      ),
    ).toBe("header a b e f");
  });

  it("leaves out what came before the first prompt was typed again", () => {
    expect(live(["a", "one", under(null)], ["b", "two", under(null)])).toBe("b");
  });

  it("goes back to a branch that was left, when the user does", () => {
    expect(
      live(
        ["a", "one", under(null)],
        ["b", "left and taken up", under("a")],
        ["c", "left", under("a")],
        ["d", "two", under("b")],
      ),
    ).toBe("a b d");
  });

  it("keeps what stands above a line that is lost, and logs without a tree", () => {
    expect(live(["a", "one", under(null)], ["b", "two", under("lost")])).toBe("a b");
    expect(live(["a", "one", {}], ["b", "two", {}])).toBe("a b");
  });
});

describe("of Claude Code, prompts typed in another's place are live", () => {
  it("leaves out the prompt that was typed again, with all that is below it", () => {
    expect(
      live(
        ["a", "one", below(null)],
        ["b", "said", below("a"), "assistant"],
        ["c", "undone", below("b")],
        ["d", "undone", below("c"), "assistant"],
        ["p", "", carried({ type: "progress", uuid: "p", parentUuid: "d" }), "system"],
        ["e", "undone", below("p")],
        ["f", "two", below("b")],
        ["g", "said", below("f"), "assistant"],
      ),
    ).toBe("a b f g");
  });

  it("keeps what ran side by side, other roots, and a prompt behind a compaction", () => {
    const boundary = { uuid: "x", parentUuid: null, logicalParentUuid: "b" };
    expect(
      live(
        ["a", "one", below(null)],
        ["b", "said", below("a"), "assistant"],
        ["c", "said", below("b"), "assistant"],
        ["d", "said", below("b"), "assistant"],
        ["e", "two", below("d")],
        ["x", "", carried(boundary), "system"],
        ["f", "three", below("x")],
        ["g", "four", below(null)],
      ),
    ).toBe("a b c d e x f g");
  });
});

describe("of Codex, turns that were rolled back are not live", () => {
  const turns = (num_turns: number): Draft => [
    `back ${num_turns}`,
    "",
    carried({ type: "event_msg", payload: { type: "thread_rolled_back", num_turns } }),
    "system",
  ];
  const said = (id: string): Draft => [id, "said", {}, "assistant"];

  it.each<[number, string]>([
    [0, "a b c d e"],
    [1, "a b e"],
    [2, "e"],
    [9, "e"],
  ])("%d of two", (count, expected) => {
    const two: Draft[] = [["a", "one", {}], said("b"), ["c", "two", {}], said("d")];

    const found = live(...two, turns(count), ["e", "three", {}]);

    expect(found.replace(`back ${count} `, "")).toBe(expected);
  });

  it("counts only those that were live", () => {
    expect(
      live(["a", "one", {}], ["b", "two", {}], turns(1), ["c", "three", {}], turns(2), [
        "d",
        "four",
        {},
      ]),
    ).toBe("back 2 d");
  });
});

describe("of opencode, what stands behind the point of a revert is not live", () => {
  const session = (revert: JsonObject): Draft => ["info", "", carried({ revert }), "system"];
  const told: readonly Draft[] = [
    ["m1", "one", {}],
    ["m2", "said", {}, "assistant"],
    ["m3", "undone", {}],
  ];

  it.each<[string, JsonObject, string]>([
    ["a message", { messageID: "m2" }, "info m1"],
    ["a part of a message", { messageID: "m2", partID: "p" }, "info m1 m2"],
    ["a message that is not there", { messageID: "lost" }, "info m1 m2 m3"],
  ])("%s", (_, revert, expected) => {
    expect(live(session(revert), ...told)).toBe(expected);
  });
});
