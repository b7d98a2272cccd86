import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  insert,
  joined,
  messageRow,
  openAgain,
  partRow,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";

const pageSize = 4096;
/** Makes a row fill a page of its own. */
const wide = "warp ".repeat(700);

const names = ["first", "mid", "last"];

it.each([
  ["a part", "text of msg_mid1", ["message msg_mid1", "session ses_mid"], ["msg_mid2"]],
  ["a message", "data of msg_mid2", ["session ses_mid"], ["msg_mid1"]],
  ["the first message", "data of msg_mid1", ["session ses_mid"], []],
])("reads everything but the damaged rows of a database, here %s", async (_, place, lost, left) => {
  const home = createDamaged(place);
  const file = join(home, "opencode.db");
  const reader = fromOpencode(home);

  const { sessions, faults } = await findSessions(reader);
  const events = await readAll(reader, "ses_mid");
  const prints = await Promise.all(sessions.map(({ key }) => reader.fingerprint(key)));

  expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
    [file, "not all of it can be read (database disk image is malformed)"],
  ]);
  expect(sessions.map(({ key }) => key)).toEqual(["ses_first", "ses_last", "ses_mid"]);
  expect(prints).toEqual(sessions.map(({ fingerprint }) => fingerprint));
  const records = events.flatMap((event) =>
    event.kind === "fault" ? [event.fault.details.record] : [],
  );
  expect(records).toEqual(lost);
  expect(contentOf(events).messages.map(({ id }) => id)).toEqual(["ses_mid#info", ...left]);
  for (const name of ["first", "last"]) {
    const { messages } = contentOf(await readAll(reader, `ses_${name}`));
    expect(messages.map(({ id }) => id)).toEqual([
      `ses_${name}#info`,
      `msg_${name}1`,
      `msg_${name}2`,
    ]);
  }
});

it("reads messages lost to a damaged page from the tree that the database was made of", async () => {
  const created = (at: number) => ({ time: { created: start + at, updated: start } });
  const tree = [1, 2].map((index) => ({
    [`storage/message/ses_mid/msg_mid${index}.json`]: { role: "user", ...created(index) },
    [`storage/part/msg_mid${index}/prt_1.json`]: { type: "text", text: "of the tree" },
  }));
  const home = createDamaged("text of msg_mid1", {
    "storage/session/4f2a9c/ses_mid.json": { id: "ses_mid", directory: "/loom", ...created(0) },
    ...Object.assign({}, ...tree),
  });

  const { messages } = contentOf(await readAll(fromOpencode(home), "ses_mid"));

  expect(messages.map(({ id }) => id)).toEqual(["ses_mid#info", "msg_mid1", "msg_mid2"]);
});

it("reads messages of 1.x lost to a damaged page from their copies in 2.x", async () => {
  const copies = [1, 2].map((seq) => {
    const times = { time_created: start + seq, time_updated: start + seq };
    const data = { text: "of the copy", time: { created: start + seq } };
    return { id: `msg_mid${seq}`, session_id: "ses_mid", type: "user", seq, ...times, data };
  });
  const second = { session_v2: [sessionRow("ses_mid")], session_message: copies };
  const home = createDamaged("text of msg_mid2", {}, second);
  const database = openAgain(join(home, "opencode.db"));
  database.exec("CREATE TABLE kv (key text, value text, time_created integer)");
  const note = { key: "migration.v1-v2", value: { phase: "completed" }, time_created: start + 9 };
  insert(database, "kv", note);
  database.close();

  const { messages } = contentOf(await readAll(fromOpencode(home), "ses_mid"));

  expect(messages.map(({ id }) => id)).toEqual(["ses_mid#info", "msg_mid1", "msg_mid2"]);
});

it("reports a session whose own row is damaged, and finds every other session", async () => {
  const home = createDamaged("title of ses_mid");
  const file = join(home, "opencode.db");
  const reader = fromOpencode(home);

  const { sessions, faults } = await findSessions(reader);

  expect(faults.map(({ details }) => details.uri)).toEqual([file, `${file}:ses_mid`]);
  expect(sessions.map(({ key }) => key)).toEqual(["ses_first", "ses_last"]);
  await expect(reader.fingerprint("ses_mid")).rejects.toThrow("malformed");
});

it("lists exports and other homes despite a home that cannot be listed", async () => {
  const exported = { info: { id: "ses_a", directory: "/loom", time: { created: start } } };
  const root = createHome({
    "a.json": { ...exported, messages: [] },
    "b/storage/session": "no folder",
    "c/storage/session/global/ses_c.json": { id: "ses_c", directory: "/loom" },
  });

  const { sessions, faults } = await findSessions(fromOpencode(root));

  expect(sessions.map(({ key }) => key)).toEqual(["c/ses_c", "a.json"]);
  expect(faults.map(({ details }) => details.uri)).toEqual([join(root, "b")]);
});

/** A home whose database lost the page of the row that says so. */
function createDamaged(
  place: string,
  tree: Readonly<Record<string, unknown>> = {},
  more: Tables = {},
): string {
  const home = createHome(tree);
  const file = join(home, "opencode.db");
  writeDatabase(file, joined(...names.map(sessionOf), more));
  const database = openAgain(file);
  database.exec(
    `CREATE INDEX message_session_idx ON message (session_id, time_created, id);
     CREATE INDEX part_session_idx ON part (session_id);
     CREATE INDEX part_message_idx ON part (message_id, id)`,
  );
  database.close();
  const bytes = readFileSync(file);
  const from = Math.floor(bytes.indexOf(place) / pageSize) * pageSize;
  writeFileSync(file, bytes.fill(0xff, from, from + pageSize));
  return home;
}

function sessionOf(name: string): Tables {
  const id = `ses_${name}`;
  const messages = [1, 2].map((index) =>
    messageRow(id, `msg_${name}${index}`, index, {
      system: `data of msg_${name}${index} ${wide}`,
      role: "user",
    }),
  );
  const parts = messages.map((message) =>
    partRow(message, `prt_${message.id}`, {
      type: "text",
      text: `text of ${message.id} ${wide}`,
    }),
  );
  const title = `title of ${id} ${wide}`;
  return { session: [sessionRow(id, { title })], message: messages, part: parts };
}
