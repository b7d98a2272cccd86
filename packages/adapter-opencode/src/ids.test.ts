import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { contentOf, findSessions } from "@pond/adapter-testkit";
import { type ReadEvent, recordCountOf } from "@pond/canonical";
import { RecordCount } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  insert,
  joined,
  messageRow,
  openAgain,
  openDatabase,
  partRow,
  sessionRow,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";
import { tables } from "./native/tables.ts";

const first = joined({ session: [sessionRow("ses_a")] }, exchange("ses_a"));
const { id: _, time_updated, ...message } = messageRow("ses_a", "", 0, { text: "Why?" });
const second: Tables = {
  session_v2: [sessionRow("ses_a")],
  session_message: [{ ...message, time_updated, id: "msg_v1", type: "user", seq: 1 }],
};

/** What SQLite stores at an id that comes back as another text, or as none. */
const unreadable: readonly (readonly [string, readonly string[]])[] = [
  ["is not UTF-8", ["CAST(x'73ff61' AS TEXT)"]],
  ["ends in a lone surrogate", ["CAST(x'736573eda0bd' AS TEXT)"]],
  [
    "decodes to the same text as another id",
    ["CAST(x'73f09f9861' AS TEXT)", "CAST(x'73f09f9961' AS TEXT)"],
  ],
  ["is a blob", ["x'7365735f62'"]],
  ["is a blob with the bytes of another session's id", ["x'7365735f61'"]],
  ["is NULL", ["NULL", "NULL"]],
];

describe.each<[string, Tables, string, string]>([
  ["1.x", first, "session", "message"],
  ["2.x", second, "session_v2", "session_message"],
])("ids in tables of %s", (_version, tables, sessions, messages) => {
  it.each(unreadable)(
    "reports every session whose id %s, and loses no other session",
    async (_name, ids) => {
      const { home, client } = open(tables);
      client.exec(`CREATE TEMP TABLE one AS SELECT * FROM ${sessions}`);
      for (const id of ids) {
        client.exec(`UPDATE one SET id = ${id}; INSERT INTO ${sessions} SELECT * FROM one`);
      }
      const before = await findSessions(fromOpencode(open(tables).home));

      const listed = await findSessions(fromOpencode(home));

      expect(listed.sessions).toEqual(before.sessions);
      expect(listed.faults.map(({ details }) => details.reason)).toEqual(
        ids.map((id) =>
          id === "NULL" ? "a session without an id" : "an id that no client gives: not ingested",
        ),
      );
    },
  );

  it.each(unreadable)("reports messages of a session whose id %s", async (_name, ids) => {
    const { home, client } = open(tables);
    client.exec(`CREATE TEMP TABLE one AS SELECT * FROM ${messages} LIMIT 1`);
    for (const [index, id] of ids.entries()) {
      client.exec(`UPDATE one SET id = 'msg_o${index}', session_id = coalesce(${id}, session_id)`);
      client.exec(`INSERT INTO ${messages} SELECT * FROM one`);
    }

    const { sessions: found, faults } = await findSessions(fromOpencode(home));

    expect(found.map(({ key }) => key)).toEqual(["ses_a"]);
    const isNull = ids.includes("NULL");
    expect(faults.map(({ details }) => details.reason)).toEqual(
      isNull ? [] : ["messages of a session with an id that no client gives: not ingested"],
    );
  });

  it.each(unreadable)("accounts for every message whose id %s", async (_name, ids) => {
    const { home, client } = open(tables);
    client.exec(`CREATE TEMP TABLE one AS SELECT * FROM ${messages} LIMIT 1`);
    for (const id of ids) {
      client.exec(`UPDATE one SET id = ${id}; INSERT INTO ${messages} SELECT * FROM one`);
    }
    const before = await read(open(tables).home);

    const after = await read(home);

    expect(after.accounted).toBe(before.accounted + ids.length);
    expect(after.read).toBe(after.accounted);
  });
});

it("reports a message whose id is not UTF-8 together with its parts", async () => {
  const { home, client } = open(first);
  const broken = messageRow("ses_a", "msg_broken", 9, { role: "user" });
  insert(client, "message", broken);
  insert(client, "part", partRow(broken, "prt_b1", { type: "text", text: "one" }));
  insert(client, "part", partRow(broken, "prt_b2", { type: "text", text: "two" }));
  const id = "CAST(x'6d7367ff' AS TEXT)";
  client.exec(`UPDATE message SET id = ${id} WHERE id = 'msg_broken'`);
  client.exec(`UPDATE part SET message_id = ${id} WHERE message_id = 'msg_broken'`);

  const { faults, accounted, read: all } = await read(home);

  expect(faults).toEqual([
    [3, `opencode: ${home}/opencode.db:message msg\ufffd: bytes that are no text in id`],
  ]);
  expect([accounted, all]).toEqual([8, 8]);
});

it.each([
  ["a prompt", "message", "data", `CAST(replace(CAST(data AS BLOB), 'role', x'ff') AS TEXT)`],
  ["a part", "part", "data", `CAST(replace(CAST(data AS BLOB), 'loom', x'ff') AS TEXT)`],
])(
  "reports %s whose text is not UTF-8, and keeps no altered text",
  async (_name, table, column, value) => {
    const { home, client } = open(first);
    client.exec(`UPDATE ${table} SET ${column} = ${value} WHERE id LIKE '%a1'`);

    const { faults, accounted, read: all } = await read(home);

    expect(faults.map(([, text]) => text)).toEqual([
      expect.stringMatching(/a1: bytes that are no text in data$/),
    ]);
    expect(accounted).toBe(all);
  },
);

