import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fixtures, Home } from "../testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

/** A session whose client undid the turn in which it started an agent, and this agent. */
type Case = { readonly id: string; readonly agent: string };

const at = (second: number): string => new Date(Date.UTC(2026, 10, 20, 9, 0, second)).toISOString();
const lines = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Typed again from the first answer on. */
function claudeCode(isInterrupted = false): Case {
  const [id, agent] = ["5e551000-0000-4000-8000-0000000000f1", "a0123456789abcdef"];
  const row = (uuid: string, parentUuid: string | null, second: number, message: object) => ({
    ...{ uuid, parentUuid, sessionId: id, cwd: "/work", isSidechain: false, timestamp: at(second) },
    ...{ version: "2.1.300", userType: "external", ...message },
  });
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const answer = (content: unknown) => ({
    type: "assistant",
    message: { role: "assistant", id: "msg_1", type: "message", model: "claude-x", content },
  });
  const input = { prompt: "Count.", description: "count", subagent_type: "general-purpose" };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "12 bobbins" };
  const toolUseResult = { agentId: agent };
  home.write(
    `.claude/projects/-work/${id}.jsonl`,
    lines([
      row("u1", null, 0, user("hello")),
      row("u2", "u1", 1, answer([{ type: "text", text: "hi" }])),
      row("u3", "u2", 2, user("ask somebody")),
      row("u4", "u3", 3, answer([{ type: "tool_use", id: "toolu_1", name: "Agent", input }])),
      row("u5", "u4", 9, { ...user([result]), ...(!isInterrupted && { toolUseResult }) }),
      row("u6", "u2", 10, user("count yourself")),
      row("u7", "u6", 11, answer([{ type: "text", text: "12" }])),
    ]),
  );
  const own = { isSidechain: true, agentId: agent };
  home.write(
    `.claude/projects/-work/${id}/subagents/agent-${agent}.jsonl`,
    lines([
      { ...row("a1", null, 4, user("Count.")), ...own },
      { ...row("a2", "a1", 5, answer([{ type: "text", text: "12 bobbins" }])), ...own },
    ]),
  );
  if (isInterrupted) {
    const meta = JSON.stringify({ agentType: "general-purpose", toolUseId: "toolu_1" });
    home.write(`.claude/projects/-work/${id}/subagents/agent-${agent}.meta.json`, meta);
  }
  return { id, agent: `${id}/subagents/agent-${agent}` };
}

/** Rolled back by one turn, and gone on with. */
function codex(): Case {
  const [id, agent] = [
    "019e0000-0000-7000-8000-000000000010",
    "019e0000-0000-7000-8000-000000000011",
  ];
  cpSync(join(fixtures, "codex", "sub-agents", "input"), join(home.folder, ".codex"), {
    recursive: true,
  });
  const folder = join(home.folder, ".codex/sessions/2026/05/04");
  const log = join(folder, `rollout-2026-05-04T11-00-00-${id}.jsonl`);
  // In the fixture all threads begin at once.
  const own = join(folder, `rollout-2026-05-04T11-00-09-${agent}.jsonl`);
  writeFileSync(own, readFileSync(own, "utf8").replaceAll("09:00:00.123Z", "09:00:05.500Z"));
  const text = [{ type: "input_text", text: "count yourself" }];
  const payload = { type: "message", role: "user", content: text };
  const went = [
    { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
    { type: "response_item", payload },
  ].map((record) => ({ timestamp: "2026-05-04T10:00:00.000Z", ...record }));
  writeFileSync(log, readFileSync(log, "utf8") + lines(went));
  return { id, agent };
}

/** Reverted to the prompt. */
function opencode(): Case {
  const [id, agent] = ["ses_000000000001AAAAAAAAAAAAAA", "ses_000000000002AAAAAAAAAAAAAA"];
  const storage = ".local/share/opencode/storage";
  const write = (path: string, value: unknown) =>
    home.write(`${storage}/${path}.json`, JSON.stringify(value));
  const start = Date.UTC(2026, 10, 20, 9);
  const session = (own: string, more: object) =>
    write(`session/p/${own}`, {
      ...{ id: own, projectID: "p", directory: "/work", title: own, version: "1.0.0" },
      ...{ time: { created: start, updated: start }, ...more },
    });
  const say = (own: string, name: string, second: number, role: string, part: object) => {
    const created = start + second * 1000;
    write(`message/${own}/msg_${name}`, {
      ...{ id: `msg_${name}`, sessionID: own, role },
      time: { created, ...(role === "assistant" && { completed: created }) },
    });
    const ids = { id: `prt_${name}`, sessionID: own, messageID: `msg_${name}` };
    write(`part/msg_${name}/prt_${name}`, { ...ids, ...part });
  };
  const text = (said: string) => ({ type: "text", text: said });
  session(id, { revert: { messageID: "msg_3" } });
  session(agent, { parentID: id, time: { created: start + 4000, updated: start + 5000 } });
  say(id, "1", 0, "user", text("hello"));
  say(id, "2", 1, "assistant", text("hi"));
  say(id, "3", 2, "user", text("ask somebody"));
  say(id, "4", 3, "assistant", {
    ...{ type: "tool", callID: "call_1", tool: "task" },
    state: {
      ...{ status: "completed", input: { prompt: "Count.", description: "count" } },
      ...{ output: "12 bobbins", title: "count", metadata: { sessionId: agent } },
      time: { start: start + 3000, end: start + 9000 },
    },
  });
  say(agent, "5", 4, "user", text("Count."));
  say(agent, "6", 5, "assistant", text("12 bobbins"));
  return { id, agent };
}

type Files = readonly {
  readonly session_id: string;
  readonly path: string;
  readonly fidelity: Readonly<Record<string, { readonly dropped: number }>>;
}[];

it.each([
  ["claude-code", claudeCode, "pi"],
  ["claude-code", () => claudeCode(true), "codex"],
  ["codex", codex, "claude-code"],
  ["opencode", opencode, "omp"],
  ["opencode", opencode, "phi-core"],
])(
  "pond restore writes a sub-agent of an undone turn for %s itself, but for no other client",
  async (own, write, to) => {
    const { id, agent } = write();
    expect((await home.pond("sync", own, "-q")).code).toBe(0);
    const restore = async (...flags: readonly string[]): Promise<Files> => {
      const { stdout } = await home.pond("restore", id, "--json", ...flags);
      return JSON.parse(stdout).files;
    };

    const native = await restore("--out", join(home.folder, "native"));
    const foreign = await restore("--to", to, "--out", join(home.folder, "foreign"));

    expect(native.map(({ session_id }) => session_id)).toContain(agent);
    expect(native.every(({ path }) => existsSync(path))).toBe(true);
    const ids = foreign.map(({ session_id }) => session_id);
    expect(ids).toContain(id);
    expect(ids).not.toContain(agent);
    const file = foreign.find(({ session_id }) => session_id === id);
    // The two texts of the agent, and at least the undone prompt.
    expect(file?.fidelity["text"]?.dropped).toBeGreaterThan(2);
  },
);

it("pond restore writes a sub-agent of a turn that was not undone for another client, too", async () => {
  const { id, agent } = codex();
  const folder = join(home.folder, ".codex");
  cpSync(join(fixtures, "codex", "sub-agents", "input"), folder, { recursive: true, force: true });
  await home.pond("sync", "codex", "-q");
  const to = ["--to", "pi", "--out", join(home.folder, "foreign")];

  const { stdout } = await home.pond("restore", id, ...to, "--json");

  const files: Files = JSON.parse(stdout).files;
  expect(files.map(({ session_id }) => session_id)).toContain(agent);
});
