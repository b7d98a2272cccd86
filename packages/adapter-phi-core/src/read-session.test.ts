import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentOf, findSessions, readAll, readSource, restoredFiles } from "@pond/adapter-testkit";
import { isJsonObject, type Part, partsOf, type ReadEvent, stringifyJson } from "@pond/canonical";
import { copyUuid } from "@pond/canonical/foreign";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromPhiCore } from "./from-phi-core.ts";
import { toPhiCore } from "./to-phi-core.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/phi-core/", import.meta.url));
const start = Date.parse("2026-05-20T09:00:00.000Z");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-phi-core-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A session with one loop, as far as reading needs it. */
function session(loop: object, more: object = {}): object {
  const head = { session_id: "s", agent_id: "weaver", created_at: "2026-05-20T09:00:00Z" };
  const base = { loop_id: "s.a.1", started_at: "2026-05-20T09:00:01Z", messages: [] };
  return { ...head, loops: [{ ...base, ...loop }], ...more };
}

async function read(value: object | string, now = start): Promise<readonly ReadEvent[]> {
  writeFileSync(join(folder, "s.json"), typeof value === "string" ? value : JSON.stringify(value));
  return readAll(fromPhiCore(folder, { now: () => now }), "s.json");
}

const typed = (text: string, more: object = {}) => ({
  role: "user",
  content: [{ type: "text", text }],
  timestamp: start,
  ...more,
});

function idsAndOptions(events: readonly ReadEvent[]): readonly object[] {
  return contentOf(events).messages.map(({ id, options }) => ({ id, options }));
}

function idsOf(events: readonly ReadEvent[]): readonly string[] {
  return contentOf(events).messages.map(({ id }) => id);
}

function said(events: readonly ReadEvent[]): readonly string[] {
  return contentOf(events).messages.flatMap((message) =>
    partsOf(message).flatMap((part) =>
      part.type === "text" ? [`${message.role}: ${part.text}`] : [],
    ),
  );
}

it("reads a running loop only once its session has been idle", async () => {
  const running = session({
    status: "Running",
    ended_at: null,
    messages: [typed("hi")],
  });

  const live = await read(running, start + 60_000);
  const idle = await read(running, start + 2 * 3_600_000);

  expect(live.filter(({ kind }) => kind === "pending")).toHaveLength(1);
  expect(said(live)).toEqual([]);
  expect(said(idle)).toEqual(["user: hi"]);
});

it("changes the fingerprint once a pending file has been idle for a minute, and again after an hour", async () => {
  const file = join(folder, "s.json");
  writeFileSync(file, "{");
  utimesSync(file, new Date(start), new Date(start));
  const at = (now: number) => fromPhiCore(folder, { now: () => now }).fingerprint("s.json");

  const [fresh, still, idle] = [
    await at(start),
    await at(start + 59_000),
    await at(start + 61_000),
  ];

  expect(still).toBe(fresh);
  expect(idle).not.toBe(fresh);
  expect(await at(start + 3_600_000)).not.toBe(idle);
});

it.each<[string, number, string]>([
  ["pending a second after it was written", 1_000, "pending"],
  ["a fault once it has rested for a minute", 61_000, "fault"],
])("reports an incomplete file as %s", async (_, age, kind) => {
  writeFileSync(join(folder, "s.json"), '{"session_id":"s","loo');
  utimesSync(join(folder, "s.json"), new Date(start), new Date(start));

  const events = await readAll(fromPhiCore(folder, { now: () => start + age }), "s.json");

  expect(events.map((event) => event.kind)).toEqual([kind]);
});

it("reports a file that another program writes to while it is read as pending", async () => {
  const loop = (index: number) => ({
    loop_id: `s.a.${index}`,
    started_at: `2026-05-20T09:00:0${index}Z`,
    messages: [typed(`${index}`)],
  });
  const value = session({}, { loops: [loop(1), loop(2), loop(3)] });
  writeFileSync(join(folder, "s.json"), JSON.stringify(value));
  const events: ReadEvent[] = [];

  for await (const event of fromPhiCore(folder, { now: () => start }).read("s.json")) {
    events.push(event);
    // The first loop is read by now.
    if (event.kind === "part") writeFileSync(join(folder, "s.json"), JSON.stringify([value]));
  }

  expect(said(events)).toEqual(["user: 1"]);
  expect(events.at(-1)).toMatchObject({
    kind: "pending",
    reason: "the file changes while it is read",
  });
});