it("reports invalid text in a session's title and to-dos, and keeps the rest", async () => {
  const { home, client } = open(first);
  const half = "CAST(x'4c6f6f6deda0bd' AS TEXT)";
  client.exec(`UPDATE session SET title = ${half}`);
  client.exec(`INSERT INTO todo VALUES ('ses_a', ${half}, 'pending', 'high', 0, 1, 1)`);

  const { faults, events, accounted, read: all } = await read(home);

  const file = join(home, "opencode.db");
  expect(faults).toEqual([
    [0, `opencode: ${file}:session ses_a: bytes that are no text in title`],
    [0, `opencode: ${file}:todo ses_a: bytes that are no text in content`],
  ]);
  expect(accounted).toBe(all);
  expect(contentOf(events).messages.map((each) => each.id)).toEqual([
    "ses_a#info",
    "msg_a1",
    "msg_a2",
    "ses_a#todo",
  ]);
});

it("keeps a replacement character that the client itself wrote, without a fault", async () => {
  const { home, client } = open(first);
  client.exec("UPDATE session SET title = char(65533)");
  client.exec("UPDATE part SET data = replace(data, 'loom', char(65533))");

  const { faults, events } = await read(home);

  expect(faults).toEqual([]);
  const texts = contentOf(events).messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.map((part) => part.type === "text" && part.text),
  );
  expect(texts).toContain("Why does the \ufffd skip?");
});

it("reports the second session with one id in tables that lost their keys", async () => {
  const home = createHome();
  const file = join(home, "opencode.db");
  writeDatabase(file, first);
  openAgain(file).exec(`
    PRAGMA foreign_keys = OFF;
    CREATE TABLE copy AS SELECT * FROM session;
    DROP TABLE session;
    ALTER TABLE copy RENAME TO session;
    INSERT INTO session SELECT * FROM session`);

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect(sessions.map(({ key }) => key)).toEqual(["ses_a"]);
  expect(faults.map(({ details }) => details.reason)).toEqual([
    "a second session of this id: not ingested",
  ]);
});

it("reports a session of a tree whose file name may have been misread", async () => {
  const home = createHome({ "storage/session/4f2a9c/ses_\ufffd.json": { id: "ses_a" } });

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect(sessions).toEqual([]);
  expect(faults.map(({ details }) => details.reason)).toEqual([
    "an id that no client gives: not ingested",
  ]);
});

it.each<[string, string, string, boolean]>([
  ["without row ids", "", ") WITHOUT ROWID", false],
  ["in UTF-16", "PRAGMA encoding = 'UTF-16'", ")", false],
  ["that are views", "", ")", true],
])("reads tables %s like any others", async (_name, pragma, end, isView) => {
  const home = createHome();
  const client = openAgain(join(home, "opencode.db"));
  client.exec(`${pragma}; PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON`);
  for (const sql of tables(true)) client.exec(sql.replace(/\)$/, end));
  for (const [table, rows] of Object.entries(first)) {
    for (const row of rows) insert(client, table, row);
  }
  client.exec("UPDATE part SET data = replace(data, 'loom', char(65533))");
  for (const table of isView ? ["session", "message", "part", "todo"] : []) {
    client.exec(`ALTER TABLE ${table} RENAME TO own_${table}`);
    client.exec(`CREATE VIEW ${table} AS SELECT * FROM own_${table}`);
  }

  const { faults, events } = await read(home);

  expect(faults).toEqual([]);
  expect(contentOf(events).messages.map(({ id }) => id)).toEqual([
    "ses_a#info",
    "msg_a1",
    "msg_a2",
  ]);
  expect((await findSessions(fromOpencode(home))).faults).toEqual([]);
});

it("keeps messages and parts with a column of bytes, and reports that the column is no text", async () => {
  const { home, client } = open(first);
  for (const table of ["message", "part"]) {
    client.exec(`ALTER TABLE ${table} ADD COLUMN hash; UPDATE ${table} SET hash = x'ff'`);
  }

  const { faults, events, accounted, read: count } = await read(home);

  expect(faults.map(([records]) => records)).toEqual([0, 0, 0, 0]);
  expect(faults[0]?.[1]).toMatch(/message msg_a1: bytes that are no text in hash$/);
  expect(events.filter(({ kind }) => kind === "fault")).toMatchObject(
    faults.map(() => ({ isLogWhole: true })),
  );
  expect(accounted).toBe(count);
  expect(contentOf(events).messages.map(({ id }) => id)).toEqual([
    "ses_a#info",
    "msg_a1",
    "msg_a2",
  ]);
});

/** A client that runs, with these rows. */
function open(tables: Tables): { readonly home: string; readonly client: DatabaseSync } {
  const home = createHome();
  return { home, client: openDatabase(join(home, "opencode.db"), tables) };
}

async function read(home: string): Promise<{
  readonly events: readonly ReadEvent[];
  /** Records and text of each. */
  readonly faults: readonly (readonly [number, string])[];
  readonly accounted: number;
  readonly read: number | undefined;
}> {
  const count = new RecordCount();
  const events = await Array.fromAsync(fromOpencode(home).read("ses_a", undefined, count));
  const faults = events.flatMap((event) =>
    event.kind === "fault" ? [[recordCountOf(event), event.fault.message] as const] : [],
  );
  const accounted = events.reduce((sum, event) => sum + recordCountOf(event), 0);
  return { events, faults, accounted, read: count.records };
}
