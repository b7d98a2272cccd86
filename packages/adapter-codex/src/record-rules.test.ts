import { courseOf, type DraftMessage, draftMessage, liveIds } from "@pond/adapter-testkit";
import { type JsonObject, messageFromWire } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { codexRecordRules } from "./record-rules.ts";

const live = (...drafts: readonly DraftMessage[]): string => liveIds(codexRecordRules, ...drafts);

const carried = (record: JsonObject): JsonObject => ({ record });

describe("when turns are rolled back", () => {
  const turns = (num_turns: number): DraftMessage => [
    `back ${num_turns}`,
    "",
    carried({ type: "event_msg", payload: { type: "thread_rolled_back", num_turns } }),
    "system",
  ];
  const said = (id: string): DraftMessage => [id, "said", {}, "assistant"];

  it.each<[number, string]>([
    [0, "a b c d e"],
    [1, "a b e"],
    [2, "e"],
    [9, "e"],
  ])("leaves out the last %d of two turns", (count, expected) => {
    const two: DraftMessage[] = [["a", "one", {}], said("b"), ["c", "two", {}], said("d")];

    const found = live(...two, turns(count), ["e", "three", {}]);

    expect(found.replace(`back ${count} `, "")).toBe(expected);
  });

  it.each<[string, JsonObject]>([
    ["in a response item", { type: "response_item", payload: { type: "agent_message" } }],
    ["in a line of its own", { type: "inter_agent_communication", payload: {} }],
  ])("counts mail from another agent as a turn: %s", (_, rest) => {
    expect(
      live(
        ["a", "one", {}],
        ["b", "two", {}],
        ["c", "mail", { author: "agent", rest }],
        said("d"),
        turns(1),
        ["e", "three", {}],
      ),
    ).toBe("a b back 1 e");
  });

  it("does not count as a turn a goal that a tool output tells", () => {
    const rest = { type: "response_item", payload: { type: "function_call_output" } };
    expect(
      live(["a", "one", {}], ["b", "two", {}], ["c", "goal", { rest }], said("d"), turns(1), [
        "e",
        "three",
        {},
      ]),
    ).toBe("a back 1 e");
  });

  it("does not count as a turn text typed for a review, which an event holds", () => {
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

  const place = { type: "response_item", payload: { type: "message" } };
  const environment = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>";
  it.each<[string, JsonObject, readonly string[], string]>([
    ["a review action", place, ["<user_action>review</user_action>"], "a back 1 e"],
    ["a heartbeat", place, ["<heartbeat>now</heartbeat>"], "a back 1 e"],
    ["a text with a notice about an image", place, ["x", "<image_resize_notice/>"], "a back 1 e"],
    ["a request by voice", place, ["<realtime_delegation>x</realtime_delegation>"], "a back 1 e"],
    ["not the client's own context", place, [environment], "back 1 e"],
    [
      "not a text in one message with the client's own context",
      place,
      [environment, "x"],
      "back 1 e",
    ],
    ["not an extension's context", place, ["<external_x>y</external_x>"], "back 1 e"],
    [
      "not heard speech",
      { type: "realtime_item", payload: { type: "message" } },
      ["x"],
      "back 1 e",
    ],
  ])("tells whether an injected message counts as a turn: %s", (_, rest, texts, expected) => {
    const content = texts.map((text, index) => ({
      ...{ id: `${index}`, session_id: "s", message_id: "c", type: "text" as const, text },
      ...{ provenance: "injected" as const, options: {} },
    }));
    const header = { id: "c", session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
    const inPlace = messageFromWire({
      ...header,
      role: "user",
      options: { source: { rest } },
      content,
    });
    const behind: readonly DraftMessage[] = [turns(1), ["e", "two", {}]];
    const messages = [draftMessage(["a", "one", {}]), inPlace, ...behind.map(draftMessage)];

    expect(
      courseOf(codexRecordRules, messages)
        .live.map(({ id }) => id)
        .join(" "),
    ).toBe(expected);
  });

  it("counts mail in an assistant message as a turn", () => {
    const part = { id: "0", session_id: "s", message_id: "c", type: "text" as const, text: "mail" };
    const content = [
      { ...part, provenance: "injected" as const, options: { source: { kind: "mail" } } },
    ];
    const header = { id: "c", session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
    const mail = messageFromWire({ ...header, role: "assistant", options: {}, content });
    const messages = [draftMessage(["a", "one", {}]), mail, draftMessage(turns(1))];

    expect(
      courseOf(codexRecordRules, messages)
        .live.map(({ id }) => id)
        .join(" "),
    ).toBe("a back 1");
  });

  it("counts the task of a spawned thread as a turn", () => {
    const rest = { type: "response_item", payload: { type: "message", role: "user" } };
    expect(
      live(["a", "task", { author: "agent", rest }], said("b"), turns(1), ["c", "two", {}]),
    ).toBe("back 1 c");
  });

  it("counts only turns that are still live", () => {
    expect(
      live(["a", "one", {}], ["b", "two", {}], turns(1), ["c", "three", {}], turns(2), [
        "d",
        "four",
        {},
      ]),
    ).toBe("back 2 d");
  });
});

describe("when a later file of a thread goes on from an earlier point", () => {
  const [second, third] = [2, 3].map(
    (each) => `t_019e0000-0000-7000-8000-00000000000${each}.jsonl`,
  );
  const typed = (id: string, ordinal?: number): DraftMessage => {
    return [id, "typed", { rest: { ...(ordinal !== undefined && { ordinal }) } }];
  };
  const event = (id: string, ordinal: number): DraftMessage => {
    return [id, "", carried({ type: "event_msg", ordinal, payload: {} }), "system"];
  };
  const header = (id: string, ordinal: number | undefined, path?: string): DraftMessage => {
    const record = { type: "session_meta", ...(ordinal !== undefined && { ordinal }), payload: {} };
    return [id, "", { ...(path !== undefined && { path }), record }, "system"];
  };
  const two: readonly DraftMessage[] = [
    header("h", 0),
    typed("a", 1),
    event("b", 2),
    typed("c", 3),
    event("d", 4),
  ];

  it.each<[string, readonly DraftMessage[], string]>([
    ["some of the messages", [...two, header("H", 3, second), typed("e", 4)], "h a b H e"],
    ["all of the messages", [...two, header("H", 0, second), typed("e", 1)], "H e"],
    [
      "two reverts, one after the other",
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
      "a revert to a point before an earlier revert",
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
    [
      "none in a fork, whose numbers go on from its parent's",
      [header("h", 49), typed("a", 50)],
      "h a",
    ],
    [
      "a fork reverted to the end of its first turn",
      [header("h", 49), typed("a", 50), typed("b", 51), header("H", 51, second)],
      "h a H",
    ],
    [
      "none after a header repeated in its own file",
      [...two, header("H", 1), typed("e", 5)],
      "h a b c d H e",
    ],
    [
      "none after a second file that no revert began",
      [...two, header("H", 0, "2.jsonl"), typed("e", 1)],
      "h a b c d H e",
    ],
    [
      "none in files without numbers",
      [
        header("h", undefined),
        typed("a"),
        header("H", undefined, second),
        typed("b"),
        header("I", 0, third),
      ],
      "h a H b I",
    ],
  ])("leaves out the messages after that point, if any: %s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });
});

it("takes the model from the context record of a turn, and from no other record", () => {
  const named = (type: string) =>
    codexRecordRules.model?.(
      draftMessage(["t", "", carried({ type, payload: { model: "o3" } }), "system"]),
    );

  expect(named("turn_context")).toEqual({ model: "o3" });
  expect(named("event_msg")).toEqual({});
});