it("reports files that are not sessions, and reads the others (`adapter-integrity-no-silent-drops`)", async () => {
  const found = await readSource(
    fromPhiCore(join(fixtures, "damaged", "input"), { now: () => 4e12 }),
  );

  expect([...found].map(([key, events]) => [key, events[0]?.kind])).toEqual([
    ["half.json", "fault"],
    ["settings.json", "fault"],
    ["whole.json", "session"],
  ]);
});

it("reads the messages of a loop that broke off from its turns, or else from its events", async () => {
  const found = await readSource(fromPhiCore(join(fixtures, "anomalies", "input")));

  expect([...found.values()].flatMap(said)).toEqual([
    "user: One.",
    "assistant: Uno.",
    "user: One, again beside it.",
    "assistant: Uno also.",
    "user: Break off.",
    "assistant: I am breaking off.",
    "user: Only in an event.",
    "assistant: Heard.",
    "user: Left running long ago.",
  ]);
});

describe("a loop that broke off after a finished turn", () => {
  const result = (id: string) => ({
    role: "toolResult",
    toolCallId: id,
    content: [],
    timestamp: 1,
  });
  const answer = (text: string) => ({ ...typed(text), role: "assistant" });
  const turn = {
    input_messages: [typed("hi"), result("a")],
    output_message: answer("hello"),
    tool_results: [{ ...result("a"), turnId: { loopId: "s.a.1", turnIndex: 0 } }],
  };
  const said = (message: object) => ({ event: { type: "MessageEnd", message } });
  const finished = [said(typed("hi")), said(answer("hello")), said(result("a"))];
  const ended = { event: { type: "TurnEnd", message: answer("hello") } };
  const open = [said(typed("quickly")), said(answer("I look")), said(result("b"))];
  const roles = async (loop: object) =>
    contentOf(await read(session({ status: "Aborted", ...loop })))
      .messages.filter(({ options }) => stringifyJson(options).includes('"derived":true'))
      .map((message) =>
        [message.role, ...partsOf(message).map((part) => partText(part))].join(" "),
      );
  const partText = (part: Part) => (part.type === "text" ? part.text : part.type);
  const inTurns = ["user hi", "assistant hello", "tool tool_result"];

  it("takes messages after that turn from its events", async () => {
    const events = [...finished, ended, ...open];

    expect(await roles({ turns: [turn], events })).toEqual([
      ...inTurns,
      "user quickly",
      "assistant I look",
      "tool tool_result",
    ]);
  });

  it.each<[string, readonly object[]]>([
    ["no message if all its turns have ended", [...finished, ended]],
    ["no message if no event ends its turn", finished],
    ["no message that its turns already hold", [...finished, ended, ...finished]],
  ])("takes from its events %s", async (_, events) => {
    expect(await roles({ turns: [turn], events })).toEqual(inTurns);
  });
});

it("reads only once the messages that branches and compacted contexts repeat", async () => {
  const names = ["parallel", "compaction"];
  const texts = names.map(async (name) => {
    const found = await readSource(fromPhiCore(join(fixtures, name, "input")));
    return [...found.values()]
      .flatMap(said)
      .filter((text) => /yarn\?$|Weav(?:e on|ing)\.$/.test(text));
  });

  expect(await Promise.all(texts)).toEqual([
    ["user: Which yarn?"],
    ["user: Weave on.", "assistant: Weaving."],
  ]);
});

