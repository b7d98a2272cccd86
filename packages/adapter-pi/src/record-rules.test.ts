import { type JsonObject, type Message, messageFromWire, sessionFromWire } from "@pond/canonical";
import type { Course } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { piRecords } from "./record-rules.ts";

const session = sessionFromWire({
  id: "s",
  source_agent: "pi",
  created_at: "2026-03-01T09:00:00.000Z",
  project: "/home/ada",
  options: {},
});

function courseOf(messages: readonly Message[]): Course {
  const course = piRecords.course?.({ session, messages });
  if (course === undefined) throw new Error("there is no rule");
  return course;
}

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
  const course = courseOf(messages);
  expect(new Set([...course.live, ...course.undone])).toEqual(new Set(messages));
  expect(course.live).toEqual(messages.filter((each) => course.live.includes(each)));
  return course.live.map(({ id }) => id).join(" ");
}

const under = (parentId: string | null): JsonObject => ({ rest: { parentId } });
const carried = (record: JsonObject): JsonObject => ({ record });

describe("that is live which leads to the last entry", () => {
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

  it.each<[string, JsonObject]>([
    ["a label", { type: "label" }],
    ["the exit of omp", { type: "custom", customType: "session_exit", data: { kind: "normal" } }],
  ])("follows to an older branch what stands last: %s", (_, record) => {
    expect(
      live(
        ["a", "one", under(null)],
        ["b", "said", under("a"), "assistant"],
        ["c", "taken back", under("b")],
        ["x", "", carried({ ...record, id: "x", parentId: "b" }), "system"],
      ),
    ).toBe("a b x");
  });

  it("follows no process that was killed on an older branch", () => {
    const exit = (id: string, parentId: string): Draft => {
      const data = { reason: "sigterm", kind: "signal" };
      const record = { type: "custom", customType: "session_exit", id, parentId, data };
      return [id, "", carried(record), "system"];
    };
    const said: readonly Draft[] = [
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
      ["c", "in another terminal", under("b")],
      ["d", "said", under("c"), "assistant"],
    ];

    expect(live(...said, exit("x", "b"))).toBe("a b c d");
    expect(live(...said, exit("x", "d"))).toBe("a b c d x");
    expect(live(...said, exit("x", "b"), ["e", "gone on with", under("x")])).toBe("a b x e");
  });

  it("follows the entries of version 1 as the client linked them, and not as they say", () => {
    const said: readonly Draft[] = [
      ["h1", "one", {}],
      ["h2", "said", {}, "assistant"],
      ["h3", "left", {}],
      ["h4", "two", { rest: { id: "n", parentId: "b" } }],
    ];
    const header = (links: JsonObject): Draft => {
      return ["header", "", { ...carried({ type: "session", id: "s" }), links }, "system"];
    };
    const linked = {
      "1": { id: "a", parentId: null },
      "2": { id: "b", parentId: "a" },
      "3": { id: "c", parentId: "b" },
    };
    const unread = { "1": { parentId: null }, "2": { parentId: null }, "3": { parentId: null } };

    expect(live(["x", "", carried({ type: "custom" }), "system"], header(linked), ...said)).toBe(
      "x header h1 h2 h4",
    );
    expect(live(header(unread), ...said.slice(0, 3))).toBe("header h1 h2 h3");
  });

  it("goes on from the newest branch with turns where the last entry has none above it", () => {
    expect(
      live(
        ["m", "", carried({ type: "model_change", id: "m", parentId: null }), "system"],
        ["a", "left", under("m")],
        ["b", "one", under("m")],
        ["c", "", under("b"), "assistant"],
        ["n", "", carried({ type: "session_info", id: "n", parentId: null }), "system"],
      ),
    ).toBe("m b c");
  });

  it("goes on from the summary alone where that is all that the last entry leads to", () => {
    const two: readonly Draft[] = [
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
    ];
    const record = { type: "branch_summary", id: "x", parentId: null };
    const left = (summary: string): Draft => ["x", "", carried({ ...record, summary }), "system"];

    expect(live(...two, left("We tried one."))).toBe("x");
    expect(live(...two, left(" "))).toBe("a b");
  });

  it("goes on from the newest branch where the last entry leads to a system prompt alone", () => {
    const source = { rest: { parentId: null } };
    const place = { session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
    const prompt = messageFromWire({
      ...place,
      id: "p",
      role: "system",
      content: "Be brief.",
      options: { source },
    });
    const one = message(["a", "one", under(null)]);

    expect(courseOf([one, prompt]).live).toEqual([one]);
  });
});

describe("of omp, what stands before a reset of the context is not live", () => {
  const reset = (id: string, parentId: string): Draft => [
    id,
    "",
    carried({ type: "reset_boundary", id, parentId }),
    "system",
  ];
  const one: Draft = ["a", "one", under(null)];
  const first = reset("x", "a");
  const two: Draft = ["b", "two", under("x")];

  it.each<[string, readonly Draft[], string]>([
    ["the last of several", [one, first, two, reset("y", "b"), ["c", "three", under("y")]], "y c"],
    ["one on a branch that was left", [one, first, two, ["c", "three", under("a")]], "a c"],
    ["one that nothing was said behind", [one, first, two, reset("y", "b")], "x b y"],
    ["the only one, and nothing behind it", [one, first], "a x"],
    [
      "one that the summary of a branch alone stands behind",
      [
        one,
        first,
        [
          "s",
          "",
          carried({ type: "branch_summary", id: "s", parentId: "x", summary: "It failed." }),
          "system",
        ],
      ],
      "x s",
    ],
  ])("%s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });
});

it("takes each step only of what the one before left live", () => {
  const edit = (id: string, parentId: string, targetId: string): Draft => {
    const record = { type: "context_edit", id, parentId, targetId, replacement: null };
    return [id, "", carried(record), "system"];
  };

  expect(
    live(
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
      edit("left", "b", "a"),
      ["c", "two", under("b")],
      edit("x", "c", "b"),
    ),
  ).toBe("a c x");
});

it("gives as text what is told of a branch that was left", () => {
  const told = (record: JsonObject): string | undefined => {
    const each = message(["s", "", carried(record), "system"]);
    return each.role === "system" ? piRecords.givenText?.(each) : undefined;
  };

  expect(told({ type: "branch_summary", summary: "It was the modulus." })).toBe(
    "It was the modulus.",
  );
  expect(told({ type: "branch_summary" })).toBe("");
  expect(told({ type: "compaction", summary: "no" })).toBe("");
});
