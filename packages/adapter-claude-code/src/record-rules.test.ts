import { courseOf, type DraftMessage, draftMessage, liveIds } from "@pond/adapter-testkit";
import { type JsonObject, type Message, messageFromWire, sessionFromWire } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { claudeCodeRecordRules } from "./record-rules.ts";

const live = (...drafts: readonly DraftMessage[]): string =>
  liveIds(claudeCodeRecordRules, ...drafts);

const below = (parentUuid: string | null): JsonObject => ({ rest: { parentUuid } });
const carried = (record: JsonObject): JsonObject => ({ record });

describe("when prompts are typed in place of earlier ones", () => {
  it("leaves out the replaced prompt with everything below it", () => {
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

  it("looks past system records between a prompt and the one typed in its place", () => {
    const notice = (uuid: string, parentUuid: string) => carried({ uuid, parentUuid });
    expect(
      live(
        ["a", "one", below(null)],
        ["b", "said", below("a"), "assistant"],
        ["n", "", notice("n", "b"), "system"],
        ["c", "undone", below("n")],
        ["d", "undone", below("c"), "assistant"],
        ["e", "undone", below("b")],
        ["o", "", notice("o", "n"), "system"],
        ["f", "two", below("o")],
      ),
    ).toBe("a b n o f");
  });

  it("leaves out an unanswered prompt if something else took its place", () => {
    expect(
      live(
        ["a", "one", below(null)],
        ["b", "said", below("a"), "assistant"],
        ["c", "undone", below("b")],
        ["p", "", carried({ uuid: "p", parentUuid: "c" }), "system"],
        ["d", "/effort", below("b"), "harness"],
        ["e", "two", below("d")],
      ),
    ).toBe("a b d e");
  });

  it("leaves out an unanswered first prompt only if the answer names another prompt", () => {
    const first: readonly DraftMessage[] = [
      ["a", "one", below(null)],
      ["b", "two", below(null)],
    ];

    expect(live(...first, ["c", "said", below("b"), "assistant"])).toBe("b c");
    expect(live(...first, ["c", "said", below(null), "assistant"])).toBe("a b c");
  });

  const turns: readonly DraftMessage[] = [
    ["a", "one", below(null)],
    ["b", "said", below("a"), "assistant"],
  ];
  const other = (parentUuid: string | null): JsonObject => ({
    rest: { parentUuid, sessionId: "s2" },
  });
  const summary = messageFromWire({
    ...{ id: "y", session_id: "s", timestamp: "2026-03-01T09:00:00.000Z", role: "user" },
    content: [
      {
        ...{ session_id: "s", message_id: "y", id: "0", provenance: "injected" },
        ...{ type: "text", text: "so far", options: { source: { kind: "compact-summary" } } },
      },
    ],
    options: { source: { rest: { parentUuid: null } } },
  });

  it.each<[string, readonly DraftMessage[], string]>([
    ["in place of the first prompt", [["c", "two", below(null)]], "c"],
    [
      "with an answer",
      [
        ["c", "two", below(null)],
        ["d", "said", below("c"), "assistant"],
      ],
      "c d",
    ],
    [
      "after a command's notice",
      [
        ["n", "Caveat", below(null), "harness"],
        ["c", "two", below("n")],
      ],
      "n c",
    ],
    [
      "but only turns of its own session",
      [
        ["c", "two", other(null)],
        ["d", "said", other("c"), "assistant"],
        ["e", "three", other(null)],
      ],
      "a b e",
    ],
  ])(
    "leaves out earlier turns when a prompt without a parent follows, %s",
    (_, given, expected) => {
      expect(live(...turns, ...given)).toBe(expected);
    },
  );

  it.each<[string, readonly (DraftMessage | Message)[], string]>([
    [
      "of another session, as in old builds after /clear",
      [
        ["c", "two", other(null)],
        ["d", "said", other("c"), "assistant"],
      ],
      "a b c d",
    ],
    [
      "the summary of a compaction without a boundary row",
      [summary, ["c", "two", below("y")]],
      "a b y c",
    ],
    [
      "followed by one that continues those turns",
      [
        ["c", "two", below(null)],
        ["d", "three", below("b")],
      ],
      "a b c d",
    ],
  ])("keeps earlier turns when the prompt without a parent is %s", (_, given, expected) => {
    const messages = [...turns, ...given].map((each) =>
      "role" in each ? each : draftMessage(each),
    );

    const course = courseOf(claudeCodeRecordRules, messages);

    expect(course.live.map(({ id }) => id).join(" ")).toBe(expected);
  });

  it("keeps parallel answers, roots of other sessions and a prompt after a compaction", () => {
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
        ["g", "four", other(null)],
      ),
    ).toBe("a b c d e x f g");
  });
});