it("marks the parent unresolved if a spawn reference without a call names a missing session (`session-durable-copy`)", async () => {
  const unresolvedOf = async (ref: object) => {
    const [first] = await read(session({}, { parent_spawn_ref: ref }));
    return first?.kind === "session" ? first.unresolved : "no session";
  };
  writeFileSync(join(folder, "there.json"), "{}");

  expect(await unresolvedOf({ parent_session_id: "gone", tool_call_id: "" })).toBe("parent");
  expect(await unresolvedOf({ parent_session_id: "there", tool_call_id: "" })).toBeUndefined();
  expect(await unresolvedOf({ parent_session_id: "gone", tool_call_id: "c" })).toBeUndefined();
});

it("follows a spawn reference only if it names a tool call or an existing session", async () => {
  const parentOf = async (ref: object) => {
    const [first] = await read(session({}, { parent_spawn_ref: ref }));
    return first?.kind === "session" ? first.session.parent_session_id : "no session";
  };
  writeFileSync(join(folder, "there.json"), "{}");

  expect(await parentOf({ parent_session_id: "p", tool_call_id: "c" })).toBe("p");
  expect(await parentOf({ parent_session_id: "there", tool_call_id: "" })).toBe("there");
  expect(await parentOf({ parent_session_id: "bogus", tool_call_id: "" })).toBeUndefined();
  expect(await parentOf({ parent_session_id: "../s", tool_call_id: "" })).toBeUndefined();
  expect(await parentOf({ parent_session_id: "s", tool_call_id: "c" })).toBeUndefined();
});

describe("the fingerprint of a session", () => {
  const fingerprint = () => fromPhiCore(folder, { now: () => start }).fingerprint("s.json");
  const write = (spawn: object | null, more: object = {}) => {
    const document = session({ messages: [typed("hi")] }, { parent_spawn_ref: spawn, ...more });
    const { loops, ...head } = { loops: [], ...document };
    writeFileSync(join(folder, "s.json"), JSON.stringify({ ...head, loops }, null, 2));
  };
  const parentComes = () => writeFileSync(join(folder, "p.json"), "{}");

  it("changes when the file of a parent that is named without a call appears", async () => {
    write({ parent_session_id: "p", parent_loop_id: "p.a.1", tool_call_id: "", tool_name: "" });
    const alone = await fingerprint();
    const still = await fingerprint();
    parentComes();
    const linked = await fingerprint();

    expect(still).toBe(alone);
    expect(linked).not.toBe(alone);
    expect(await fingerprint()).toBe(linked);
  });

  it.each<[string, object | null]>([
    ["is null", null],
    ["names a tool call", { parent_session_id: "p", tool_call_id: "c" }],
    ["names a third session", { parent_session_id: "q", tool_call_id: "" }],
    ["names a path outside the folder", { parent_session_id: "../p", tool_call_id: "" }],
  ])(
    "stays the same when another session's file appears, if its spawn reference %s",
    async (_, spawn) => {
      // What it said is not what it is.
      const quoted = `"parent_spawn_ref": {"parent_session_id": "p"}`;
      write(spawn, { formation: { Explicit: { timestamp: quoted } } });
      const alone = await fingerprint();
      parentComes();

      expect(await fingerprint()).toBe(alone);
    },
  );
});

it("only adds messages when a program saves its session again", async () => {
  const loop = (n: number) => ({
    loop_id: `s.a.${n}`,
    started_at: `2026-05-20T09:00:0${n}Z`,
    messages: [typed(`${n}`)],
  });

  const before = idsOf(await read(session({}, { loops: [loop(2)] })));
  // Loops stand in the order of their ends.
  const after = idsOf(await read(session({}, { loops: [loop(1), loop(2), loop(3)] })));

  expect(after.filter((id) => before.includes(id))).toEqual(before);
  expect(new Set(after).size).toBe(after.length);
});

