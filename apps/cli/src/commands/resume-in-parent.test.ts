import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

// Claude Code resumes no sub-agent, and Codex none of its second kind: each continues in its parent.
const main = "5e551000-0000-4000-8000-000000000001";
const agent = `${main}/subagents/agent-abc`;
const [root, child, grandchild] = [1, 2, 3].map((n) => `019e0000-0000-7000-8000-00000000009${n}`);

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

/** A main session of Claude Code with one sub-agent. */
function writeAgent(): { log: string; agentLog: string } {
  const log = home.writeSession(main, line(main, "u", "count the looms"));
  const own = line(main, "a", "count them", { isSidechain: true, agentId: "abc" });
  return { log, agentLog: home.write(`.claude/projects/-work/${agent}.jsonl`, `${own}\n`) };
}

/** A thread of Codex. */
function writeThread(id = "", header: object = {}): string {
  const timestamp = "2026-07-11T10:00:00.000Z";
  const meta = { id, timestamp, cwd: "/work", originator: "codex-tui", cli_version: "0.144.0" };
  const content = [{ type: "input_text", text: `what ${id} is to do` }];
  const rows = [
    { timestamp, type: "session_meta", payload: { ...meta, source: "cli", ...header } },
    { timestamp, type: "response_item", payload: { type: "message", role: "user", content } },
  ];
  const path = `.codex/sessions/2026/07/11/rollout-2026-07-11T10-00-00-${id}.jsonl`;
  return home.write(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

const spawnedBy = (parent: string | undefined, version: string): object => ({
  source: { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
  multi_agent_version: version,
});

async function report(...argv: readonly string[]) {
  return JSON.parse((await home.pond("resume", ...argv, "--json")).stdout);
}

describe("pond resume of a session that its client continues only in the session above", () => {
  it("restores the session above and all below it, and says why it names that one", async () => {
    const { log, agentLog } = writeAgent();
    await home.pond("sync", "-q");
    rmSync(log);
    rmSync(agentLog);

    const { code, stdout, stderr } = await home.pond("resume", agent);

    expect([code, stdout]).toEqual([0, `cd /work && claude --resume ${main}\n`]);
    expect([existsSync(log), existsSync(agentLog)]).toEqual([true, true]);
    expect(stderr).toContain(
      `claude-code continues ${agent} only in the session above it: ${main}\n`,
    );
  });

  it("restores the session asked for when the one above exists, and leaves the one above alone", async () => {
    const { log, agentLog } = writeAgent();
    await home.pond("sync", "-q");
    const own = JSON.parse(readFileSync(agentLog, "utf8"));
    const longer = `${readFileSync(log, "utf8")}{"type":"mode"}\n`;
    writeFileSync(log, longer);
    rmSync(agentLog);

    const back = await report(agent);
    writeFileSync(agentLog, "other");
    const kept = await report(agent);
    const forced = await report(agent, "--force");
    const { stderr } = await home.pond("resume", agent, "--force");

    expect(back).toMatchObject({ session_id: main, asked_id: agent, written: true, native: true });
    expect(kept).toMatchObject({ written: false, outdated: true });
    expect(forced).toMatchObject({ written: true, left_as_is: [log] });
    expect(stderr).toContain(`Restored for claude-code: ~/.claude/projects/-work/${agent}.jsonl\n`);
    expect(JSON.parse(readFileSync(agentLog, "utf8"))).toEqual(own);
    expect(readFileSync(log, "utf8")).toBe(longer);
  });

  it("names the command that replaces the session above, for --force replaces only the one asked for", async () => {
    const { log } = writeAgent();
    await home.pond("sync", "-q");
    const byName = `\`pond resume ${main} --force\` replaces it`;

    const there = await home.pond("resume", agent);
    writeFileSync(log, `${line(main, "v", "somebody went on here")}\n`);
    const outdated = await home.pond("resume", agent, "--force");

    expect(there.stderr).toContain(`${main}.jsonl (${byName})`);
    expect(outdated.stderr).toContain(`may lack what came later in the session: ${byName}`);
    expect(readFileSync(log, "utf8")).toContain("somebody went on here");
  });

  it("climbs to the session that Codex can resume, past nested agents of its second kind", async () => {
    const files = [
      writeThread(root),
      writeThread(child, spawnedBy(root, "v2")),
      writeThread(grandchild, spawnedBy(child, "v2")),
    ];
    await home.pond("sync", "-q");
    for (const file of files) rmSync(file);

    const { commands, asked_id, session_id } = await report(grandchild ?? "");

    expect([commands, asked_id, session_id]).toEqual([
      [["codex", "resume", root]],
      grandchild,
      root,
    ]);
    expect(files.map((file) => existsSync(file))).toEqual([true, true, true]);
  });

  it("resumes an agent of Codex's first kind by itself, and one translated for another client, too", async () => {
    writeThread(root);
    writeThread(child, spawnedBy(root, "v1"));
    writeAgent();
    await home.pond("sync", "-q");

    const own = await report(child ?? "");
    const handed = await report(agent, "--to", "codex");

    expect([own.commands, own.asked_id]).toEqual([[["codex", "resume", child]], child]);
    expect(handed).toMatchObject({ session_id: agent, asked_id: agent, native: false });
  });

  it.each([
    ["is not stored", agent, () => rmSync(writeAgent().log)],
    [
      "descends from the session itself",
      child ?? "",
      () => {
        writeThread(child, spawnedBy(grandchild, "v2"));
        writeThread(grandchild, spawnedBy(child, "v2"));
      },
    ],
  ])(
    "refuses when the session above %s, writes nothing, and suggests another client",
    async (_, id, write) => {
      write();
      await home.pond("sync", "-q");
      const filesIn = (folder: string): string[] =>
        globSync(`${home.folder}/${folder}/**/*`).filter((path) => statSync(path).isFile());
      const sources = [".claude", ".codex"].flatMap(filesIn);
      for (const file of sources) rmSync(file);

      const { code, stdout, stderr } = await home.pond("resume", id);

      expect([code, stdout]).toEqual([1, ""]);
      expect(sources.length).toBeGreaterThan(0);
      expect([".claude", ".codex"].flatMap(filesIn)).toEqual([]);
      expect(stderr).toContain(`continues ${id} only in the session above it`);
      expect(stderr).toContain(`pond resume ${id} --to `);
    },
  );
});