describe("when the client notes that it went back", () => {
  const turns: readonly DraftMessage[] = [
    ["a", "one", below(null)],
    ["b", "said", below("a"), "assistant"],
    ["n", "", carried({ uuid: "n", parentUuid: "b" }), "system"],
    ["c", "two", below("n")],
    ["d", "said", below("c"), "assistant"],
  ];
  const rewind = (leafUuid: string | null): DraftMessage => [
    "r",
    "",
    carried({ type: "last-prompt", leafUuid, explicit: true }),
    "system",
  ];

  const withdrawn = "00000000-0000-0000-0000-000000000000";

  it.each<[string, readonly DraftMessage[], string]>([
    ["to the end of a turn", [rewind("n")], "a b n r"],
    ["to the start", [rewind(null)], "r"],
    ["twice", [rewind("n"), rewind("a")], "a r"],
    ["again, with the first note withdrawn", [rewind("b"), rewind(withdrawn), rewind("a")], "a r"],
    [
      "to an answer, but keeps a sidecar file",
      [rewind("b"), ["f", "a file", { sidecar: "f" }]],
      "a b r f",
    ],
  ])("undoes later messages after going back %s", (_, drafts, expected) => {
    expect(live(...turns, ...drafts)).toBe(expected);
  });

  it.each<[string, readonly DraftMessage[], string]>([
    [
      "the old branch was continued after the note",
      [rewind("n"), ["e", "then", below("d")]],
      "a b n c d r e",
    ],
    ["the noted row is not in the log", [rewind("x")], "a b n c d r"],
    ["the client withdrew the note", [rewind("b"), rewind(withdrawn)], "a b n c d r r"],
    [
      "the client withdrew a note that it went back to the start",
      [rewind(null), rewind(withdrawn)],
      "a b n c d r r",
    ],
  ])("undoes nothing if %s", (_, drafts, expected) => {
    expect(live(...turns, ...drafts)).toBe(expected);
  });
});

