import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromClaudeCode } from "@pond/adapter-claude-code";
import { fileFault, type Reader } from "@pond/canonical/adapter";
import { getSession, openSessions, type SessionStore } from "@pond/sessions";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discoverSources } from "./discover.ts";
import { changesIn, claudeCode, line } from "./sync.test-kit.ts";
import { type SyncReport, sync } from "./sync.ts";

let home: string;
let sessions: SessionStore;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pond-whole-")));
  sessions = await openSessions(join(home, "store"), { mode: "write" });
});
afterEach(() => {
  sessions.close();
  rmSync(home, { recursive: true, force: true });
});

const projects = ".claude/projects";
const main = `${projects}/-work/s1.jsonl`;
const agent = `${projects}/-work/s1/subagents/agent-1.jsonl`;

/** The log of `s1`, or that of its agent, with a message for each of the ids. */
function write(path: string, ...ids: readonly string[]): void {
  const file = join(home, path);
  const lines = ids.map((id) => {
    const record = JSON.parse(line("s1", id, `text of ${id}`)) as object;
    const own = path.includes("agent-") && { isSidechain: true, agentId: "1" };
    return JSON.stringify({ ...record, ...own, timestamp: `2026-03-01T09:00:0${id}.000Z` });
  });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((each) => `${each}\n`).join(""));
}

/** @param paths - Only these, as with `--path`. */
function syncOf(
  paths: readonly string[] = [],
  isVerifying = false,
  client = claudeCode,
): Promise<SyncReport> {
  const asked = paths.map((path) => join(home, path));
  const sources = discoverSources([client], {
    environment: { home, env: {} },
    ...(asked.length > 0 && { paths: { "claude-code": asked } }),
  });
  const stateDirectory = join(home, "state");
  return sync(sessions, sources, {
    stateDirectory,
    host: "desk",
    now: () => new Date(),
    isVerifying,
  });
}

const changed = (report: SyncReport): unknown[] => {
  const { messages_added = 0, revisions = 0, tombstones = 0 } = changesIn(report);
  return [messages_added, revisions, tombstones];
};
const seen = ({ adapters }: SyncReport): unknown => adapters[0]?.sessions.seen;

async function idsOf(session: string): Promise<string[]> {
  const { messages } = await getSession(sessions, session, { mode: "conversational" });
  return messages.map(({ id }) => id);
}

