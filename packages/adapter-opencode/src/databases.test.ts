import { existsSync, globSync, lstatSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  findSessions,
  lineagesOf,
  readAll,
  readSource,
  restoredFiles,
  sessionTexts,
  withFolder,
} from "@pond/adapter-testkit";
import { type JsonValue, parseJson } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  joined,
  messageRow,
  openAgain,
  partRow,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";
import { Database } from "./stores/database.ts";
import { opencodeWriter } from "./to-opencode.ts";

const id = "ses_loom";
const user = messageRow(id, "msg_1", 0, {
  role: "user",
  agent: "build",
  model: { providerID: "weaver", modelID: "shuttle-3" },
  id: "msg_other",
});
const answer = messageRow(id, "msg_2", 5, {
  role: "assistant",
  cost: 0.1,
  time: { created: start + 4, completed: start + 9 },
});

const first: Tables = {
  project: [
    {
      id: "global",
      worktree: "/",
      time_created: start,
      time_updated: start,
      sandboxes: [],
    },
  ],
  session: [
    sessionRow(id, {
      parent_id: "ses_above",
      workspace_id: "wrk_1",
      path: "",
      share_url: "https://example.com/s",
      summary_additions: 3,
      summary_files: 1,
      summary_diffs: [{ file: "heddle.txt", additions: 3, deletions: 0 }],
      metadata: { big: 1 },
      cost: 0.25,
      tokens_input: 9007199254740993n,
      tokens_cache_read: 7,
      revert: { messageID: "msg_2" },
      permission: "not JSON",
      agent: "build",
      model: { id: "shuttle-3", providerID: "weaver" },
      time_archived: start + 50,
    }),
    sessionRow("ses_empty"),
  ],
  message: [user, { ...answer, time_updated: start + 77 }],
  part: [
    partRow(user, "prt_1", { type: "text", text: "Why?", messageID: "msg_other" }),
    partRow(answer, "prt_3", { type: "step-start" }),
    partRow(answer, "prt_2", {
      type: "tool",
      callID: "call_1",
      tool: "bash",
      state: { status: "error", input: { n: 1 }, error: "no", time: { start, end: start } },
    }),
    partRow(answer, "prt_4", { type: "film", reel: 2 }),
  ],
  todo: [
    {
      session_id: id,
      content: "straighten",
      status: "pending",
      priority: "high",
      position: 0,
      time_created: start,
      time_updated: start + 1,
    },
  ],
};

const row2 = (seq: number, type: string, data: object) => ({
  id: `msg_v${seq}`,
  session_id: id,
  type,
  seq,
  time_created: start + seq,
  time_updated: start + seq,
  data: { time: { created: start + seq }, ...data },
});
const second: Tables = {
  session_v2: [
    sessionRow(id, {
      fork_session_id: "ses_above",
      fork_boundary: { type: "through", messageID: "msg_cut" },
      idle_outcome: "succeeded",
      time_idle: start + 3,
      resume_attempts: 2,
    }),
  ],
  session_message: [
    row2(1, "user", { text: "Why?" }),
    row2(2, "assistant", { content: [{ type: "text", text: "Bent." }] }),
    row2(3, "idle", { outcome: "succeeded" }),
  ],
};

describe.each<[string, Tables]>([
  ["1.x", first],
  ["2.x", second],
  ["both, for a session that began in 1.x", joined(first, second)],
])("a database of %s", (name, tables) => {
  it("is restored row by row, with every column (`adapter-native-restore-lossless`)", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), tables);

    expect(await restoredRows(home)).toEqual(rowsOf(join(home, "opencode.db")));
  });

  it("is restored by default as exports that hold every column too", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), tables);
    const events = (await readAll(fromOpencode(home), id)).filter(({ kind }) => kind !== "pending");

    const files = [
      ...opencodeWriter().writeNative({ root: contentOf(events), descendants: [] }),
    ].map(({ path, content }) => [path, parseJson(Array.from(content).join(""))]);

    await expect(JSON.stringify(files, null, 2)).toMatchFileSnapshot(
      `__snapshots__/export-of-${name.slice(0, 3)}.txt`,
    );
  });

  it("gives the same sessions when those exports are read: same ids, same rows", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), tables);
    const contents = [...(await readSource(fromOpencode(home))).values()].map(contentOf);

    const exports = lineagesOf(contents).flatMap((lineage) => [
      ...opencodeWriter().writeNative(lineage),
    ]);
    const again = await withFolder(restoredFiles(exports), (folder) =>
      sessionTexts(fromOpencode(folder)),
    );

    expect(again).toEqual(await sessionTexts(fromOpencode(home)));
  });
});

