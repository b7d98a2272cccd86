import { join } from "node:path";
import { contentOf, readAll } from "@pond/adapter-testkit";
import type { ReadEvent } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  hour,
  messageRow,
  partRow,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";

const user = (at: number) => messageRow("ses_a", `msg_${at}`, at, { role: "user" });
const text = (message: ReturnType<typeof user>) =>
  partRow(message, `prt_${message.id}`, { type: "text", text: "x" });
const answer = (at: number, more: object = {}) =>
  messageRow("ses_a", `msg_${at}`, at, { role: "assistant", ...more });
const ended = { time: { created: start, completed: start + 1 } };
const running = {
  type: "tool",
  callID: "c",
  tool: "bash",
  state: { status: "running", input: {} },
};

const cases: readonly (readonly [string, Tables, readonly string[]])[] = [
  [
    "a prompt and its answer",
    { message: [user(1), answer(2, ended)], part: [text(user(1))] },
    ["msg_1", "msg_2"],
  ],
  [
    "an answer under way",
    { message: [user(1), answer(2)], part: [text(user(1))] },
    ["msg_1", "msg_2: the answer is not complete"],
  ],
  [
    "an answer that failed",
    { message: [answer(2, { error: { name: "x", data: {} } })] },
    ["msg_2"],
  ],
  [
    "an open answer that another answer follows",
    { message: [answer(2), answer(3, ended)] },
    ["msg_2", "msg_3"],
  ],
  [
    "an open answer and a prompt typed meanwhile",
    { message: [answer(2), user(3)], part: [text(user(3))] },
    ["msg_2: the answer is not complete", "msg_3"],
  ],
  [
    "a complete answer with a tool that still runs",
    { message: [answer(2, ended)], part: [partRow(answer(2), "prt_2", running)] },
    ["msg_2: a tool is still running"],
  ],
  [
    "a prompt that has no parts yet",
    { message: [user(1)] },
    ["msg_1: the prompt has no parts yet"],
  ],
];

it.each(cases)(
  "reads %s as far as it is settled (`adapter-integrity-additive-sync`)",
  async (_, tables, expected) => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), { session: [sessionRow("ses_a")], ...tables });

    expect(short(await readAt(home, 10_000))).toEqual(expected);
  },
);

it.each(cases)("reads all of %s once the session has been idle for an hour", async (_, tables) => {
  const home = createHome();
  writeDatabase(join(home, "opencode.db"), { session: [sessionRow("ses_a")], ...tables });

  const events = await readAt(home, hour + 10_000);

  const ids = contentOf(events)
    .messages.slice(1)
    .map(({ id }) => id);
  expect(ids).toEqual(tables["message"]?.map(({ id }) => id));
});

it("reads a session as idle if its time is far ahead of the clock", async () => {
  const home = createHome();
  const rows = { message: [user(1), answer(2)], part: [text(user(1))] };
  const session = [sessionRow("ses_a", { time_updated: start + 100 * 24 * hour })];
  writeDatabase(join(home, "opencode.db"), { session, ...rows });

  expect(short(await readAt(home, 2 * hour))).toEqual(["msg_1", "msg_2"]);
});

it("reads an export as complete, without waiting", async () => {
  const info = { id: "ses_a", directory: "/loom", time: { created: start, updated: start } };
  const message = { id: "msg_1", sessionID: "ses_a", role: "assistant", time: { created: start } };
  const home = createHome({ "a.json": { info, messages: [{ info: message, parts: [] }] } });

  const events = await Array.fromAsync(
    fromOpencode(home, { now: () => new Date(start) }).read("a.json"),
  );

  expect(short(events)).toEqual(["msg_1"]);
});

it.each([
  [
    "an open answer",
    { type: "assistant", data: { content: [] } },
    "msg_1: the answer is not complete",
  ],
  [
    "a running command",
    { type: "shell", data: { status: "running" } },
    "msg_1: the command is still running",
  ],
  [
    "a running compaction",
    { type: "compaction", data: { status: "running" } },
    "msg_1: the command is still running",
  ],
  ["a finished compaction", { type: "compaction", data: { status: "completed" } }, "msg_1"],
  ["an idle event", { type: "idle", data: { outcome: "succeeded" } }, "msg_1"],
])("reads %s of 2.x as far as it is settled", async (_, { type, data }, expected) => {
  const home = createHome();
  const { data: whole, ...columns } = messageRow("ses_a", "msg_1", 1, data);
  const row = { ...columns, type, seq: 1, data: whole };
  writeDatabase(join(home, "opencode.db"), {
    session_v2: [sessionRow("ses_a")],
    session_message: [row],
  });

  expect(short(await readAt(home, 10_000))).toEqual([expected]);
});

async function readAt(home: string, afterMs: number): Promise<readonly ReadEvent[]> {
  return readAll(fromOpencode(home, { now: () => new Date(start + afterMs) }), "ses_a");
}

/** The messages, and the pending ones with why. */
function short(events: readonly ReadEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind === "pending") return [`${event.location.split(" ").at(-1)}: ${event.reason}`];
    return event.kind === "message" && !event.message.id.includes("#") ? [event.message.id] : [];
  });
}
