import { courseOf, type DraftMessage, draftMessage, liveIds } from "@pond/adapter-testkit";
import { type JsonObject, messageFromWire, sessionFromWire } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { piRecordRules } from "./record-rules.ts";

const live = (...drafts: readonly DraftMessage[]): string => liveIds(piRecordRules, ...drafts);

const under = (parentId: string | null): JsonObject => ({ rest: { parentId } });
const carried = (record: JsonObject): JsonObject => ({ record });

describe("the live course of a log", () => {
  it("leaves out abandoned branches with everything below them", () => {
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

  it("leaves out a first prompt that was typed again", () => {
    expect(live(["a", "one", under(null)], ["b", "two", under(null)])).toBe("b");
  });

  it("follows the user back to an abandoned branch", () => {
    expect(
      live(
        ["a", "one", under(null)],
        ["b", "left and taken up", under("a")],
        ["c", "left", under("a")],
        ["d", "two", under("b")],
      ),
    ).toBe("a b d");
  });

  it("keeps entries above a lost line, and logs without a tree", () => {
    expect(live(["a", "one", under(null)], ["b", "two", under("lost")])).toBe("a b");
    expect(live(["a", "one", {}], ["b", "two", {}])).toBe("a b");
  });

  it.each<[string, JsonObject]>([
    ["a label", { type: "label" }],
    [
      "the exit entry of omp",
      { type: "custom", customType: "session_exit", data: { kind: "normal" } },
    ],
  ])("follows a last entry to an older branch: %s", (_, record) => {
    expect(
      live(
        ["a", "one", under(null)],
        ["b", "said", under("a"), "assistant"],
        ["c", "taken back", under("b")],
        ["x", "", carried({ ...record, id: "x", parentId: "b" }), "system"],
      ),
    ).toBe("a b x");
  });

  it("does not follow the exit of a killed process to an older branch", () => {
    const exit = (id: string, parentId: string): DraftMessage => {
      const data = { reason: "sigterm", kind: "signal" };
      const record = { type: "custom", customType: "session_exit", id, parentId, data };
      return [id, "", carried(record), "system"];
    };
    const said: readonly DraftMessage[] = [
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
      ["c", "in another terminal", under("b")],
      ["d", "said", under("c"), "assistant"],
    ];

    expect(live(...said, exit("x", "b"))).toBe("a b c d");
    expect(live(...said, exit("x", "d"))).toBe("a b c d x");
    expect(live(...said, exit("x", "b"), ["e", "gone on with", under("x")])).toBe("a b x e");
  });

  it("follows the entries of version 1 as the client linked them, not as they say", () => {
    const said: readonly DraftMessage[] = [
      ["h1", "one", {}],
      ["h2", "said", {}, "assistant"],
      ["h3", "left", {}],
      ["h4", "two", { rest: { id: "n", parentId: "b" } }],
    ];
    const header = (links: JsonObject): DraftMessage => {
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

  it("goes on from the newest branch with turns if the last entry has none above it", () => {
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

  it("goes on from a summary alone if the last entry leads to nothing else", () => {
    const two: readonly DraftMessage[] = [
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
    ];
    const record = { type: "branch_summary", id: "x", parentId: null };
    const left = (summary: string): DraftMessage => [
      "x",
      "",
      carried({ ...record, summary }),
      "system",
    ];

    expect(live(...two, left("We tried one."))).toBe("x");
    expect(live(...two, left(" "))).toBe("a b");
  });

  it("goes on from a command alone if the last entry leads to nothing else", () => {
    const two: readonly DraftMessage[] = [
      ["a", "one", under(null)],
      ["b", "said", under("a"), "assistant"],
    ];
    const run = (more: JsonObject): DraftMessage => {
      const rest = { parentId: null, message: { role: "bashExecution", ...more } };
      return ["c", "git log -1", { rest }, "harness"];
    };

    expect(live(...two, run({}))).toBe("c");
    expect(live(...two, run({ excludeFromContext: true }))).toBe("a b");
  });

  it("goes on from the newest branch if the last entry leads to a system prompt only", () => {
    const source = { rest: { parentId: null } };
    const place = { session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
    const prompt = messageFromWire({
      ...place,
      id: "p",
      role: "system",
      content: "Be brief.",
      options: { source },
    });
    const one = draftMessage(["a", "one", under(null)]);

    expect(courseOf(piRecordRules, [one, prompt]).live).toEqual([one]);
  });
});

describe("when omp resets the context", () => {
  const reset = (id: string, parentId: string): DraftMessage => [
    id,
    "",
    carried({ type: "reset_boundary", id, parentId }),
    "system",
  ];
  const one: DraftMessage = ["a", "one", under(null)];
  const first = reset("x", "a");
  const two: DraftMessage = ["b", "two", under("x")];

  it.each<[string, readonly DraftMessage[], string]>([
    [
      "the last of several resets",
      [one, first, two, reset("y", "b"), ["c", "three", under("y")]],
      "y c",
    ],
    ["none on an abandoned branch", [one, first, two, ["c", "three", under("a")]], "a c"],
    [
      "the first of two if no message follows the second",
      [one, first, two, reset("y", "b")],
      "x b y",
    ],
    ["none if no message follows the only one", [one, first], "a x"],
    [
      "one followed only by a command",
      [one, first, ["c", "git log -1", under("x"), "harness"]],
      "x c",
    ],
    [
      "none if only a command hidden from the model follows",
      [
        one,
        first,
        ["c", "env", { rest: { parentId: "x", message: { excludeFromContext: true } } }, "harness"],
      ],
      "a x",
    ],
    [
      "one followed only by a branch summary",
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
  ])("leaves out the entries before a reset that counts: %s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });
});

it("applies each rule only to messages that the rule before left live", () => {
  const edit = (id: string, parentId: string, targetId: string): DraftMessage => {
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

it("gives the summary of an abandoned branch as text, and no other record", () => {
  const told = (record: JsonObject): string | undefined => {
    const each = draftMessage(["s", "", carried(record), "system"]);
    return each.role === "system" ? piRecordRules.contextText?.(each) : undefined;
  };

  expect(told({ type: "branch_summary", summary: "It was the modulus." })).toBe(
    "It was the modulus.",
  );
  expect(told({ type: "branch_summary" })).toBe("");
  expect(told({ type: "compaction", summary: "no" })).toBe("");
});

it.each<[string | undefined, string | undefined]>([
  ["Measurer.jsonl", "Measurer"],
  ["Measurer.Ruler.jsonl", "Measurer.Ruler"],
  ["Measurer/Caliper.jsonl", "Caliper"],
  [undefined, undefined],
])("labels the agent of %s as omp's calls do", (artifact, label) => {
  const session = sessionFromWire({
    ...{ id: "s", source_agent: "omp", project: "/w", created_at: "2026-03-16T08:00:00.000Z" },
    options: { source: artifact === undefined ? {} : { artifact } },
  });

  expect(piRecordRules.agentLabel?.({ session, messages: [] })).toBe(label);
});