it("invents no title for an untitled session of 2.x on restore", async () => {
  const home = createHome();
  const untitled = sessionRow(id, { title: null });
  writeDatabase(join(home, "opencode.db"), { ...second, session_v2: [untitled] });

  expect(await restoredRows(home)).toEqual(rowsOf(join(home, "opencode.db")));
});

it("reads the parent and the cut-point of a fork of 2.x", async () => {
  const home = createHome();
  writeDatabase(join(home, "opencode.db"), second);

  const { session } = contentOf(await readAll(fromOpencode(home), id));

  expect([session.parent_session_id, session.parent_message_id, session.options]).toEqual([
    "ses_above",
    "msg_cut",
    { source: { relation: "fork" } },
  ]);
});

it("reports messages whose session is gone, and rows that hold no JSON", async () => {
  const home = createHome();
  const broken = { ...messageRow("ses_b", "msg_b0", 0, {}), data: "{half" };
  writeDatabase(
    join(home, "opencode.db"),
    joined(
      { session: [sessionRow("ses_b")], message: [broken], part: [] },
      exchange("ses_b", 10, "b"),
      exchange("ses_gone", 0, "g"),
    ),
  );
  const reader = fromOpencode(home);

  const { sessions, faults } = await findSessions(reader);
  const events = await readAll(reader, "ses_b");

  expect(sessions.map(({ key }) => key)).toEqual(["ses_b"]);
  expect(faults.map(({ details }) => details.reason)).toEqual([
    "messages of a session that is gone",
  ]);
  const reasons = events.flatMap((event) => (event.kind === "fault" ? [event.fault.message] : []));
  expect(reasons).toEqual([`opencode: ${home}/opencode.db:message msg_b0: data is no JSON object`]);
  expect(contentOf(events).messages.map(({ id }) => id)).toEqual([
    "ses_b#info",
    "msg_b1",
    "msg_b2",
  ]);
});

it("orders parts by time if their ids straddle the day on which ids start over", async () => {
  const home = createHome();
  const late = messageRow("ses_w", "msg_w", 0, { role: "user" });
  const part = (id: string, at: number) => ({
    ...partRow(late, id, { type: "text", text: id }),
    time_created: start + at,
  });
  writeDatabase(join(home, "opencode.db"), {
    session: [sessionRow("ses_w")],
    message: [late],
    part: [part("prt_000000000001", 9), part("prt_fffffffff001", 1), part("prt_fffffffff002", 2)],
  });

  const { messages } = contentOf(await readAll(fromOpencode(home), "ses_w"));

  const [, message] = messages;
  expect(message?.role === "user" && message.content.map(({ id }) => id)).toEqual([
    "prt_fffffffff001",
    "prt_fffffffff002",
    "prt_000000000001",
  ]);
});

it("reports a file that is no database", async () => {
  const home = createHome({ "opencode.db": "this is a text" });

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect(sessions).toEqual([]);
  expect(faults.map(({ message }) => message)).toEqual([
    `opencode: ${home}/opencode.db:file: cannot be read (file is not a database)`,
  ]);
});

const openFiles = "/proc/self/fd";
if (!existsSync(openFiles)) console.log(`skipped: no ${openFiles} that tells what is open`);

it.skipIf(!existsSync(openFiles))("closes a file that turns out to be no database", async () => {
  const home = createHome({ "opencode.db": "this is a text" });

  await findSessions(fromOpencode(home));

  const open = readdirSync(openFiles).flatMap((name) => {
    const link = join(openFiles, name);
    // The listing itself was one of them.
    return lstatSync(link, { throwIfNoEntry: false }) ? [readlinkSync(link)] : [];
  });
  expect(open.filter((file) => file.startsWith(home))).toEqual([]);
});

