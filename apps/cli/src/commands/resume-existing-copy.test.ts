import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

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

const at = "2026-11-20T09:00:00.000Z";
const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

async function resume(home: Home, ...argv: readonly string[]) {
  const storage = join(here.folder, ".local/share/pond");
  const { stdout, stderr } = await home.pond("resume", ...argv, "--json", "--storage", storage);
  return { ...JSON.parse(stdout), stderr };
}

describe("pond resume when the client has an older state of the session", () => {
  const id = "01a70000-0000-7000-8000-000000000001";
  const path = `.omp/agent/sessions/-w/2026-11-20T09-00-00-000Z_${id}.jsonl`;
  const titled = (title: string) => ({ type: "title", v: 1, title, source: "auto", updatedAt: at });
  const head = { type: "session", version: 3, id, timestamp: at, cwd: "/w" };
  const said = (id: string, parentId: string | null, content: string) => {
    return { type: "message", id, parentId, timestamp: at, message: { role: "user", content } };
  };
  const one = said("aaaaaaaa", null, "one");
  const two = said("bbbbbbbb", "aaaaaaaa", "two");
  const three = said("cccccccc", "aaaaaaaa", "three");

  it.each([
    ["new turns", [titled("First"), head, one], [titled("First"), head, one, two]],
    [
      "new turns when the beginning has changed too",
      [titled("First"), head, one],
      [titled("New"), head, one, two],
    ],
  ])("adds %s, unless somebody continued the copy", async (_, before, after) => {
    const log = here.write(path, lines(...before));
    const copy = join(there.folder, path);
    await here.pond("sync", "-q");
    const first = await resume(there, id);
    const again = await resume(there, id);
    writeFileSync(log, lines(...after));
    await here.pond("sync", "-q");

    const grown = await resume(there, id);
    const copied = readFileSync(copy, "utf8");
    appendFileSync(copy, lines(three));
    appendFileSync(log, lines(said("dddddddd", "bbbbbbbb", "four")));
    await here.pond("sync", "-q");
    const goneOn = await resume(there, id);

    const facts = [first, again, grown, goneOn].map(({ written, outdated }) => [written, outdated]);
    expect(facts).toEqual([
      [true, false],
      [false, false],
      [true, false],
      [false, true],
    ]);
    expect(copied).toBe(lines(...after));
    expect(readFileSync(copy, "utf8")).toBe(copied + lines(three));
    expect(goneOn.stderr).toContain("may lack what came later in the session");
  });

  it("does not write through a link, and reports the file behind it as outdated", async () => {
    const log = here.write(path, lines(titled("First"), head, one, two));
    await here.pond("sync", "-q");
    const elsewhere = join(there.folder, "elsewhere.jsonl");
    renameSync(log, elsewhere);
    symlinkSync(elsewhere, log);
    const before = lines(titled("First"), head, one);
    writeFileSync(log, before);

    const { written, outdated } = await resume(here, id);

    expect([written, outdated, readFileSync(log, "utf8")]).toEqual([false, true, before]);
  });

  it("reports a file that lacks nothing as up to date, however it is formatted", async () => {
    const log = here.write(path, lines(titled("First"), head, one));
    await here.pond("sync", "-q");
    const rewritten = lines(titled("Newer"), head, one, two).replaceAll(/"(?=[:,])/g, `" `);
    writeFileSync(log, rewritten);

    const { written, outdated } = await resume(here, id);

    expect([written, outdated, readFileSync(log, "utf8")]).toEqual([false, false, rewritten]);
  });

  it("ends an unfinished last line, because omp would write its next line right behind it", async () => {
    const log = here.write(path, lines(head, one, two).slice(0, -1));
    await here.pond("sync", "-q");

    const { written, outdated } = await resume(here, id);

    expect([written, outdated, readFileSync(log, "utf8")]).toEqual([
      true,
      false,
      lines(head, one, two),
    ]);
  });

  it("leaves a log alone whose id a session of another client has, too", async () => {
    const log = here.write(path, lines(head, one, two).replaceAll(/"(?=[:,])/g, `" `));
    here.write(path.replace(".omp", ".pi"), lines(head, one, two));
    await here.pond("sync", "pi", "-q");
    await here.pond("sync", "-q");
    const before = readFileSync(log, "utf8");

    const report = await resume(here, `omp:${id}`);

    expect([report.written, report.outdated]).toEqual([false, false]);
    expect(readFileSync(log, "utf8")).toBe(before);
  });
});

describe("pond resume of a session whose log omp was told to keep elsewhere", () => {
  const id = "01a70000-0000-7000-8000-000000000002";
  const head = { type: "session", version: 3, id, timestamp: at, cwd: "/w" };
  const message = { role: "user", content: "one" };
  const one = { type: "message", id: "aa000001", parentId: null, timestamp: at, message };
  const two = { ...one, id: "aa000002", parentId: "aa000001" };
  const copy = () => join(here.folder, ".omp/agent/sessions/kept.jsonl");

  function keep(text: string): string {
    const log = here.write("work/kept.jsonl", text);
    here.write(".omp/agent/custom-session-files/note", `${log}\n`);
    return log;
  }

  it("resumes the log there, and makes no second one", async () => {
    const log = keep(lines(head, one));
    await here.pond("sync", "-q");

    const report = await resume(here, id);

    expect(report).toMatchObject({ written: false, outdated: false, files: [log] });
    expect(report.commands).toEqual([["omp", "--resume", log]]);
    expect(existsSync(copy())).toBe(false);
  });

  it("brings the log there up to date when nobody continued it", async () => {
    const log = keep(lines(head, one, two));
    await here.pond("sync", "-q");
    writeFileSync(log, lines(head, one));

    const report = await resume(here, id);

    expect([report.written, readFileSync(log, "utf8")]).toEqual([true, lines(head, one, two)]);
    expect(existsSync(copy())).toBe(false);
  });

  it("resumes the log there although a session of another client has its id, too", async () => {
    here.write(`.pi/agent/sessions/-w/2026-11-20T09-00-00-000Z_${id}.jsonl`, lines(head, one));
    const log = keep(lines(head, one));
    await here.pond("sync", "-q");

    const report = await resume(here, `omp:${id}`);

    expect(report).toMatchObject({ written: false, outdated: false, files: [log] });
    expect(existsSync(copy())).toBe(false);
  });

  const other = lines({ ...head, id: id.replace(/2$/, "3") }, one);
  it.each<[string, string | undefined]>([
    ["holds another session", other],
    ["is gone", undefined],
  ])(
    "writes a log into the home, and nothing elsewhere, when the file there %s",
    async (_, left) => {
      const log = keep(lines(head, one));
      await here.pond("sync", "-q");
      if (left === undefined) rmSync(log);
      else writeFileSync(log, left);

      const { written, files } = await resume(here, id);

      expect([written, files, readFileSync(copy(), "utf8")]).toEqual([
        true,
        [copy()],
        lines(head, one),
      ]);
      expect(existsSync(log) ? readFileSync(log, "utf8") : undefined).toBe(left);
    },
  );
});

describe("pond resume in omp, which has renamed the folder of the project", () => {
  const id = "01a70000-0000-7000-8000-000000000002";
  const head = { type: "session", version: 3, id, timestamp: at, cwd: "/w/loom" };
  const said = (id: string, parentId: string | null, content: string) => {
    return { type: "message", id, parentId, timestamp: at, message: { role: "user", content } };
  };

  it.each([
    ["adds new turns to the copy in the renamed folder", false],
    ["leaves a copy in the renamed folder alone if somebody continued it", true],
  ])("%s", async (_, isGoneOn) => {
    const path = `.pi/agent/sessions/--w-loom--/2026-11-20T09-00-00-000Z_${id}.jsonl`;
    const log = here.write(path, lines(head, said("aaaaaaaa", null, "one")));
    await here.pond("sync", "-q");
    await resume(here, id, "--to", "omp");
    const sessions = join(here.folder, ".omp/agent/sessions");
    renameSync(join(sessions, "--w-loom--"), join(sessions, "-loom"));
    const [name = ""] = globSync("*.jsonl", { cwd: join(sessions, "-loom") });
    const copy = join(sessions, "-loom", name);
    if (isGoneOn) appendFileSync(copy, lines(said("cccccccc", "aaaaaaaa", "three")));
    const before = readFileSync(copy, "utf8");
    appendFileSync(log, lines(said("bbbbbbbb", "aaaaaaaa", "two")));
    await here.pond("sync", "pi", "-q");

    const { written, outdated, files } = await resume(here, id, "--to", "omp");

    expect([written, outdated, files]).toEqual([!isGoneOn, isGoneOn, [copy]]);
    expect(globSync("**/*.jsonl", { cwd: sessions })).toEqual([join("-loom", name)]);
    expect(readFileSync(copy, "utf8").includes("two")).toBe(!isGoneOn);
    expect(readFileSync(copy, "utf8").startsWith(before)).toBe(true);
  });
});

describe("pond resume of a session that Codex archived", () => {
  const id = "019e0000-0000-7000-8000-000000000070";
  const name = `rollout-2026-11-20T09-00-00-${id}.jsonl`;
  const path = `.codex/sessions/2026/11/20/${name}`;
  const record = (type: string, payload: unknown) => ({ timestamp: at, type, payload });
  const turn = (text: string) => {
    const content = [{ type: "input_text", text }];
    return record("response_item", { type: "message", role: "user", content });
  };
  const meta = record("session_meta", { id, timestamp: at, cwd: "/w", cli_version: "0.169.0" });

  it.each(["before it was stored", "since"])(
    "uses the archived file, which Codex archived %s",
    async (when) => {
      const log = here.write(path, lines(meta, turn("one")));
      if (when === "since") await here.pond("sync", "-q");
      const archived = join(here.folder, ".codex/archived_sessions", name);
      mkdirSync(dirname(archived));
      renameSync(log, archived);
      if (when !== "since") await here.pond("sync", "-q");
      appendFileSync(archived, lines(turn("two")));
      const before = readFileSync(archived, "utf8");

      const report = await resume(here, id);
      const installed = await here.pond("restore", id, "--install");

      expect(report).toMatchObject({
        written: false,
        outdated: false,
        files: [archived],
        commands: [
          ["codex", "unarchive", id],
          ["codex", "resume", id],
        ],
      });
      expect([installed.code, installed.stderr]).toEqual([1, expect.stringContaining(archived)]);
      expect([existsSync(log), readFileSync(archived, "utf8")]).toEqual([false, before]);
    },
  );
});

it("pond resume finds a thread that Codex reverted to be complete in the client's own files", async () => {
  const fixture = fileURLToPath(
    new URL("../../../../fixtures/codex/reverted/input", import.meta.url),
  );
  cpSync(fixture, join(here.folder, ".codex"), { recursive: true });
  for (const file of globSync(join(here.folder, ".codex/sessions/**/*.jsonl"))) {
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"(?=[:,])/g, `" `));
  }
  await here.pond("sync", "-q");

  const { written, outdated } = await resume(here, "019e0000-0000-7000-8000-000000000070");

  expect([written, outdated]).toEqual([false, false]);
});

describe("pond resume of a session that opencode has", () => {
  const id = "ses_df98287ceffev8hA37eNxLhsFs";
  const time = { created: Date.parse(at), updated: Date.parse(at) };
  const info = { id, projectID: "global", directory: "/w", title: "t", version: "1.18.33", time };

  /** A prompt as the client exports it. */
  const turn = (id: string, text: string, sessionID: string = info.id) => ({
    info: { id: `msg_${id}`, sessionID, role: "user", time: { created: time.created } },
    parts: [{ id: `prt_${id}`, sessionID, messageID: `msg_${id}`, type: "text", text }],
  });
  type Exported = {
    readonly info: typeof info;
    readonly messages: readonly ReturnType<typeof turn>[];
  };

  function database(home: Home): DatabaseSync {
    const file = join(home.folder, ".local/share/opencode/opencode.db");
    mkdirSync(dirname(file), { recursive: true });
    const opened = new DatabaseSync(file);
    const times = "time_created integer, time_updated integer";
    opened.exec(`
      CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, project_id, directory, title, version, ${times});
      CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, ${times}, data text);
      CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text, ${times}, data text)`);
    return opened;
  }

  /** As the client's import: it adds what it has no id of. */
  function add(home: Home, { info, messages }: Exported): void {
    const opened = database(home);
    const { created, updated } = info.time;
    const put = (table: string, ...values: readonly (string | number)[]) => {
      const places = values.map(() => "?").join();
      opened.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${places})`).run(...values);
    };
    put("session", info.id, "global", info.directory, info.title, info.version, created, updated);
    for (const { info: message, parts } of messages) {
      const { id, sessionID, ...data } = message;
      put("message", id, sessionID, created, created, JSON.stringify(data));
      for (const { id, sessionID, messageID, ...data } of parts) {
        put("part", id, messageID, sessionID, created, created, JSON.stringify(data));
      }
    }
    opened.close();
  }

  /** Runs the imports that were named, and says whether there were any. */
  function takeIn(home: Home, { commands }: { commands: readonly (readonly string[])[] }): boolean {
    const files = commands.flatMap(([, word, file]) => (word === "import" && file ? [file] : []));
    for (const file of files) add(home, JSON.parse(readFileSync(file, "utf8")));
    return files.length > 0;
  }

  function remove(home: Home, message: string): void {
    const opened = database(home);
    opened.prepare("DELETE FROM part WHERE message_id = ?").run(message);
    opened.prepare("DELETE FROM message WHERE id = ?").run(message);
    opened.close();
  }

  function textsIn(home: Home): string[] {
    const opened = database(home);
    const rows = opened.prepare("SELECT data FROM part ORDER BY id").all();
    opened.close();
    return rows.map(({ data }) => JSON.parse(String(data)).text);
  }

  it.each([
    ["also when a sync has seen the deletion", false],
    ["also when no sync has seen the deletion yet", true],
  ])("does not bring back a message that was deleted in opencode, %s", async (_, isAhead) => {
    add(here, { info, messages: [turn("1", "one"), turn("2", "two")] });
    await here.pond("sync", "-q");
    remove(here, "msg_2");
    add(here, { info, messages: [turn("3", "three")] });
    if (!isAhead) await here.pond("sync", "-q");

    const report = await resume(here, id);

    const imports = takeIn(here, report);
    expect([report.written, report.outdated, imports]).toEqual([false, isAhead, false]);
    expect(report.files).toEqual([]);
    expect(textsIn(here)).toEqual(["one", "three"]);
  });

  it("gives opencode on another machine the new messages until somebody continues there", async () => {
    add(here, { info, messages: [turn("1", "one")] });
    await here.pond("sync", "-q");
    const steps: unknown[] = [];
    const step = async () => {
      const report = await resume(there, id);
      steps.push([
        report.written,
        report.outdated,
        takeIn(there, report),
        textsIn(there).join(" "),
      ]);
    };

    await step();
    await step();
    add(here, { info, messages: [turn("2", "two")] });
    await here.pond("sync", "-q");
    await step();
    add(there, { info, messages: [turn("3", "three")] });
    add(here, { info, messages: [turn("4", "four")] });
    await here.pond("sync", "-q");
    await step();

    expect(steps).toEqual([
      [true, false, true, "one"],
      [false, false, false, "one"],
      [true, false, true, "one two"],
      [false, true, false, "one two three"],
    ]);
  });

  it("names what opencode refuses, such as a prompt without an agent", async () => {
    add(here, { info, messages: [turn("1", "one")] });
    await here.pond("sync", "-q");

    const { refused, stderr } = await resume(there, id);

    const stop = `pond/${id}.json: export.messages[0].info.agent is not a string`;
    expect(refused).toEqual([
      stop,
      stop.replace("agent is not a string", "model is not an object"),
    ]);
    expect(stderr).toContain(`opencode refuses part of this session: ${stop}, and 1 more`);
  });

  it("leaves a copy alone that somebody continued, unless --force is given", async () => {
    const session = "5e551000-0000-4000-8000-000000000001";
    const log = here.writeSession(session, line(session, "u1", "one"));
    await here.pond("sync", "-q");
    const first = await resume(here, session, "--to", "opencode");
    takeIn(here, first);
    const copy: Exported = JSON.parse(readFileSync(first.files[0], "utf8"));
    add(here, { ...copy, messages: [turn("9", "in opencode", copy.info.id)] });
    appendFileSync(log, `${line(session, "u2", "two", { parentUuid: "u1" })}\n`);
    await here.pond("sync", "-q");

    const grown = await resume(here, session, "--to", "opencode");

    const texts = () => textsIn(here).toSorted();
    expect([grown.written, grown.outdated, takeIn(here, grown)]).toEqual([false, true, false]);
    expect(texts()).toEqual(["in opencode", "one"]);
    const forced = await resume(here, session, "--to", "opencode", "--force");
    expect([forced.written, takeIn(here, forced)]).toEqual([true, true]);
    expect(texts()).toEqual(["in opencode", "one", "two"]);
  });
});

it("pond resume finds two sessions with the same id in different projects, each complete in its file", async () => {
  const id = "5e551000-0000-4000-8000-000000000001";
  const row = (cwd: string, minute: string): string =>
    line(id, `u${minute}`, `in ${cwd}`, { cwd, timestamp: `2026-11-20T09:${minute}:00.000Z` });
  // Not as a restore would write it.
  const spaced = (text: string): string => `${text.replace('"type":', '"type": ')}\n`;
  here.write(`.claude/projects/-blog/${id}.jsonl`, spaced(row("/blog", "02")));
  here.write(`.claude/projects/-shop/${id}.jsonl`, spaced(row("/shop", "01")));
  await here.pond("sync", "-q");
  const { stdout } = await here.pond("list", "--json");
  const ids = stdout.split("\n").flatMap((text) => (text ? [JSON.parse(text).session_id] : []));

  const resumed = [await resume(here, ids[0]), await resume(here, ids[1])];

  expect(ids.map((each) => each.replace(id, ""))).toEqual(["", "claude-code:1795165260000000:"]);
  expect(resumed.map(({ written, outdated }) => [written, outdated])).toEqual([
    [false, false],
    [false, false],
  ]);
});