describe("when the client goes on from an earlier message", () => {
  const answer = (parentUuid: string, id: string): JsonObject => ({
    rest: { parentUuid, message: { id } },
  });
  const result = (id: string, parentUuid: string): DraftMessage => [
    id,
    "",
    carried({ uuid: id, parentUuid }),
    "system",
  ];
  const note = (leafUuid: string | null): DraftMessage => [
    "r",
    "",
    carried({ type: "last-prompt", leafUuid, explicit: true, rewound: true, cutUuid: "x" }),
    "system",
  ];
  const start: readonly DraftMessage[] = [
    ["a", "one", below(null)],
    ["b", "said", answer("a", "m1"), "assistant"],
  ];
  const turn: readonly DraftMessage[] = [
    ...start,
    ["c", "two", below("b")],
    ["d", "called", answer("c", "m2"), "assistant"],
    result("t", "d"),
    ["e", "said", answer("t", "m3"), "assistant"],
  ];

  it.each<[string, readonly DraftMessage[], string]>([
    ["a new first prompt", [...turn, note(null), ["f", "three", below(null)]], "f"],
    [
      "a command in place of a prompt",
      [...turn, note("b"), ["f", "/hello", below("b"), "harness"]],
      "a b r f",
    ],
    [
      "a notification in place of a prompt",
      [...turn, ["f", "done", below("b"), "harness"]],
      "a b f",
    ],
    [
      "a prompt in place of an answer, with a note",
      [...turn, note("t"), ["f", "three", below("t")]],
      "a b c d t r f",
    ],
    [
      "a prompt in place of an answer, without a note",
      [...turn, ["f", "three", below("t")]],
      "a b c d t f",
    ],
    [
      "a new first prompt after a compaction",
      [
        ...start,
        ["x", "", carried({ uuid: "x", parentUuid: null, logicalParentUuid: "b" }), "system"],
        ["y", "the summary", below("x"), "harness"],
        ["z", "two", below("y")],
        note(null),
        ["f", "three", below(null)],
      ],
      "f",
    ],
    [
      "a prompt that goes back before a compaction",
      [
        ...turn,
        ["x", "", carried({ uuid: "x", parentUuid: null, logicalParentUuid: "e" }), "system"],
        ["y", "the summary", below("x"), "harness"],
        ["z", "said", answer("y", "m4"), "assistant"],
        ["f", "three", below("b")],
      ],
      "a b f",
    ],
    [
      "a prompt on a branch that it had left before",
      [
        ...turn,
        note("b"),
        ["f", "three", below("b")],
        ["g", "said", answer("f", "m4"), "assistant"],
        note("e"),
        ["h", "four", below("e")],
      ],
      "a b c d t e r h",
    ],
  ])("leaves out the messages that it went back over: %s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });

  it("keeps parallel calls with their results, a repeated row and messages below a gap", () => {
    expect(
      live(
        ...start,
        ["c", "call one", answer("b", "m2"), "assistant"],
        ["d", "call two", answer("c", "m2"), "assistant"],
        result("t", "c"),
        ["e", "call three", answer("c", "m2"), "assistant"],
        result("u", "e"),
        result("v", "d"),
        ["f", "said", answer("v", "m3"), "assistant"],
        ["a", "one", below(null)],
        ["h", "below a gap", below("lost")],
        ["g", "two", below("f")],
      ),
    ).toBe("a b c d t e u v f a h g");
  });

  const gap: readonly DraftMessage[] = [
    ["y", "four", below("lost")],
    ["z", "said", answer("y", "m9"), "assistant"],
  ];
  const more: readonly DraftMessage[] = [...start, ["b.1", "more", { continues: "b" }]];

  it.each<[string, readonly DraftMessage[], string]>([
    [
      "the prompt after a note, even with a gap in the log below it",
      [...start, result("n", "b"), ["c", "", below("n")], note("b"), ["f", "", below("n")], ...gap],
      "a b n r f y z",
    ],
    [
      "all messages of the record that it went back to",
      [...more, ["c", "two", below("b")], note("b")],
      "a b b.1 r",
    ],
    ["later messages if rows above them are repeated", [...turn, ...start], "a b c d t e a b"],
    [
      "later messages if rows above them are repeated with their whole record",
      [...more, ["c", "two", below("b")], ...more],
      "a b b.1 c a b b.1",
    ],
    [
      "a repeated prompt",
      [
        ["a", "one", below(null)],
        ["a", "one", below(null)],
      ],
      "a a",
    ],
    [
      "a prompt beside a sub-agent's prompt",
      [
        ["a", "one", below(null)],
        ["s", "look", { rest: { parentUuid: null, isSidechain: true } }],
      ],
      "a",
    ],
  ])("keeps %s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });

  const toolMessage = (id: string, parentUuid: string): Message =>
    messageFromWire({
      ...{ id, session_id: "s", timestamp: "2026-03-01T09:00:00.000Z", role: "tool", content: [] },
      options: { source: { rest: { parentUuid } } },
    });
  const parallel: readonly (DraftMessage | Message)[] = [
    ...start,
    ["c", "call one", answer("b", "m2"), "assistant"],
    ["d", "call two", answer("c", "m2"), "assistant"],
    toolMessage("t", "c"),
    result("h", "t"),
    ["p", "what a skill says", { rest: { parentUuid: "h", isMeta: true } }, "harness"],
    ["q", "and lint it", { rest: { parentUuid: "p", type: "attachment" } }],
    toolMessage("u", "d"),
  ];

  it.each<[string, readonly (DraftMessage | Message)[], string]>([
    [
      "with a prompt queued meanwhile",
      [...parallel, ["f", "said", answer("u", "m3"), "assistant"]],
      "a b c d t h p q u f",
    ],
    [
      "even after a note that it went back",
      [...parallel, note("b"), ["f", "three", below("u")]],
      "a b c d t h p q u r f",
    ],
    [
      "without an abandoned prompt below one of them",
      [...parallel, ["f", "two", below("t")], ["g", "three", below("u")]],
      "a b c d t h p q u g",
    ],
    [
      "with a prompt queued below the result that it goes on from",
      [...parallel, ["f", "two", below("t")]],
      "a b c d t h p q u f",
    ],
    [
      "without a prompt that was queued and answered below one of them",
      [...parallel, ["o", "said", answer("q", "m8"), "assistant"], ["f", "two", below("u")]],
      "a b c d t h u f",
    ],
  ])("keeps the results of parallel calls, %s", (_, given, expected) => {
    const messages = given.map((each) => ("role" in each ? each : draftMessage(each)));

    const course = courseOf(claudeCodeRecordRules, messages);

    expect(course.live.map(({ id }) => id).join(" ")).toBe(expected);
  });
});

describe("when the client writes rows late", () => {
  /** At that second, read from a row of its own, or from one that is carried whole. */
  const row = (id: string, second: number, parentUuid: string | null, role: string): Message => {
    const options =
      role === "system"
        ? carried({ type: "system", uuid: id, parentUuid })
        : { rest: { parentUuid, message: { id: `m ${id}` } } };
    const said = { session_id: "s", message_id: id, id: "0", provenance: "conversational" };
    const part = { ...said, type: "text", text: `said ${id}`, options: {} };
    return messageFromWire({
      ...{ id, session_id: "s", role, options: { source: options } },
      timestamp: `2026-03-01T09:00:${String(second).padStart(2, "0")}.000Z`,
      content: role === "system" ? "" : [part],
    });
  };
  const turn: readonly Message[] = [
    row("a", 0, null, "user"),
    row("b", 10, "a", "assistant"),
    row("c", 12, "b", "assistant"),
  ];

  it.each<[string, readonly Message[], string]>([
    [
      "a failed try from before the answer",
      [...turn, row("n", 2, "a", "system"), row("o", 4, "n", "system"), row("d", 20, "o", "user")],
      "a b c n o d",
    ],
    [
      "two late rows, each followed by a prompt",
      [
        ...[...turn, row("n", 2, "a", "system"), row("d", 20, "n", "user")],
        ...[row("e", 30, "d", "assistant"), row("o", 22, "d", "system")],
        row("f", 40, "o", "user"),
      ],
      "a b c n d e o f",
    ],
    [
      "a row from before the end of the answer",
      [...turn, row("n", 10, "a", "system"), row("d", 20, "n", "user")],
      "a b c n d",
    ],
    [
      "none if the client notes that it went back",
      [
        ...turn,
        draftMessage([
          "r",
          "",
          carried({ type: "last-prompt", leafUuid: "a", explicit: true }),
          "system",
        ]),
        ...[row("n", 2, "a", "system"), row("d", 20, "n", "user")],
      ],
      "a r n d",
    ],
    [
      "none if the try failed after the answer",
      [...turn, row("n", 14, "a", "system"), row("d", 20, "n", "user")],
      "a n d",
    ],
    [
      "none if the client later went back further",
      [
        ...[...turn, row("n", 2, "a", "system"), row("d", 20, "n", "user")],
        row("e", 30, "a", "user"),
      ],
      "a e",
    ],
  ])("recognizes late rows, which undo no answer: %s", (_, messages, expected) => {
    const course = courseOf(claudeCodeRecordRules, messages);

    expect(course.live.map(({ id }) => id).join(" ")).toBe(expected);
  });

  it("finds late rows in linear time, whichever parents the rows name", () => {
    // To walk up from the newest for each would not end within the time of a test.
    const count = 30_000;
    const turns = Array.from({ length: count }, (_, at) =>
      row(`t${at}`, 10 + Math.floor(at / 700), at > 0 ? `t${at - 1}` : null, "user"),
    );
    const late = turns.map((_, at) => row(`n${at}`, 1, `t${at % 3}`, "system"));

    const { live } = courseOf(claudeCodeRecordRules, [
      ...turns,
      ...late,
      row("z", 59, "n7", "user"),
    ]);

    expect(live.filter(({ role }) => role === "user")).toHaveLength(count + 1);
  });
});

describe("a compaction that kept turns", () => {
  const turns: readonly DraftMessage[] = [
    ["a", "one", below(null)],
    ["b", "said", below("a"), "assistant"],
    ["c", "two", below("b")],
    ["d", "said", below("c"), "assistant"],
    ["e", "three", below("d")],
    ["f", "said", below("e"), "assistant"],
  ];
  const compaction = (logicalParentUuid: string, preservedSegment: JsonObject): DraftMessage => [
    "x",
    "",
    carried({
      ...{ type: "system", uuid: "x", parentUuid: null, logicalParentUuid },
      compactMetadata: { preservedSegment },
    }),
    "system",
  ];
  const kept: readonly DraftMessage[] = [
    ...turns,
    compaction("b", { headUuid: "c", anchorUuid: "y", tailUuid: "f" }),
    ["y", "the summary", below("x"), "harness"],
    ["z", "four", below("y")],
    ["w", "said", below("z"), "assistant"],
  ];
  const again: readonly DraftMessage[] = [
    ["g", "three again", below("d")],
    ["h", "said", below("g"), "assistant"],
  ];
  const note: DraftMessage = [
    "r",
    "",
    carried({ type: "last-prompt", leafUuid: "d", explicit: true }),
    "system",
  ];

  it.each<[string, readonly DraftMessage[], string]>([
    ["all of them", kept, "a b c d e f x y z w"],
    ["all except those that a later prompt replaces", [...kept, ...again], "a b c d x y g h"],
    ["all except those that a note undoes", [...kept, note], "a b c d x y r"],
    [
      "all except those that a note undoes and a later prompt replaces",
      [...kept, note, ...again],
      "a b c d x y r g h",
    ],
    [
      "all of them, but not a replaced prompt after the summary",
      [...kept, ["g", "", below("y")]],
      "a b c d e f x y g",
    ],
    [
      "the first turns, if the summary is of the later ones",
      [
        ...turns,
        compaction("b", { headUuid: "a", anchorUuid: "x", tailUuid: "b" }),
        ["y", "the summary", below("x"), "harness"],
        ["z", "four", below("y")],
      ],
      "a b c d e f x y z",
    ],
    [
      "all of them, even if the last one is not in the log",
      [
        ...turns,
        compaction("f", { headUuid: "c", anchorUuid: "y", tailUuid: "lost" }),
        ["y", "the summary", below("x"), "harness"],
        ["z", "four", below("y")],
      ],
      "a b c d e f x y z",
    ],
  ])("keeps those turns live: %s", (_, drafts, expected) => {
    expect(live(...drafts)).toBe(expected);
  });
});

describe("when the client goes on from the newest row of the tree", () => {
  const row = (id: string, parentUuid: string | null, more: JsonObject = {}): DraftMessage => [
    id,
    "",
    carried({ type: "system", uuid: id, parentUuid, ...more }),
    "system",
  ];
  const turns: readonly DraftMessage[] = [
    ["a", "one", below("s")],
    ["b", "said", below("a"), "assistant"],
    ["c", "two", below("b")],
    ["d", "said", below("c"), "assistant"],
  ];
  const again: readonly DraftMessage[] = [
    ["e", "three", below("b")],
    ["f", "said", below("e"), "assistant"],
  ];
  const hook = row("s", null, { type: "attachment" });
  const queued = (id: string, parentUuid: string): DraftMessage => [
    id,
    "and lint it",
    { rest: { type: "attachment", parentUuid } },
  ];
  const call = (id: string, parentUuid: string): Message =>
    messageFromWire({
      ...{ id, session_id: "s", timestamp: "2026-03-01T09:00:00.000Z", role: "assistant" },
      content: [
        {
          ...{ session_id: "s", message_id: id, id: "0", provenance: "conversational" },
          ...{ type: "tool_call", call_id: `call ${id}`, name: "read", params: {} },
          ...{ provider_executed: false, options: {} },
        },
      ],
      options: { source: { rest: { parentUuid, message: { id: `m ${id}` } } } },
    });
  const back = (leafUuid: string | null): DraftMessage => [
    "r",
    "",
    carried({ type: "last-prompt", leafUuid, explicit: true }),
    "system",
  ];

  it.each<[string, readonly (DraftMessage | Message)[], string]>([
    ["a note of the client", [hook, ...turns, row("k", "b")], "s a b k"],
    ["an attachment", [hook, ...turns, row("k", "b", { type: "attachment" })], "s a b k"],
    ["a note on an abandoned branch", [hook, ...turns, ...again, row("k", "d")], "s a b c d k"],
    [
      "not for a progress row",
      [hook, ...turns, row("k", "b", { type: "progress" })],
      "s a b c d k",
    ],
    ["not for a row above all turns", [hook, ...turns, row("k", "s")], "s a b c d k"],
    ["not for a prompt queued above all turns", [hook, ...turns, queued("k", "s")], "s a b c d"],
    [
      "not for a row right after a compaction boundary",
      [
        hook,
        ...turns,
        row("x", null, { logicalParentUuid: "d" }),
        ["y", "", below("x")],
        row("k", "x"),
      ],
      "s a b c d x y k",
    ],
    [
      "not if the client notes that it went back above all turns",
      [hook, ...turns, back("s")],
      "s a b c d r",
    ],
    [
      "not if a row follows a note that the client went back to the start",
      [...turns, back(null), row("k", null)],
      "a b c d r k",
    ],
    [
      "a note that the client went back, then a prompt without a parent",
      [hook, ...turns, back("b"), ["e", "three", below(null)]],
      "s a b e",
    ],
    [
      "a note that the client went back, with the newest row not below that place",
      [hook, ...turns, back("b"), ...again, row("k", "a")],
      "s a b r k",
    ],
    [
      "with the prompts queued below its parent",
      [
        hook,
        ...turns,
        queued("p", "b"),
        queued("q", "p"),
        ["e", "three", below("q")],
        row("k", "b"),
      ],
      "s a b p q k",
    ],
    [
      "with a prompt queued below a tool call",
      [hook, ...turns, call("e", "d"), queued("q", "e"), ["f", "four", below("e")]],
      "s a b c d e q f",
    ],
    [
      "with a prompt queued below the text before a tool call",
      [
        hook,
        ...turns,
        ["e", "I look", { rest: { parentUuid: "d", message: { id: "m g" } } }, "assistant"],
        queued("q", "e"),
        call("g", "e"),
      ],
      "s a b c d e q g",
    ],
    [
      "without a prompt queued below a tool call and continued there",
      [
        hook,
        ...turns,
        call("e", "d"),
        queued("q", "e"),
        ["g", "five", below("q")],
        ["f", "four", below("e")],
      ],
      "s a b c d e f",
    ],
  ])("keeps only the branch of that row live: %s", (_, given, expected) => {
    const messages = given.map((each) => ("role" in each ? each : draftMessage(each)));

    const course = courseOf(claudeCodeRecordRules, messages);

    expect(course.live.map(({ id }) => id).join(" ")).toBe(expected);
  });
});

it("leaves out retracted answers with their results, and no others", () => {
  const place = { session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
  const at = (message_id: string) => ({ session_id: "s", message_id, id: "0", options: {} });
  const call = {
    ...{ ...at("b"), provenance: "conversational", type: "tool_call", call_id: "c1" },
    ...{ name: "read", params: {}, provider_executed: false },
  };
  const answer = {
    ...{ ...at("c"), provenance: "injected", type: "tool_result", call_id: "c1" },
    ...{ is_failure: false, result: "a.txt" },
  };
  const messages = [
    draftMessage(["a", "Why?", {}]),
    messageFromWire({ ...place, id: "b", role: "assistant", content: [call], options: {} }),
    messageFromWire({ ...place, id: "c", role: "tool", content: [answer], options: {} }),
    draftMessage(["d", "Because", {}, "assistant"]),
    draftMessage(["e", "So", { rest: { uuid: "u" } }, "assistant"]),
    draftMessage(["f", "then", { continues: "b" }, "assistant"]),
    draftMessage(["r", "", carried({ retractedMessageUuids: ["b", "u", "x", null] }), "system"]),
    draftMessage(["g", "Thus", {}, "assistant"]),
  ];

  const { live: kept, undone } = courseOf(claudeCodeRecordRules, messages);

  expect(kept.map(({ id }) => id)).toEqual(["a", "d", "r", "g"]);
  expect(undone.map(({ id }) => id)).toEqual(["b", "c", "e", "f"]);
});

describe("the conversation of a sub-agent inside another session's log", () => {
  const aside: JsonObject = { rest: { isSidechain: true } };
  const agent: readonly DraftMessage[] = [
    ["b", "SEARCH everything", aside],
    ["c", "I look", aside, "assistant"],
    ["d", "go on", { continues: "c" }],
  ];

  it("is left out", () => {
    expect(live(["a", "fix it", {}], ...agent, ["e", "fixed", {}, "assistant"])).toBe("a e");
  });

  it("stays live if the session is the agent's own, even with a sidecar file", () => {
    expect(live(...agent, ["e", "a file", { sidecar: "a" }])).toBe("b c d e");
  });

  it("stays whole in the agent's own session even if that begins with rows of its parent session", () => {
    const above = sessionFromWire({
      ...{ id: "s", source_agent: "claude-code", project: "/home/ada", options: {} },
      ...{ created_at: "2026-03-01T09:00:00.000Z", parent_session_id: "top" },
    });
    const side = (parentUuid: string): JsonObject => ({ rest: { parentUuid, isSidechain: true } });
    const messages = [
      draftMessage(["a", "fix it", below(null)]),
      draftMessage(["b", "look it up", below("a"), "assistant"]),
      draftMessage(["s", "SEARCH", side("b")]),
      draftMessage(["t", "I look", side("s"), "assistant"]),
    ];

    const course = courseOf(claudeCodeRecordRules, messages, above);

    expect(course.live.map(({ id }) => id).join(" ")).toBe("a b s t");
  });

  it("does not end the main line from which it branches off", () => {
    const side = (parentUuid: string): JsonObject => ({ rest: { parentUuid, isSidechain: true } });
    expect(
      live(
        ["a", "fix it", below(null)],
        ["b", "look it up", below("a"), "assistant"],
        ["s", "SEARCH", side("b")],
        ["c", "fixed", { rest: { parentUuid: "b", message: { id: "m2" } } }, "assistant"],
        ["t", "I look", side("s"), "assistant"],
      ),
    ).toBe("a b c");
  });

  it.each<[string, object, string]>([
    ["stays live in a session with a parent session", {}, "b c d e"],
    ["is left out of a fork", { parent_message_id: "m" }, "e"],
  ])("%s, whatever else was typed there", (_, fork, expected) => {
    const below = sessionFromWire({
      ...{ id: "s", source_agent: "claude-code", project: "/home/ada", options: {} },
      ...{ created_at: "2026-03-01T09:00:00.000Z", parent_session_id: "top", ...fork },
    });
    const messages = [...agent, ["e", "and more", {}] as const].map(draftMessage);

    const course = courseOf(claudeCodeRecordRules, messages, below);

    expect(course.live.map(({ id }) => id).join(" ")).toBe(expected);
  });
});

it("names no model for the texts that the client wrote itself", () => {
  const named = (model: string) =>
    claudeCodeRecordRules.model?.(
      draftMessage(["m", "said", { rest: { message: { model } } }, "assistant"]),
    );

  expect(named("<synthetic>")).toEqual({});
  expect(named("claude-a")).toEqual({ model: "claude-a" });
});
