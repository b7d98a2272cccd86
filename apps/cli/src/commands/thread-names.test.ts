import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixtures, Home } from "../testing.ts";

// Two machines with one store.
let here: Home;
let there: Home;
beforeEach(() => {
  here = new Home();
  there = new Home();
});
afterEach(() => {
  here.remove();
  there.remove();
});

const [yarn, warp] = ["a", "b"].map((last) => `019e0000-0000-7000-8000-0000000000f${last}`) as [
  string,
  string,
];
const path = (id: string): string => `sessions/2026/05/04/rollout-2026-05-04T11-00-00-${id}.jsonl`;
const time = (minute: number): string => `2026-05-04T09:${String(minute).padStart(2, "0")}:00.000Z`;
const record = (minute: number, type: string, payload: object): string =>
  `${JSON.stringify({ timestamp: time(minute), type, payload })}\n`;
const said = (minute: number, text: string): string =>
  record(minute, "response_item", {
    ...{ type: "message", role: "user" },
    content: [{ type: "input_text", text }],
  });
const named = (id: string, thread_name: string, minute: number): string =>
  `${JSON.stringify({ id, thread_name, updated_at: time(minute) })}\n`;

function writeThreads(home: Home, folder: string): void {
  for (const id of [yarn, warp]) {
    const header = record(0, "session_meta", { id, timestamp: time(0), cwd: "/home/ada/loom" });
    home.write(join(folder, path(id)), `${header}${said(1, `the first words of ${id}`)}`);
  }
}

const storage = (): string => join(here.folder, ".local/share/pond");

