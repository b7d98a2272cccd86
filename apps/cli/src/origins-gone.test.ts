import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home } from "./testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const at = (second: number): string => `2026-03-16T08:00:${String(second).padStart(2, "0")}.000Z`;
const header = (id: string, second: number, fields: object = {}) => ({
  ...{ type: "session", version: 3, id, timestamp: at(second), cwd: "/home/ada/loom" },
  ...fields,
});
const say = (id: string, parentId: string | null, second: number, content = id) => ({
  ...{ type: "message", id, parentId, timestamp: at(second) },
  message: { role: "user", content },
});
const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

const sessions = ".omp/agent/sessions";
const original = `${sessions}/-loom/2026-03-16T08-00-00-000Z_s1`;
const fork = `${sessions}/-other/2026-03-16T08-00-10-000Z_s2`;
const copied = [say("a1", null, 1), say("a2", "a1", 2)];
const forked = [header("s2", 10, { parentSession: "s1" }), ...copied, say("b1", "a2", 11)];
const scout = [header("scout", 3), say("c1", null, 4)];

/** Every log below a folder, by its path. */
function logsIn(folder: string): Record<string, unknown> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const logs = files.filter((file) => file.endsWith(".jsonl"));
  return Object.fromEntries(
    logs.map((file) => {
      const records = readFileSync(join(folder, file), "utf8").trim().split("\n");
      return [file, records.map((record) => JSON.parse(record))];
    }),
  );
}

async function restoredAll(): Promise<Record<string, unknown>> {
  const out = join(home.folder, "out");
  rmSync(out, { recursive: true, force: true });
  await home.pond("restore", "--all", "--out", out);
  return logsIn(join(out, "omp"));
}

async function originOf(id: string): Promise<readonly unknown[]> {
  const { session } = JSON.parse((await home.pond("get", id, "--json")).stdout);
  return [session.parent_session_id, session.parent_message_id];
}

it("keeps a stored session and its sub-agents when the client keeps only a fork (`session-durable-copy`)", async () => {
  home.write(`${original}.jsonl`, lines(header("s1", 0), ...copied));
  home.write(`${original}/Scout.jsonl`, lines(...scout));
  home.write(`${fork}.jsonl`, lines(...forked));
  home.write(`${fork}/Scout.jsonl`, lines(...scout));
  await home.pond("sync", "omp", "-q");
  expect(await originOf("s2")).toEqual(["s1", "a2"]);
  const kept = join(home.folder, "kept");
  cpSync(join(home.folder, ".omp/agent"), kept, { recursive: true });

  rmSync(join(home.folder, `${original}.jsonl`));
  rmSync(join(home.folder, original), { recursive: true });
  const more = lines(...forked, say("b2", "b1", 12));
  home.write(`${fork}.jsonl`, more);
  home.write(`kept/${fork.slice(".omp/agent/".length)}.jsonl`, more);
  await home.pond("sync", "omp", "-q");

  expect(await originOf("s2")).toEqual(["s1", "a2"]);
  expect(await originOf("scout")).toEqual(["s1", undefined]);
  expect(await restoredAll()).toEqual(logsIn(kept));
});

it("finds what a sub-agent said when it continued in a fork, and restores its log once", async () => {
  home.write(`${original}.jsonl`, lines(header("s1", 0), ...copied));
  home.write(`${original}/Scout.jsonl`, lines(...scout));
  home.write(`${fork}.jsonl`, lines(...forked));
  home.write(`${fork}/Scout.jsonl`, lines(...scout));
  await home.pond("sync", "omp", "-q");
  expect(await restoredAll()).toEqual(logsIn(join(home.folder, ".omp/agent")));

  home.write(`${fork}/Scout.jsonl`, lines(...scout, say("c2", "c1", 13, "the walrus waits")));
  await home.pond("sync", "omp", "-q");

  const { stdout } = await home.pond("search", "walrus", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ session_id: "s2:Scout" }] });
  expect(await restoredAll()).toEqual(logsIn(join(home.folder, ".omp/agent")));
  const again = await home.pond("sync", "omp", "--verify", "--json");
  expect(JSON.parse(again.stdout).adapters).toMatchObject([{ messages_added: 0, revisions: 0 }]);
});