it("gives the messages of a broken-off loop the same ids once the loop itself holds them", async () => {
  const answer = { role: "assistant", content: [], timestamp: start + 1, turnId: { loopId: "x" } };
  // The same message has its keys in another order, and no turn, in an event.
  const { turnId: _turn, ...bare } = answer;
  const heard = Object.fromEntries(Object.entries(bare).reverse());
  const event = (message: object) => ({ event: { type: "MessageEnd", message } });
  const broken = session({ status: "Running", events: [event(typed("hi")), event(heard)] });
  const whole = session({ status: "Completed", messages: [typed("hi"), answer] });

  expect(idsOf(await read(broken, start + 1e8))).toEqual(idsOf(await read(whole)));
});

it("gives a new id to a message that replaces another, and keeps the other ids", async () => {
  const before = idsOf(await read(session({ messages: [typed("one"), typed("two")] })));
  const after = idsOf(await read(session({ messages: [typed("[Summary] one"), typed("two")] })));

  expect(before.at(-1)).toBe(after.at(-1));
  expect(after.at(-2)).not.toBe(before.at(-2));
});

it.each<[string, object, number]>([
  ["that a restore wrote", {}, 2],
  ["that a compaction wrote under a restored id", { continuation_kind: "Compaction" }, 1],
  ["that the program itself wrote", { loop_id: "s.a.2" }, 1],
  ["of the program's own agent named pond", { loop_id: "s.pond.2" }, 1],
])("tells a repeated message from a new one in a loop %s", async (_, more, times) => {
  const loops = [1, 2].map((n) => ({
    loop_id: `${copyUuid("phi-core", "s")}.pond.${n}`,
    started_at: `2026-05-20T09:00:0${n}Z`,
    messages: [typed("hi")],
    ...(n === 2 && more),
  }));

  expect(said(await read(session({}, { loops })))).toHaveLength(times);
});

it("leaves out the messages of a running loop even if a later loop repeats them", async () => {
  const loops = [
    { loop_id: "s.a.1", started_at: "2026-05-20T09:00:01Z", messages: [typed("hi")] },
    { loop_id: "s.a.2", started_at: "2026-05-20T09:00:02Z", messages: [typed("hi"), typed("ho")] },
  ];
  const running = loops.map((loop, index) => (index === 0 ? { ...loop, status: "Running" } : loop));

  expect(said(await read(session({}, { loops: running })))).toEqual(["user: ho"]);
  expect(said(await read(session({}, { loops })))).toEqual(["user: hi", "user: ho"]);
});

it("reads only the original form of a message that a compaction shortened", async () => {
  const found = await readSource(fromPhiCore(join(fixtures, "variants", "input")));
  const threads = [...found.values()].flatMap(said).filter((text) => text.includes("threads"));

  expect(threads).toEqual([
    "user: Count the threads.",
    "assistant: I counted forty threads, then forty more, and wrote all of them down.",
  ]);
});

it("marks the loops that replaced the context as boundaries", async () => {
  const block = { createdAt: "2026-05-20T09:00:00Z" };
  const loops = [{}, { compaction_block: block }, { continuation_kind: "Compaction" }].map(
    (more, index) => ({ loop_id: `${index}`, started_at: "x", messages: [], ...more }),
  );
  const { messages } = contentOf(await read(session({}, { loops })));

  expect(
    messages.map(({ options }) => isJsonObject(options["source"]) && options["source"]["boundary"]),
  ).toEqual([undefined, undefined, "compaction", "compaction"]);
});

it("does not hold back a running loop for a last-active time far in the future", async () => {
  const last_active_at = "2126-05-20T09:00:00Z";
  const events = await read(session({ status: "Running" }, { last_active_at }), start + 1e8);

  expect(events.filter(({ kind }) => kind === "pending")).toEqual([]);
});