const corpus =
  process.env["POND_CORPUS"] ??
  fileURLToPath(new URL("../../../../shared/corpus", import.meta.url));
const isThere = existsSync(join(corpus, "_fixtures/opencode"));
if (!isThere) console.log(`skipped: no databases of others at ${corpus} (set POND_CORPUS)`);

it.skipIf(!isThere)("restores real databases of the corpus row by row", async () => {
  const root = join(corpus, "_fixtures/opencode");

  const databases = globSync("**/*.db", { cwd: root });

  expect(databases.length).toBeGreaterThan(0);
  for (const path of databases) {
    expect(await restoredRows(join(root, path))).toEqual(rowsOf(join(root, path)));
  }
});

/** The rows of everything that is read at a path, after a restore as databases. */
async function restoredRows(path: string): Promise<Rows> {
  const reader = fromOpencode(path);
  const { sessions, faults } = await findSessions(reader);
  expect(faults).toEqual([]);
  const rows: Record<string, Readonly<Record<string, JsonValue>>> = {};
  for (const { key } of sessions) {
    const root = contentOf(await readAll(reader, key));
    const writer = opencodeWriter({ generation: "database" });
    for (const { content } of writer.writeNative({ root, descendants: [] })) {
      const file = join(createHome(), "restored.db");
      for (const bytes of content) writeFileSync(file, bytes);
      Object.assign(rows, rowsOf(file));
    }
  }
  return rows;
}

type Rows = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>;

/** Every row that belongs to a session, JSON by its value and defaults left out. */
function rowsOf(file: string): Rows {
  const database = new Database(file);
  const rows: Record<string, Readonly<Record<string, JsonValue>>> = {};
  for (const table of ["session", "message", "part", "todo", "session_v2", "session_message"]) {
    if (!database.has(table)) continue;
    for (const row of database.rows(`SELECT * FROM ${table}`)) {
      const name = `${table} ${row["id"] ?? row["position"]}`;
      rows[name] = Object.fromEntries(
        Object.entries(row)
          .filter(([column, value]) => !(isDefaulted.test(column) && value === 0))
          .map(([column, value]) => [column, plain(value)]),
      );
    }
  }
  database.close();
  return rows;
}

const isDefaulted = /^(?:cost|tokens_\w+|resume_attempts)$/;

function plain(value: JsonValue): JsonValue {
  const isJson = typeof value === "string" && /^[[{]/.test(value) && !value.startsWith("{half");
  return isJson ? parseJson(value) : value;
}

it.each([
  ["whose messages have other columns", "CREATE TABLE messages (id TEXT PRIMARY KEY, body TEXT)"],
  [
    "with a `session` table of its own",
    "CREATE TABLE messages (id TEXT PRIMARY KEY, parts TEXT); CREATE TABLE session (id TEXT)",
  ],
])("does not take a database %s for the older program's", async (_, sql) => {
  const folder = createHome();
  const other = openAgain(join(folder, "opencode.db"));
  other.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY); ${sql}`);
  other.close();

  expect((await findSessions(fromOpencode(folder))).faults).toEqual([]);
});

it("reports a database of the older program of the same name, and reads the database beside it", async () => {
  const folder = createHome();
  const older = openAgain(join(folder, "opencode.db"));
  older.exec(`
    CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, created_at INTEGER);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT);
    INSERT INTO sessions VALUES ('s1', 'Loom', 1);
    INSERT INTO messages VALUES ('m1', 's1', 'user', '[]');
  `);
  older.close();
  writeDatabase(join(folder, "opencode-dev.db"), first);

  const listed = await Array.fromAsync(fromOpencode(folder).sessions());

  expect(listed.flatMap((each) => (each.kind === "source" ? each.key : []))).toEqual([
    id,
    "ses_empty",
  ]);
  // Nobody has to do something about it, and it tells nothing of whether all else was listed.
  expect(listed.filter(({ kind }) => kind === "fault")).toMatchObject([
    {
      fault: {
        message: expect.stringMatching(
          /opencode\.db.*of the older program of this name.*not ingested/,
        ),
      },
      isLeftover: true,
    },
  ]);
});