async function pond(home: Home, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await home.pond(...argv, "--storage", storage());
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

/** What a sync of one client did: sessions read again, messages, and what became of stored ones. */
async function sync(home: Home, ...argv: readonly string[]): Promise<readonly number[]> {
  const report = JSON.parse(await pond(home, "sync", "codex", ...argv, "--json"));
  const [{ sessions, messages_added, revisions, tombstones, faults }] = report.adapters;
  expect(faults).toEqual([]);
  return [sessions.new + sessions.grown, messages_added, revisions, tombstones];
}

async function titles(): Promise<Readonly<Record<string, string>>> {
  const listed = (await pond(here, "list", "--json")).trim().split("\n");
  const sessions = listed.map((line) => JSON.parse(line));
  return Object.fromEntries(sessions.map(({ session_id, title }) => [session_id, title]));
}

const nothing = [0, 0, 0, 0];

describe("the name of a Codex thread", () => {
  it("is the session's title, and stores one message when it changes", async () => {
    writeThreads(here, ".codex");
    const log = join(here.folder, ".codex", path(yarn));
    const index = here.write(".codex/session_index.jsonl", named(yarn, "Yarn", 2));
    const done = [await sync(here), await sync(here)];
    appendFileSync(index, named(yarn, "Blue yarn", 3));
    done.push(await sync(here));
    appendFileSync(log, said(4, "More."));
    done.push(await sync(here));
    appendFileSync(index, named("019e0000-0000-7000-8000-00000000000f", "of another home", 5));
    done.push(await sync(here));

    expect(done).toEqual([[2, 5, 0, 0], nothing, [1, 1, 0, 0], [1, 1, 0, 0], nothing]);
    expect(await titles()).toEqual({
      [yarn]: "Blue yarn",
      [warp]: `the first words of ${warp}`,
    });
  });

  it.each([
    ["both of them configured", []],
    ["one of them given with --path", ["--path"]],
  ])("is kept when it is missing in one of two homes, %s", async (_, [flag]) => {
    writeThreads(here, ".codex");
    cpSync(join(here.folder, ".codex"), join(here.folder, "copy"), { recursive: true });
    const index = here.write(".codex/session_index.jsonl", named(yarn, "Yarn", 2));
    const paths = ["~/.codex", "~/copy"];
    here.write(
      ".config/pond/config.toml",
      `[adapters.codex]\npaths = ${JSON.stringify(flag ? ["~/.codex"] : paths)}\n`,
    );
    const round = async (...argv: readonly string[]): Promise<number> => {
      const done = [await sync(here, ...argv)];
      if (flag) done.push(await sync(here, flag, join(here.folder, "copy"), ...argv));
      return done.reduce((sum, [, ...rows]) => sum + rows.reduce((one, next) => one + next), 0);
    };

    const rows = [await round()];
    for (let again = 0; again < 3; again++) rows.push(await round());
    rows.push(await round("--verify"), await round("--verify"));
    expect(rows).toEqual([5, 0, 0, 0, 0, 0]);
    // Each home goes on for itself.
    appendFileSync(join(here.folder, "copy", path(yarn)), said(5, "In the copy."));
    rows.push(await round(), await round());
    appendFileSync(index, named(yarn, "Blue yarn", 6));
    rows.push(await round(), await round());
    appendFileSync(join(here.folder, ".codex", path(yarn)), said(7, "In the home."));
    rows.push(await round(), await round("--verify"), await round("--verify"));
    expect(rows.slice(6)).toEqual([1, 0, 1, 0, 1, 0, 0]);
    // It is not told that anybody took a name back.
    rmSync(index);
    rows.push(await round(), await round("--verify"));
    expect(rows.slice(13)).toEqual([0, 0]);
    expect((await titles())[yarn]).toBe("Blue yarn");
  });

  it("is restored into one file for all threads, which a sync then reads as unchanged", async () => {
    writeThreads(here, ".codex");
    const names = [named(yarn, "Yarn", 2), named(yarn, "Blue", 3), named(warp, "Warp", 1)];
    here.write(".codex/session_index.jsonl", names.join(""));
    await sync(here);
    const out = join(here.folder, "out");

    const printed = await pond(here, "restore", yarn, warp, "--out", out);
    await pond(here, "restore", yarn, warp, "--out", out);

    expect(printed).toContain("Restored 2 sessions in 3 files.");
    const written = readFileSync(join(out, "session_index.jsonl"), "utf8").trimEnd().split("\n");
    expect(written.toSorted()).toEqual(names.map((line) => line.trimEnd()).toSorted());
    expect(written.filter((line) => line.includes(yarn)).at(-1)).toContain("Blue");
    expect((await sync(here, "--path", out)).slice(1)).toEqual([0, 0, 0]);
    expect(await titles()).toEqual({ [yarn]: "Blue", [warp]: "Warp" });
  });

  it.each([
    ["resume", [yarn]],
    ["restore", [yarn, "--install"]],
  ])("is added by %s to the names that the client has, which all stay", async (command, argv) => {
    writeThreads(here, ".codex");
    here.write(".codex/session_index.jsonl", named(yarn, "Yarn", 2));
    await sync(here);
    const other = `${named(warp, "Mine", 9)}{"id":"broken`;
    const index = there.write(".codex/session_index.jsonl", other);

    await pond(there, command, ...argv);
    expect(readFileSync(index, "utf8")).toBe(`${other}\n${named(yarn, "Yarn", 2)}`);
    expect(existsSync(join(there.folder, ".codex", path(yarn)))).toBe(true);

    // Whether it is there is a question of the thread: no name is forced on it.
    writeFileSync(index, other);
    const again = await there.pond("resume", yarn, "--json", "--storage", storage());
    expect(JSON.parse(again.stdout)).toMatchObject({ written: false, outdated: false });
    expect(readFileSync(index, "utf8")).toBe(other);
    expect(JSON.parse(await pond(there, "resume", yarn, "--force", "--json")).files).toEqual([
      join(there.folder, ".codex", path(yarn)),
    ]);
    expect(readFileSync(index, "utf8")).toBe(`${other}\n${named(yarn, "Yarn", 2)}`);
  });

  it.each([
    ["resume", [yarn]],
    ["restore", [yarn, "--install"]],
  ])("is changed by %s on an existing thread only with --force", async (command, argv) => {
    writeThreads(here, ".codex");
    here.write(".codex/session_index.jsonl", named(yarn, "Yarn", 2));
    await sync(here);
    await pond(there, "resume", yarn);
    // Named anew on another machine since then.
    appendFileSync(join(here.folder, ".codex/session_index.jsonl"), named(yarn, "Blue yarn", 6));
    await sync(here);
    const index = join(there.folder, ".codex/session_index.jsonl");

    await pond(there, command, ...argv);
    expect(readFileSync(index, "utf8")).toBe(named(yarn, "Yarn", 2));

    await pond(there, command, ...argv, "--force");
    expect(readFileSync(index, "utf8")).toBe(named(yarn, "Yarn", 2) + named(yarn, "Blue yarn", 6));
  });

  it("is not changed by resume on a copy for Codex that stays as it is", async () => {
    cpSync(join(fixtures, "claude-code/metadata/input"), join(here.folder, ".claude"), {
      recursive: true,
    });
    await pond(here, "sync", "claude-code");
    const [id = ""] = Object.keys(await titles());
    await pond(here, "resume", id, "--to", "codex");
    const index = join(here.folder, ".codex/session_index.jsonl");
    const { id: thread } = JSON.parse(readFileSync(index, "utf8"));
    writeFileSync(index, named(thread, "Mine", 9));

    const again = JSON.parse(await pond(here, "resume", id, "--to", "codex", "--json"));

    expect(again.written).toBe(false);
    expect(readFileSync(index, "utf8")).toBe(named(thread, "Mine", 9));
  });

  it("is restored with the base of a fork when the base is missing", async () => {
    const [base, fork] = ["0", "2"].map((last) => `019e0000-0000-7000-8000-00000000003${last}`);
    if (base === undefined || fork === undefined) throw new Error("no ids");
    cpSync(join(fixtures, "codex/paginated/input"), join(here.folder, ".codex"), {
      recursive: true,
    });
    const index = here.write(".codex/session_index.jsonl", named(base, "Yarn", 2));
    await sync(here);
    const other = named(warp, "Mine", 9);
    writeFileSync(index, other);

    const there = JSON.parse((await here.pond("resume", fork, "--json")).stdout);
    expect([there.written, readFileSync(index, "utf8")]).toEqual([false, other]);
    rmSync(join(here.folder, ".codex/sessions/2026/05/04"), { recursive: true });
    const back = JSON.parse((await here.pond("resume", fork, "--json")).stdout);
    expect([back.written, readFileSync(index, "utf8")]).toEqual([
      true,
      `${other}${named(base, "Yarn", 2)}`,
    ]);
    rmSync(index);
    const gone = JSON.parse((await here.pond("resume", fork, "--json")).stdout);
    expect([gone.written, existsSync(index)]).toEqual([false, false]);
  });

  it.each([
    ["resume", [yarn]],
    ["restore", [yarn, "--install"]],
  ])("is not changed by %s on an existing fork, which stays as it is", async (command, argv) => {
    const meta = { timestamp: time(0), cwd: "/home/ada/loom" };
    const fork = record(0, "session_meta", { id: warp, ...meta, forked_from_id: yarn });
    writeThreads(here, ".codex");
    here.write(join(".codex", path(warp)), `${fork}${said(1, "hello")}`);
    here.write(".codex/session_index.jsonl", named(warp, "A", 2) + named(warp, "B", 5));
    await sync(here);
    const log = there.write(join(".codex", path(warp)), `${fork}${said(1, "hello")}`);
    const names = named(warp, "A", 2) + named(warp, "Mine", 9);
    const index = there.write(".codex/session_index.jsonl", names);

    const report = await pond(there, command, ...argv, "--json");

    expect(JSON.stringify(JSON.parse(report).left_as_is)).toContain(log);
    expect(existsSync(join(there.folder, ".codex", path(yarn)))).toBe(true);
    expect(readFileSync(index, "utf8")).toBe(names);
  });

  it.each([
    ["resume", [yarn]],
    ["restore", [yarn, "--install"]],
  ])(
    "is left out by %s, without an error, when the file of names is a link",
    async (command, argv) => {
      writeThreads(here, ".codex");
      here.write(".codex/session_index.jsonl", named(yarn, "Yarn", 2));
      await sync(here);
      const linked = there.write("linked", "");
      mkdirSync(join(there.folder, ".codex"));
      symlinkSync(linked, join(there.folder, ".codex/session_index.jsonl"));

      await pond(there, command, ...argv);

      expect(existsSync(join(there.folder, ".codex", path(yarn)))).toBe(true);
      expect(readFileSync(linked, "utf8")).toBe("");
    },
  );
});
