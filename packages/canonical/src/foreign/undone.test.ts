import { describe, expect, it } from "vitest";
import { type JsonObject, type Message, messageFromWire, partsOf } from "../index.ts";
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

    expect(partUndone([one, prompt]).live).toEqual([one]);
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

  it.each<[string, JsonObject]>([
    ["an item", { type: "response_item", payload: { type: "agent_message" } }],
    ["a line", { type: "inter_agent_communication", payload: {} }],
  ])("does not count mail of another agent: %s", (_, rest) => {
    expect(
      live(
        ["a", "one", {}],
        ["b", "two", {}],
        ["c", "mail", { author: "agent", rest }],
        said("d"),
        turns(1),
        ["e", "three", {}],
      ),
    ).toBe("a back 1 e");
  });

  it("does not count a goal, which is told in an output", () => {
    const rest = { type: "response_item", payload: { type: "function_call_output" } };
    expect(
      live(["a", "one", {}], ["b", "two", {}], ["c", "goal", { rest }], said("d"), turns(1), [
        "e",
        "three",
        {},
      ]),
    ).toBe("a back 1 e");
  });

  it("does not count what was typed for a review, which an event tells", () => {
    expect(
      live(
        ["a", "one", {}],
        ["b", "two", {}],
        ["x", "", carried({ type: "event_msg", payload: {} }), "system"],
        ["c", "review", { continues: "event" }],
        said("d"),
        turns(1),
        ["e", "three", {}],
      ),
    ).toBe("a back 1 e");
  });

  it("counts the task of a thread that another agent spawned", () => {
    const rest = { type: "response_item", payload: { type: "message", role: "user" } };
    expect(
      live(["a", "task", { author: "agent", rest }], said("b"), turns(1), ["c", "two", {}]),
    ).toBe("back 1 c");
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

describe("of Codex, what stood behind the point from which a later file of the thread goes on is not live", () => {
  const [second, third] = [2, 3].map(
    (each) => `t_019e0000-0000-7000-8000-00000000000${each}.jsonl`,
  );
  const typed = (id: string, ordinal?: number): Draft => {
    return [id, "typed", { rest: { ...(ordinal !== undefined && { ordinal }) } }];
  };
  const event = (id: string, ordinal: number): Draft => {
    return [id, "", carried({ type: "event_msg", ordinal, payload: {} }), "system"];
  };
  const header = (id: string, ordinal: number | undefined, path?: string): Draft => {
    const record = { type: "session_meta", ...(ordinal !== undefined && { ordinal }), payload: {} };
    return [id, "", { ...(path !== undefined && { path }), record }, "system"];
  };
  const two: readonly Draft[] = [
    header("h", 0),
    typed("a", 1),
    event("b", 2),
    typed("c", 3),
    event("d", 4),
  ];

  it.each<[string, readonly Draft[], string]>([
    ["a part of it", [...two, header("H", 3, second), typed("e", 4)], "h a b H e"],
    ["all of it", [...two, header("H", 0, second), typed("e", 1)], "H e"],
    [
      "one revert after the other",
      [
        ...two,
        header("H", 3, second),
        typed("e", 4),
        event("f", 5),
        header("I", 5, third),
        typed("g", 6),
      ],
      "h a b H e I g",
    ],
    [
      "a revert that was reverted with what it went on from",
      [...two, header("H", 3, second), typed("e", 4), header("I", 1, third), typed("g", 2)],
      "h I g",
    ],
    [
      "several messages of one record",
      [
        header("h", 0),
        ["a", "one", { rest: { ordinal: 1 } }],
        ["a#1", "two", { continues: 1 }],
        header("H", 1, second),
      ],
      "h H",
    ],
    ["a fork, which counts on from its parent", [header("h", 49), typed("a", 50)], "h a"],
    [
      "a fork that was reverted behind its first turn",
      [header("h", 49), typed("a", 50), typed("b", 51), header("H", 51, second)],
      "h a H",
    ],
    [
      "a header that is said again in its file",
      [...two, header("H", 1), typed("e", 5)],
      "h a b c d H e",
    ],
    [
      "a second file that no revert began",
      [...two, header("H", 0, "2.jsonl"), typed("e", 1)],
      "h a b c d H e",
    ],
    [
      "files without numbers",
      [
        header("h", undefined),
        typed("a"),
        header("H", undefined, second),
        typed("b"),
        header("I", 0, third),
      ],
      "h a H b I",
    ],
  ])("%s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
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
    ["a part that is not there", { messageID: "m2", partID: "lost" }, "info m1 m2"],
    ["the first part of a message", { messageID: "m2", partID: "0" }, "info m1"],
    ["a message that is not there", { messageID: "lost" }, "info m1 m2 m3"],
  ])("%s", (_, revert, expected) => {
    expect(live(session(revert), ...told)).toBe(expected);
  });

  const went = (first: JsonObject, continued: JsonObject, more: JsonObject = {}): Draft => {
    return ["info", "", { record: first, continued, ...more }, "system"];
  };
  const later: Draft = ["m4", "in 2.x", { schema: 2 }];

  it.each<[string, Draft, string]>([
    ["that 2.x took back", went({ revert: { messageID: "m2" } }, {}), "info m1 m2 m3 m4"],
    ["that was made in 2.x", went({}, { revert: { messageID: "m4" } }), "info m1 m2 m3"],
    ["to a message of 1.x", went({}, { revert: { messageID: "m3" } }), "info m1 m2"],
    ["from which it went on in 2.x", went({}, {}, { "continued.without": "m2" }), "info m1 m4"],
    [
      "from which it went on, and another one",
      went({}, { revert: { messageID: "m4" } }, { "continued.without": "m2" }),
      "info m1",
    ],
  ])("in a session that went on in 2.x, one %s", (_, info, expected) => {
    expect(live(info, ...told, later)).toBe(expected);
  });

  // Records that became no part stand at their place in the message, answers with their call.
  const source = { "part.0": { id: "start" }, "part.3": { id: "patch" } };
  const place = { session_id: "s", message_id: "m1", provenance: "conversational", options: {} };
  const text = { ...place, id: "text", type: "text", text: "said" };
  const call = { ...place, id: "call", type: "tool_call", call_id: "c", name: "bash", params: {} };
  const answer = { ...place, id: "call#result", type: "tool_result", call_id: "c", result: "ok" };
  const parts = [
    text,
    { ...call, provider_executed: false },
    { ...answer, is_failure: false, options: { source: { follows: true } } },
    { ...text, id: "last" },
  ];

  it.each<[string, string, string]>([
    ["start", "", "text call call#result last"],
    ["text", "", "text call call#result last"],
    ["call", "text", "call call#result last"],
    ["patch", "text call call#result", "last"],
    ["last", "text call call#result", "last"],
    ["lost", "text call call#result last", ""],
  ])("parts of a message from %s on", (partID, kept, taken) => {
    const reverted = messageFromWire({
      id: "m1",
      session_id: "s",
      role: "assistant",
      timestamp: "2026-03-01T09:00:00.000Z",
      options: { source },
      content: parts,
    });

    const info = message(session({ messageID: "m1", partID }));
    const course = partUndone([info, reverted]);

    const idsOf = (messages: readonly Message[]) => messages.flatMap(partsOf).map(({ id }) => id);
    expect([idsOf(course.live), idsOf(course.undone)].map((ids) => ids.join(" "))).toEqual([
      kept,
      taken,
    ]);
    expect(course.live.length).toBe(kept === "" ? 1 : 2);
  });
});