describe("loops that did not end in the order they began", () => {
  const loop = (n: number, second: number | undefined, more: object = {}) => ({
    loop_id: `s.a.${n}`,
    ...(second !== undefined && { started_at: `2026-05-20T09:00:0${second}Z` }),
    messages: [typed(`${n}`)],
    ...more,
  });
  // What broke off stands at the end of a file, and has what it said in its events.
  const event = { type: "MessageEnd", message: typed("1") };
  const broken = loop(1, 1, { status: "Aborted", messages: [], events: [{ event }] });

  it.each<[string, readonly object[], string]>([
    ["a loop that broke off", [loop(2, 2), loop(3, 3), broken], "123"],
    ["branches", [loop(1, 1), loop(4, 4), loop(3, 3), loop(2, 2), loop(5, 5)], "12345"],
    ["loops that began at the same time", [loop(3, 3), loop(1, 1), loop(2, 1)], "123"],
    ["a loop without a start time", [loop(2, 2), loop(3, undefined), loop(1, 1)], "123"],
    ["a first loop without a start time", [loop(1, undefined), loop(3, 3), loop(2, 2)], "123"],
    ["a start time with more than six decimals", [loop(2, 2), loop(1, 1.000_000_1)], "12"],
  ])(
    "are read in the order they began and written back in file order: %s",
    async (_, loops, order) => {
      const document = session({}, { loops });
      const events = await read(document);

      expect(said(events)).toEqual([...order].map((text) => `user: ${text}`));
      const [written] = restoredFiles(
        toPhiCore.writeNative({ root: contentOf(events), descendants: [] }),
      ).values();
      expect(JSON.parse(Buffer.from(written ?? []).toString())).toEqual(document);
    },
  );

  it("are written back in file order while other loops are still running", async () => {
    const running = [loop(3, 2), loop(4, 3), loop(2, 1)].map((each) => ({
      ...each,
      status: "Running",
      ended_at: null,
    }));
    const ended = [loop(6, 5), loop(1, 0), loop(5, 4)];
    const loops = [...running.slice(0, 2), ...ended, ...running.slice(2)];
    const events = await read(session({}, { loops }));

    expect(said(events)).toEqual(["user: 1", "user: 5", "user: 6"]);
    const root = contentOf(events);
    const [written] = restoredFiles(toPhiCore.writeNative({ root, descendants: [] })).values();
    expect(JSON.parse(Buffer.from(written ?? []).toString()).loops).toEqual(ended);
  });

  it("attribute a message that a later loop repeats to the loop that began first", async () => {
    const full = loop(2, 2, { messages: [typed("1"), typed("2")] });
    const events = await read(session({}, { loops: [full, broken] }));

    expect(said(events)).toEqual(["user: 1", "user: 2"]);
    const carriers = contentOf(events).messages.filter(({ options }) =>
      stringifyJson(options).includes('"repeats":true'),
    );
    expect(carriers.map(({ options }) => options["source"])).toMatchObject([
      { loop: "s.a.2@2026-05-20T09:00:02Z" },
    ]);
  });

  it("leave the messages of loops that stand in order unchanged", async () => {
    const before = idsAndOptions(await read(session({}, { loops: [loop(2, 2), loop(3, 3)] })));
    const after = idsAndOptions(
      await read(session({}, { loops: [loop(2, 2), loop(3, 3), broken] })),
    );

    expect(after).toEqual(expect.arrayContaining([...before]));
  });
});

it("reads two prompts of one turn and time once each when a later loop repeats them reordered", async () => {
  const turnId = { loopId: "s.a.1", turnIndex: 1 };
  const [alpha, beta] = [typed("alpha", { turnId }), typed("beta", { turnId })];
  const shortened = typed("[Summary] alpha", { turnId });
  const loops = [
    { loop_id: "s.a.2", messages: [typed("base"), alpha, beta] },
    { loop_id: "s.a.3", messages: [typed("base"), shortened, beta, alpha, typed("end")] },
  ].map((loop, index) => ({ started_at: `2026-05-20T09:00:0${index + 2}Z`, ...loop }));

  expect(said(await read(session({}, { loops })))).toEqual([
    "user: base",
    "user: alpha",
    "user: beta",
    "user: end",
  ]);
});

it("derives well-formed message ids if a loop's own id is not well-formed Unicode", async () => {
  const ids = idsOf(await read(session({ loop_id: "\ud800", messages: [typed("hi")] })));

  expect(ids).toHaveLength(3);
  expect(ids.every((id) => id.isWellFormed())).toBe(true);
});