describe("a path within a place of its client", () => {
  it.each([
    ["the folder of a session", `${projects}/-work/s1`, 1],
    ["the folder of its agents", `${projects}/-work/s1/subagents`, 1],
    ["the log of an agent", agent, 1],
    ["the log of a session, with its agents", main, 2],
    ["a project", `${projects}/-work`, 2],
    ["all projects", projects, 3],
  ])("is read as a part of that place: %s", async (_, path, count) => {
    write(main, "1", "2");
    write(agent, "3", "4");
    write(`${projects}/-other/s2.jsonl`, "1");
    await syncOf();

    const first = await syncOf([path], true);
    expect([seen(first), changed(first)]).toEqual([count, [0, 0, 0]]);

    write(agent, "3", "4", "5");
    expect(changed(await syncOf([path]))).toEqual([1, 0, 0]);
    write(agent, "3", "5");
    expect(changed(await syncOf([path]))).toEqual([0, 0, 1]);
    for (const again of [false, true]) {
      const report = await syncOf([], again);
      expect([seen(report), changed(report)]).toEqual([3, [0, 0, 0]]);
    }
  });

  it("shares its state with the place, so that a later sync of the place notices deletions", async () => {
    write(main, "1", "2");
    await syncOf();
    write(main, "1", "2", "3", "4");
    expect(changed(await syncOf([main]))).toEqual([2, 0, 0]);
    write(main, "1", "2");

    expect(changed(await syncOf())).toEqual([0, 0, 2]);
    expect(await idsOf("s1")).toEqual(["1", "2"]);
  });

  it("becomes the place of a session that was moved into it, and has its changed text stored", async () => {
    write(main, "1", "2");
    await syncOf();
    const moved = join(home, projects, "-zoo/s1.jsonl");
    mkdirSync(dirname(moved));
    writeFileSync(moved, readFileSync(join(home, main), "utf8").replace("text of 2", "next to 2"));
    rmSync(join(home, main));

    await syncOf([`${projects}/-zoo`]);

    expect(JSON.stringify(await getSession(sessions, "s1", { mode: "verbatim" }))).toContain(
      "next to 2",
    );
    expect(changed(await syncOf([], true))).toEqual([0, 0, 0]);
  });

  it("is read once when other requested paths contain it or belong to the same place", async () => {
    write(main, "1");
    write(agent, "2");
    const first = await syncOf([".claude", main]);
    expect([seen(first), changed(first)]).toEqual([2, [2, 0, 0]]);
    write(agent, "2", "3");

    const again = await syncOf([main, agent, `${projects}/-work/s1`]);
    expect([seen(again), changed(again)]).toEqual([2, [1, 0, 0]]);
    expect(changed(await syncOf([".claude"], true))).toEqual([0, 0, 0]);
  });

  it("is also a part of a place that was only ever read on request", async () => {
    write(main, "1");
    write(agent, "2");
    cpSync(join(home, ".claude"), join(home, "old/.claude"), { recursive: true });
    rmSync(join(home, ".claude"), { recursive: true });
    await syncOf(["old/.claude"]);

    expect(changed(await syncOf([`old/${projects}/-work/s1`], true))).toEqual([0, 0, 0]);
  });

  it("is a place of its own if that place does not list its files, as with a backup copy", async () => {
    write(main, "1", "3");
    cpSync(join(home, ".claude/projects"), join(home, ".claude/backup/projects"), {
      recursive: true,
    });
    await syncOf();
    const text = { type: "user", message: { role: "user", content: "an older text" } };
    const old = JSON.parse(line("s1", "1", "")) as object;
    writeFileSync(
      join(home, ".claude/backup/projects/-work/s1.jsonl"),
      `${JSON.stringify({ ...old, ...text })}\n${line("s1", "2", "nowhere else")}\n`,
    );

    expect(changed(await syncOf([".claude/backup"]))).toEqual([1, 0, 0]);
    expect((await idsOf("s1")).sort()).toEqual(["1", "2", "3"]);
    expect(changed(await syncOf([], true))).toEqual([0, 0, 0]);
  });

  it("reports what cannot be listed within it, even a part of a file, and nothing from elsewhere", async () => {
    write(main, "1");
    const [file, other] = [join(home, main), join(home, ".claude/other")];
    const from = (path: string): Reader => {
      const reader = fromClaudeCode(path);
      return {
        ...reader,
        async *sessions() {
          yield* reader.sessions();
          yield fileFault("claude-code", `${file}:ses_gone`, "of no session");
          if (path === join(home, ".claude")) yield fileFault("claude-code", other, "not readable");
        },
      };
    };

    const { adapters } = await syncOf([main], false, { ...claudeCode, from });
    const { adapters: all } = await syncOf([], false, { ...claudeCode, from });

    const [told, toldOfAll] = [adapters, all].map(([report]) => {
      return report?.faults.map(({ location }) => location);
    });
    expect(told).toEqual([`${file}:ses_gone`]);
    expect(toldOfAll).toEqual([`${file}:ses_gone`, other]);
  });

  describe("if that place does not list all files there", () => {
    /** As codex does with a file that goes on with what began in another folder. */
    const listsNot = (left: string) => {
      const from = (path: string): Reader => {
        const reader = fromClaudeCode(path);
        if (path !== join(home, ".claude")) return reader;
        return {
          ...reader,
          async *sessions() {
            for await (const found of reader.sessions()) {
              if (found.kind === "source" && !found.key.endsWith(left)) yield found;
            }
          },
        };
      };
      return { ...claudeCode, from };
    };

    it("is read as a place of its own, with nothing left out", async () => {
      write(main, "1");
      write(`${projects}/-work/s2.jsonl`, "2");

      const report = await syncOf([`${projects}/-work`], false, listsNot("s2.jsonl"));
      expect([seen(report), changed(report)]).toEqual([2, [2, 0, 0]]);
    });

    it("does not override what the surrounding place says, nor does a path within it", async () => {
      const [folder, file] = [`${projects}/-more`, `${projects}/-more/s1.jsonl`];
      const client = listsNot("-more/s1.jsonl");
      write(main, "1", "2", "3");
      write(file, "2");
      const text = readFileSync(join(home, file), "utf8");
      writeFileSync(join(home, file), text.replace("text of 2", "half of 2"));
      await syncOf([], false, client);

      for (const path of [folder, file]) {
        expect(changed(await syncOf([path], true, client))).toEqual([0, 0, 0]);
      }
    });
  });
});