it("classifies everything in a harness message as injected (`model-part-provenance`)", async () => {
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const mark = { type: "text", text: "[Restored context] " };
  const task = { loop_id: "s.sub.1", messages: [typed("Do.", { content: [image] })] };
  const kinds = async (loop: object) =>
    contentOf(await read(session(loop))).messages.flatMap((message) =>
      partsOf(message).map(({ type, provenance }) => `${type} ${provenance}`),
    );

  expect(await kinds({ messages: [typed("", { content: [mark, image] })] })).toEqual([
    "text injected",
    "file injected",
  ]);
  expect(await kinds(task)).toEqual(["file injected"]);
});

it("keeps an API key where it is neither indexed nor printed", async () => {
  const key = "sk-of-an-old-file";
  const config = { model_config: { api_key: key } };
  const events = await read(session({ messages: [typed("hi")] }, config));
  const holders = contentOf(events).messages.filter((message) =>
    stringifyJson(message.options).includes(key),
  );

  expect(holders.map(({ id, role }) => [id, role])).toEqual([["session", "system"]]);
  expect(holders.flatMap(partsOf)).toEqual([]);
  const [broken] = await read(`{"api_key":${key}}`, start + 1e12);
  expect(broken?.kind === "fault" && broken.fault.message).toMatch(
    /not JSON: Unexpected token 's'$/,
  );
});

it("reports a second file of the same session instead of reading it", async () => {
  const reader = fromPhiCore(folder, { now: () => start });
  const write = (name: string, value: object | string) =>
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  const old = session({ messages: [typed("older")] });
  write("s.old.json", old);
  const alone = await readAll(reader, "s.old.json");
  write("s.json", "{ half");
  const besideBroken = await readAll(reader, "s.old.json");
  write("s.json", session({ messages: [typed("newer")] }));

  const events = await readAll(reader, "s.old.json");

  const reasons = events.map((event) => event.kind === "fault" && event.fault.details.reason);
  expect(reasons).toEqual(["a second file of session s, which s.json holds: not ingested"]);
  expect([said(alone), said(besideBroken)]).toEqual([["user: older"], ["user: older"]]);
  expect(said(await readAll(reader, "s.json"))).toEqual(["user: newer"]);
  // It is another one once the first is gone, though it looks the same.
  expect(events).toMatchObject([{ kind: "fault", isRetryable: true }]);
});

it("reads a session whose id is too long to name a file", async () => {
  const id = "s".repeat(300);
  const events = await read(session({ messages: [typed("hi")] }, { session_id: id }));

  expect(contentOf(events).session.id).toBe(id);
  expect(said(events)).toEqual(["user: hi"]);
});

// Other systems have no such names.
it.runIf(process.platform === "linux")("reports files whose name is not UTF-8", async () => {
  writeFileSync(Buffer.from(join(folder, "caf\xe9.json"), "latin1"), JSON.stringify(session({})));

  const { sessions, faults } = await findSessions(fromPhiCore(folder));

  expect(sessions).toEqual([]);
  expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
    [join(folder, "caf\u{fffd}.json"), "a name that is not UTF-8: not stored"],
  ]);
});

it("reports symbolic links that lead out of the folder or nowhere, and only those", async () => {
  mkdirSync(join(folder, "sessions"));
  const inside = join(folder, "sessions");
  writeFileSync(join(folder, "other.json"), JSON.stringify(session({})));
  writeFileSync(join(inside, "s.json"), JSON.stringify(session({})));
  symlinkSync(join(folder, "other.json"), join(inside, "a.json"));
  symlinkSync("nowhere.json", join(inside, "b.json"));
  symlinkSync("s.json", join(inside, "c.json"));

  const { sessions, faults } = await findSessions(fromPhiCore(inside));

  expect(sessions.map(({ key }) => key)).toEqual(["s.json"]);
  expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual(
    ["a.json", "b.json"].map((name) => [
      join(inside, name),
      "a symbolic link out of the folder, not followed",
    ]),
  );
});
