import fs, {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { contentOf, findSessions, readAll, restoredFiles } from "@pond/adapter-testkit";
import { recordCountOf } from "@pond/canonical";
import { RecordCount, type SessionContent, sourceOf } from "@pond/canonical/adapter";
import { describe, expect, it, vi } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
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
import { opencodeProblems } from "./problems.ts";
import { opencodeWriter, toOpencode } from "./to-opencode.ts";

const id = "ses_a";
const rows = joined({ session: [sessionRow(id)] }, exchange(id));
const time = { created: start, updated: start };
const message = (name: string, at: number, role: string) => ({
  [`storage/message/${id}/msg_${name}.json`]: {
    role,
    time: { created: start + at, completed: start + at },
  },
  [`storage/part/msg_${name}/prt_${name}.json`]: { type: "text", text: `of ${name} in the tree` },
});
const info = { id, directory: "/home/ada/loom", title: "Loom", time };
const tree = {
  [`storage/session/4f2a9c/${id}.json`]: info,
  ...message("a1", 0, "user"),
  ...message("a2", 1, "assistant"),
};
const copied = (seq: number, name: string, type: string, data: object = {}) => ({
  id: `msg_${name}`,
  session_id: id,
  type,
  seq,
  time_created: start + seq,
  time_updated: start + seq,
  data: { text: `of ${name} in 2.x`, time: { created: start + seq }, ...data },
});

const later = { id, location: { directory: "/home/ada/loom" }, time };
/** A session that pond restored as two exports, because no version takes both shapes. */
const pair = {
  [`pond/${id}.json`]: {
    info: { ...info, slug: "loom", version: "1.1.0" },
    messages: [{ info: { id: "msg_1", sessionID: id, role: "user", time }, parts: [] }],
    pond: { session: {}, rows: {} },
  },
  [`pond/${id}.2.json`]: {
    info: later,
    messages: [{ id: "msg_2", type: "user", text: "And in 2.x?", time }],
    pond: { session: { resume_attempts: 2 }, rows: {} },
  },
};

describe("a session in two places of one kind", () => {
  const updated = (at: number) => ({ created: start, updated: start + at });
  const database = (at: number, name: string) =>
    joined({ session: [sessionRow(id, { time_updated: start + at })] }, exchange(id, at, name));

  it.each([
    ["opencode.db", 9, 0],
    ["opencode-dev.db", 0, 9],
  ])("is read from the database where it was updated last, here %s", async (last, main, other) => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), database(main, "m"));
    writeDatabase(join(home, "opencode-dev.db"), database(other, "d"));
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);
    const { messages } = contentOf(await readAll(reader, id));

    const passed = last === "opencode.db" ? "opencode-dev.db" : "opencode.db";
    expect(messages.at(-1)?.id).toBe(last === "opencode.db" ? "msg_m2" : "msg_d2");
    expect(await reader.fingerprint(id)).toBe(sessions[0]?.fingerprint);
    expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
      [`${join(home, passed)}:${id}`, `read from ${join(home, last)} and not from here`],
    ]);
  });

  it("is not reported if both databases hold the same", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), rows);
    writeDatabase(join(home, "opencode-dev.db"), rows);

    expect((await findSessions(fromOpencode(home))).faults).toEqual([]);
  });

  it("is read from the project folder in which it was updated last", async () => {
    const [old, last] = ["storage/session/global", "storage/session/4f2a9c"];
    const home = createHome({
      ...tree,
      [`${old}/${id}.json`]: { ...info, title: "Old", time: updated(0) },
      [`${last}/${id}.json`]: { ...info, title: "New", time: updated(9) },
    });
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);
    const [head] = contentOf(await readAll(reader, id)).messages;

    expect(head && sourceOf(head)).toMatchObject({ record: { title: "New" } });
    expect(await reader.fingerprint(id)).toBe(sessions[0]?.fingerprint);
    expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
      [join(home, `${old}/${id}.json`), `read from ${last}/${id}.json and not from here`],
    ]);
  });

  it("is not reported if the client copied it from the tree of 2025", async () => {
    const home = createHome({ ...tree, [`project/loom/storage/session/info/${id}.json`]: info });

    expect((await findSessions(fromOpencode(home))).faults).toEqual([]);
  });
});

describe("a session in two exports", () => {
  it("is read as one session, and written as two exports again (`adapter-native-restore-lossless`)", async () => {
    const home = createHome(pair);

    const texts = await messagesOf(home, `pond/${id}.json`);
    const root = contentOf(await readAll(fromOpencode(home), `pond/${id}.json`));
    const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));

    expect(texts).toEqual([`${id}#info `, "msg_1 ", "msg_2 And in 2.x?"]);
    expect(valuesOf(files)).toEqual(pair);
  });

  it("has another fingerprint once the second export has changed", async () => {
    const home = createHome(pair);
    const reader = fromOpencode(home);
    const before = await reader.fingerprint(`pond/${id}.json`);

    writeFileSync(join(home, `pond/${id}.2.json`), "{}");

    expect(await reader.fingerprint(`pond/${id}.json`)).not.toBe(before);
  });

  it.each([
    ["of 2.x", `pond/${id}.2.json`],
    ["of 1.x", `pond/${id}.json`],
  ])("is written as both exports even if only the record %s was kept", async (_, kept) => {
    const [first, second] = await Promise.all(
      Object.entries(pair).map(async ([path, file]) => {
        return contentOf(await readAll(fromOpencode(createHome({ [path]: file })), path));
      }),
    );
    const isKept = (path: unknown) => path === undefined || path === kept;
    const messages = [...(first?.messages ?? []), ...(second?.messages ?? [])].filter((message) =>
      isKept(sourceOf(message)["path"]),
    );
    const root = { session: first?.session, messages } as SessionContent;

    const files = valuesOf(restoredFiles(toOpencode.writeNative({ root, descendants: [] })));

    expect(Object.keys(files).sort()).toEqual(Object.keys(pair).sort());
    for (const [path, { messages }] of Object.entries(pair)) {
      expect(files[path]).toMatchObject({ messages });
    }
  });

  it.each<[string, Tables, string]>([
    ["1.x", rows, `pond/${id}.2.json`],
    ["2.x", { session_v2: [sessionRow(id)], session_message: [] }, `pond/${id}.json`],
  ])(
    "is reported if a client of %s took only the half that it can read",
    async (_, taken, left) => {
      const home = createHome(pair);
      writeDatabase(join(home, "opencode.db"), taken);
      const reader = fromOpencode(home);

      const { sessions } = await findSessions(reader);
      const events = await readAll(reader, id);

      expect(sessions.map(({ key }) => key)).toEqual([id]);
      const faults = events.filter((event) => event.kind === "fault");
      expect(faults.map(({ fault, records }) => [fault.details.uri, records])).toEqual([
        [join(home, left), 0],
      ]);
    },
  );

  it("is read apart if the second export is of another session or is named by itself", async () => {
    const other = { ...pair[`pond/${id}.2.json`], info: { ...later, id: "ses_other" } };
    const home = createHome({ ...pair, [`pond/${id}.2.json`]: other });

    const { sessions } = await findSessions(fromOpencode(home));
    const named = await findSessions(fromOpencode(join(createHome(pair), `pond/${id}.2.json`)));

    expect(sessions.map(({ key }) => key)).toEqual([`pond/${id}.2.json`, `pond/${id}.json`]);
    expect(named.sessions.map(({ key }) => key)).toEqual([`${id}.2.json`]);
  });
});

it("writes a session of a tree that went on in 2.x as two exports", async () => {
  const home = createHome(tree);
  const went = [copied(1, "a1", "user"), copied(2, "a2", "assistant"), copied(3, "b1", "user")];
  const in2 = { session_v2: [sessionRow(id)], session_message: went };
  writeDatabase(join(home, "opencode.db"), joined(rows, in2));

  const root = contentOf(await readAll(fromOpencode(home), id));
  const files = valuesOf(restoredFiles(toOpencode.writeNative({ root, descendants: [] })));

  expect(Object.keys(files)).toEqual([`pond/${id}.json`, `pond/${id}.2.json`]);
  expect(files[`pond/${id}.2.json`]).toMatchObject({ messages: [{ id: "msg_b1" }] });
});

it.each<[string, readonly string[], "tree" | "export"]>([
  ["with no data yet", [], "export"],
  ["with a database", ["opencode.db"], "export"],
  ["with a database beside an older tree", ["storage/session", "opencode.db"], "export"],
  ["with a channel's database beside an older tree", ["project", "opencode-dev.db"], "export"],
  ["with a tree but no database", ["storage/session"], "tree"],
  ["with a tree of 2025 but no database", ["project"], "tree"],
])("writes a session of a tree in the form that a client %s takes", async (_, has, form) => {
  const root = contentOf(await readAll(fromOpencode(createHome(tree)), id));

  const written = restoredFiles(
    toOpencode.writeNative({ root, descendants: [] }, (path) => has.includes(path)),
  );

  const exported = `pond/${id}.json`;
  const [key, paths] = form === "tree" ? [id, Object.keys(tree).sort()] : [exported, [exported]];
  expect([...written.keys()].sort()).toEqual(paths);
  const again = contentOf(await readAll(fromOpencode(createHome(valuesOf(written))), key));
  expect(again.messages.map(({ id }) => id)).toEqual(root.messages.map(({ id }) => id));
});

it("adds the fields that an import needs to the export of a tree, and reads back the same session", async () => {
  const { title: _, ...untitled } = info;
  const inTree = { ...tree, [`storage/session/4f2a9c/${id}.json`]: untitled };
  const root = contentOf(await readAll(fromOpencode(createHome(inTree)), id));
  const written = restoredFiles(
    opencodeWriter({ generation: "export" }).writeNative({ root, descendants: [] }),
  );
  const again = contentOf(
    await readAll(fromOpencode(createHome(valuesOf(written))), `pond/${id}.json`),
  );

  expect(opencodeProblems(written).join()).not.toMatch(/\.(?:slug|title|version) /);
  expect(valuesOf(written)).toMatchObject({
    [`pond/${id}.json`]: { info: { slug: "", title: "", version: "" } },
  });
  const recordOf = ({ messages: [own] }: SessionContent) => own && sourceOf(own)["record"];
  expect(recordOf(again)).toEqual(recordOf(root));
  expect(recordOf(again)).toEqual(untitled);
  expect(restoredFiles(toOpencode.writeNative({ root: again, descendants: [] }))).toEqual(written);
});

describe("one session in several stores", () => {
  /** Rows as the client makes them of a tree: all of them at one moment, 5 ms after the start. */
  const convertedRows = joined({ session: [sessionRow(id)] }, convertedOf(exchange(id)));
  function convertedOf({ message = [], part = [] }: Tables, at = 5): Tables {
    const time_updated = start + at;
    return {
      message: message.map((row) => ({ ...row, time_updated })),
      part: part.map((row) => ({ ...row, time_created: time_updated, time_updated })),
    };
  }
  /** Another session, made in the same way at some time. */
  const otherRows = (at: number): Tables =>
    joined({ session: [sessionRow("ses_b")] }, convertedOf(exchange("ses_b", 0, "z"), at));
  const ofTree = [`${id}#info `, "msg_a1 of a1 in the tree", "msg_a2 of a2 in the tree"];

  it("is read from the tree if the tree holds as much and nothing has changed since", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), convertedRows);

    expect(await messagesOf(home)).toEqual(ofTree);
  });

  it.each([
    ["was renamed", "UPDATE session SET title = 'Loom, renamed'"],
    ["was archived", `UPDATE session SET time_archived = ${start + 9}`],
    ["was reverted", `UPDATE session SET revert = '{"messageID":"msg_a2"}'`],
    ["has a message that was edited", `UPDATE message SET time_updated = ${start + 9}`],
    ["has a part that was edited", `UPDATE part SET time_updated = ${start + 9}`],
  ])(
    "is read from the database if it %s there, even with its update time unchanged",
    async (_, change) => {
      const home = createHome(tree);
      writeDatabase(join(home, "opencode.db"), convertedRows);
      const database = openAgain(join(home, "opencode.db"));
      database.exec(change);
      database.close();

      expect((await messagesOf(home)).at(-1)).toBe("msg_a2 The heddle is bent.");
    },
  );

  it.each([
    ["and not in the database", "", 9],
    [
      "and a part of it was edited in the database",
      `UPDATE part SET time_updated = ${start + 9}`,
      9,
    ],
    ["and has another title in the database", "UPDATE session SET title = 'Loom before'", 5],
  ])("is read from the tree if it went on there %s", async (_, change, at) => {
    const updated = { ...info, time: { created: start, updated: start + at } };
    const home = createHome({
      ...tree,
      [`storage/session/4f2a9c/${id}.json`]: updated,
      ...message("b1", at, "user"),
    });
    writeDatabase(join(home, "opencode.db"), convertedRows);
    const database = openAgain(join(home, "opencode.db"));
    database.exec(change);
    database.close();

    expect(await messagesOf(home)).toEqual([...ofTree, "msg_b1 of b1 in the tree"]);
  });

  /** Rows as an import makes them: one message after the other, each with its parts. */
  const importedRows = joined({ session: [sessionRow(id)] }, importedOf(exchange(id)));
  function importedOf({ message = [], part = [] }: Tables): Tables {
    const at = (index: number) => start + 50 + 2 * index;
    return {
      message: message.map((row, index) => ({ ...row, time_updated: at(index) })),
      part: part.map((row, index) => {
        return { ...row, time_created: at(index), time_updated: at(index) };
      }),
    };
  }

  it.each([
    ["all of it", ""],
    ["only the messages before one that it refused", "DELETE FROM message WHERE id = 'msg_a2'"],
    ["only its session row", "DELETE FROM message"],
  ])("is read from the tree if the client imported %s", async (_, refused) => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), importedRows);
    const database = openAgain(join(home, "opencode.db"));
    database.exec(`${refused}; DELETE FROM part WHERE message_id NOT IN (SELECT id FROM message)`);
    database.close();

    expect(await messagesOf(home)).toEqual(ofTree);
  });

  it.each([
    ["as the only import", {}],
    ["beside an import of another session", otherRows(7)],
  ])(
    "is read from the tree if an import that took a millisecond stopped early, %s",
    async (_, other) => {
      const home = createHome({ ...tree, ...message("b1", 2, "user") });
      writeDatabase(join(home, "opencode.db"), joined(convertedRows, other));

      expect(await textsOf(home)).toEqual([...ofTree, "msg_b1 of b1 in the tree"]);
    },
  );

  it("is read from the tree if an import made a message without parts after all parts", async () => {
    const home = createHome({ ...tree, ...message("b1", 2, "user") });
    const last = { ...messageRow(id, "msg_b1", 2, { role: "user" }), time_updated: start + 7 };
    writeDatabase(join(home, "opencode.db"), joined(convertedRows, { message: [last] }));

    expect(await messagesOf(home)).toEqual([...ofTree, "msg_b1 of b1 in the tree"]);
  });

  it("is read from the database if an imported part was edited there", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), importedRows);
    const database = openAgain(join(home, "opencode.db"));
    database.exec(`UPDATE part SET time_updated = ${start + 99} WHERE id = 'prt_a1'`);
    database.close();

    expect((await messagesOf(home)).at(-1)).toBe("msg_a2 The heddle is bent.");
  });

  it("is reported if it went on in both the tree and the database", async () => {
    const home = createHome({ ...tree, ...message("b1", 9, "user"), ...message("b2", 9, "user") });
    writeDatabase(join(home, "opencode.db"), joined(convertedRows, exchange(id, 20, "c")));

    const events = await readAll(fromOpencode(home), id);

    expect((await textsOf(home)).at(-1)).toBe("msg_c2 The heddle is bent.");
    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault.details] : []));
    const database = join(home, "opencode.db");
    expect(faults.map(({ uri, reason }) => [uri, reason])).toEqual([
      [
        join(home, `storage/session/4f2a9c/${id}.json`),
        `read from ${database} and not from here, where alone 2 of its messages stand`,
      ],
    ]);
  });

  it("is read from the database if all but one message was deleted there", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), joined(convertedRows, otherRows(5)));
    const database = openAgain(join(home, "opencode.db"));
    database.exec("DELETE FROM message WHERE id = 'msg_a2'; DELETE FROM part WHERE id = 'prt_a2'");
    database.close();

    expect((await textsOf(home)).at(-1)).toBe("msg_a1 Why does the loom skip?");
  });

  it.each([
    ["and nothing was said since", {}, "msg_a2"],
    ["and the session went on", exchange(id, 20, "c"), "msg_c2"],
  ])(
    "is read from the database if the message that it lacks was deleted there %s",
    async (_, since, last) => {
      const home = createHome({ ...tree, ...message("b1", 2, "user") });
      writeDatabase(join(home, "opencode.db"), joined(convertedRows, otherRows(5), since));

      expect((await textsOf(home)).at(-1)).toBe(`${last} The heddle is bent.`);
    },
  );

  it.each([
    ["went on", joined(rows, exchange(id, 9, "b")), "msg_b2"],
    [
      "was renamed",
      joined({ session: [sessionRow(id, { time_updated: start + 9 })] }, exchange(id)),
      "msg_a2",
    ],
  ])("is read from the database if it %s there", async (_, tables, last) => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), tables);

    expect((await messagesOf(home)).at(-1)).toBe(`${last} The heddle is bent.`);
  });

  it("is read from the tree if the database has only the session's own row", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), { session: [sessionRow(id)] });

    expect((await messagesOf(home)).at(-1)).toBe("msg_a2 of a2 in the tree");
  });

  it("is read from 1.x, and from 2.x only after the lossy copy", async () => {
    const home = createHome();
    // The client names its notice by the first 16 characters of the last copy, and a hash.
    const name = "0000000000aa";
    writeDatabase(
      join(home, "opencode.db"),
      joined({ session: [sessionRow(id)] }, exchange(id, 0, name), {
        session_v2: [sessionRow(id, { title: "Loom in 2.x" })],
        session_message: [
          copied(1, `${name}1`, "user"),
          copied(2, `${name}2`, "assistant", { content: [] }),
          copied(3, `${name}9c41`, "system", { text: "The available tools have changed: shell" }),
          copied(4, "new1", "user"),
          // Its tools changed in 2.x too, later on.
          copied(5, "new2", "system", { text: "The available tools have changed: search" }),
          copied(6, "new3", "user"),
        ],
      }),
    );

    expect(await messagesOf(home)).toEqual([
      `${id}#info `,
      `msg_${name}1 Why does the loom skip?`,
      `msg_${name}2 The heddle is bent.`,
      "msg_new1 of new1 in 2.x",
      "msg_new2 ",
      "msg_new3 of new3 in 2.x",
    ]);
  });

  const copies = (...names: readonly string[]) =>
    names.map((name, seq) => copied(seq, `0000000000aa${name}`, "user"));
  const notice = copied(7, "0000000000aa9c41", "system", { text: "The tools have changed" });
  const later = copied(8, "new1", "user");
  const inBoth = (
    changes: Readonly<Record<string, unknown>>,
    messages: readonly object[],
    first: Readonly<Record<string, unknown>> = {},
  ): string => {
    const home = createHome();
    writeDatabase(
      join(home, "opencode.db"),
      joined({ session: [sessionRow(id, first)] }, exchange(id, 0, "0000000000aa"), {
        session_v2: [sessionRow(id, changes)],
        session_message: messages.map((message) => ({ ...message })),
      }),
    );
    return home;
  };
  /** The client's own note of when it began to copy sessions of 1.x. */
  const noteCopied = (home: string, at: number): void => {
    const database = openAgain(join(home, "opencode.db"));
    database.exec("CREATE TABLE kv (key text, value text, time_created integer)");
    const value = { phase: "completed" };
    insert(database, "kv", { key: "migration.v1-v2", value, time_created: start + at });
    database.close();
  };

  it.each([
    ["a new title", { title: "Loom, renamed" }],
    ["archiving", { time_archived: start + 9 }],
    ["a revert", { revert: { messageID: "msg_0000000000aa2" } }],
  ])("keeps changes that were made in 2.x: %s", async (_, changes) => {
    const home = inBoth({ ...changes, time_updated: start + 9 }, [...copies("1", "2"), notice]);

    const events = await readAll(fromOpencode(home), id);

    const [head, ...messages] = contentOf(events).messages;
    expect(messages.map(({ id }) => id)).toEqual(["msg_0000000000aa1", "msg_0000000000aa2"]);
    const { continued } = head ? sourceOf(head) : {};
    const root = contentOf(events);
    const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));
    expect(valuesOf(files)).toMatchObject({ [`pond/${id}.2.json`]: { info: continued } });
    expect(continued).toMatchObject(
      "time_archived" in changes ? { time: { archived: start + 9 } } : changes,
    );
  });

  it("keeps nothing of 2.x if nothing was changed there", async () => {
    const home = inBoth({ time_updated: start + 9 }, [...copies("1", "2"), notice]);

    const [head] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(head && sourceOf(head)["continued"]).toBeUndefined();
  });

  it("follows 1.x if it changed there after the copy to 2.x", async () => {
    const changed = { title: "Loom, renamed in 1.x", time_updated: start + 9 };
    const home = inBoth({}, [...copies("1", "2"), notice], changed);

    const [head] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(head && sourceOf(head)["continued"]).toBeUndefined();
  });

  const gone = copied(2, "0000000000ab1", "user");
  const goneToo = copied(3, "0000000000ab2", "assistant");
  it.each([
    ["marked by a notice", [gone, goneToo, copied(4, "0000000000ab9c41", "system")], undefined],
    ["marked by the client's note", [gone, goneToo], 4],
  ])("drops copies in 2.x of messages that 1.x deleted since a copy %s", async (_, behind, at) => {
    // 1.x went on with another turn instead.
    const home = inBoth({}, [...copies("1"), ...behind]);
    if (at !== undefined) noteCopied(home, at);

    const [head, ...messages] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(messages.map(({ id }) => id)).toEqual(["msg_0000000000aa1", "msg_0000000000aa2"]);
    expect(head && sourceOf(head)["continued"]).toBeUndefined();
  });

  it("keeps a message of 2.x that has no time, and all messages before it", async () => {
    const timeless = { ...copied(9, "new2", "user"), data: { text: "Still?" } };
    const home = inBoth({}, [...copies("1", "2"), later, timeless]);
    noteCopied(home, 4);

    expect((await messagesOf(home)).slice(3)).toEqual([
      "msg_new1 of new1 in 2.x",
      "msg_new2 Still?",
    ]);
  });

  it("does not count messages that 1.x added after the copy as undone", async () => {
    const went = { ...copied(3, "new1", "user"), data: { text: "", time: { created: start + 9 } } };
    const home = inBoth({}, [...copies("1"), went]);
    noteCopied(home, 1);

    const [head, ...messages] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(head && sourceOf(head)["continued.without"]).toBeUndefined();
    expect(messages.at(-1)?.id).toBe("msg_new1");
  });

  it.each([
    ["is damaged", "key text, value text, time_created integer", true],
    ["has no `key` column", "name text, value text, time_created integer", false],
  ])("is read even if the client's note of the copy %s", async (_, columns, isDamaged) => {
    const home = inBoth({}, [...copies("1", "2"), later]);
    const file = join(home, "opencode.db");
    const database = openAgain(file);
    database.exec(`CREATE TABLE kv (${columns})`);
    const { rootpage } = database
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'kv'")
      .get() as { readonly rootpage: number };
    database.close();
    const [size, end] = [4096, rootpage * 4096];
    if (isDamaged) writeFileSync(file, readFileSync(file).fill(0xff, end - size, end));

    const { messages } = contentOf(await readAll(fromOpencode(home), id));

    expect(messages.at(-1)?.id).toBe("msg_new1");
  });

  it("keeps messages imported from a file of 2.x, however old they are", async () => {
    const home = inBoth({}, [gone, later]);
    noteCopied(home, 99);

    const ids = contentOf(await readAll(fromOpencode(home), id)).messages.map(({ id }) => id);

    expect(ids.slice(3)).toEqual([gone.id, later.id]);
  });

  it.each([
    ["the last message", [...copies("1"), later], "msg_0000000000aa2"],
    ["none without any copy", [later], undefined],
    ["none if all messages were copied", [...copies("1", "2"), later], undefined],
    ["none if 1.x went on after the copy", [...copies("1"), notice, later], undefined],
  ])("notes which messages were undone before it went on in 2.x: %s", async (_, rows, first) => {
    const [head, ...messages] = contentOf(
      await readAll(fromOpencode(inBoth({}, rows)), id),
    ).messages;

    expect(head && sourceOf(head)["continued.without"]).toBe(first);
    expect(messages.map(({ id }) => id)).toEqual([
      "msg_0000000000aa1",
      "msg_0000000000aa2",
      "msg_new1",
    ]);
  });

  it("notes no compaction as undone, although it is one record in 2.x", async () => {
    const home = inBoth({}, [...copies("1", "2"), copied(3, "0000000000ab1", "compaction"), later]);
    const database = openAgain(join(home, "opencode.db"));
    const summary = { role: "assistant", summary: true, parentID: "msg_0000000000ab1" };
    insert(database, "message", messageRow(id, "msg_0000000000ab1", 3, { role: "user" }));
    insert(database, "message", messageRow(id, "msg_0000000000ab2", 4, summary));
    database.close();

    const [head, ...messages] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(head && sourceOf(head)["continued.without"]).toBeUndefined();
    expect(messages.map(({ id }) => id).slice(2)).toEqual([
      "msg_0000000000ab1",
      "msg_0000000000ab2",
      "msg_new1",
    ]);
  });

  it.each([
    ["no command that started an agent, which no copy has", ["subtask"], "task"],
    [
      "a prompt typed with a command that started an agent",
      ["text", "subtask"],
      "task",
      "msg_0000000000ab1",
    ],
    ["an answer to a command that started no agent", ["subtask"], "bash", "msg_0000000000ab2"],
  ])("notes as undone %s", async (_, types, tool, without?: string) => {
    const home = inBoth({}, [...copies("1", "2"), later]);
    const database = openAgain(join(home, "opencode.db"));
    const prompt = messageRow(id, "msg_0000000000ab1", 3, { role: "user" });
    const answered = { role: "assistant", parentID: prompt.id };
    const answer = messageRow(id, "msg_0000000000ab2", 4, answered);
    for (const message of [prompt, answer]) insert(database, "message", message);
    for (const [at, type] of types.entries()) {
      const said = { type, text: "look", prompt: "look", description: "look", agent: "explore" };
      insert(database, "part", partRow(prompt, `prt_${at}`, said));
    }
    insert(database, "part", partRow(answer, "prt_call", { type: "tool", callID: "call_1", tool }));
    database.close();

    const [head] = contentOf(await readAll(fromOpencode(home), id)).messages;

    expect(head && sourceOf(head)["continued.without"]).toBe(without);
  });

  it("is read from its store and not from an export of it, whatever the export is called", async () => {
    const exported = { info, messages: [] };
    const home = createHome({
      [`pond/${id}.json`]: exported,
      [`pond/${id}.2.json`]: { info: { location: { directory: "/loom" }, time, id }, messages: [] },
      "exports/of-yesterday.json": exported,
      "exports/2026/ses_b.json": { info: { ...info, id: "ses_b" }, messages: [] },
      "exports/ses_a.json": { info: { ...info, id: "ses_c" }, messages: [] },
    });
    writeDatabase(join(home, "opencode.db"), rows);

    const { sessions } = await findSessions(fromOpencode(home));

    expect(sessions.map(({ key }) => key)).toEqual([
      id,
      "exports/2026/ses_b.json",
      "exports/ses_a.json",
    ]);
  });

  it("is found in the database of the betas, and in that of the release before them", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode-next.db"), {
      session_v2: [sessionRow(id, { title: "beta" })],
      session_message: [copied(1, "v1", "user")],
    });
    const only = await messagesOf(home);
    writeDatabase(join(home, "opencode.db"), rows);

    expect(only.at(-1)).toBe("msg_v1 of v1 in 2.x");
    expect(await messagesOf(home)).toContain("msg_a2 The heddle is bent.");
  });

  it("counts as 2.x if only 2.x has messages of it, even beside the tables of 1.x", async () => {
    const home = createHome();
    const [done, todo] = ["ses_b", { content: "straighten", status: "pending", priority: "high" }];
    writeDatabase(
      join(home, "opencode.db"),
      joined({ session: [sessionRow(id), sessionRow(done), sessionRow("ses_c")] }, exchange(done), {
        todo: [{ session_id: id, ...todo, position: 0, time_created: start, time_updated: start }],
      }),
    );
    const database = openAgain(join(home, "opencode.db"));
    database.exec(
      `CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL,
       type text NOT NULL, seq integer NOT NULL, time_created integer NOT NULL,
       time_updated integer NOT NULL, data text NOT NULL)`,
    );
    insert(database, "session_message", copied(1, "v1", "user"));
    // The preview that early releases of 1.x have of their own messages.
    insert(database, "session_message", { ...copied(1, "a1", "user"), session_id: done });
    database.close();
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);

    expect(faults).toEqual([]);
    expect(sessions.map(({ key }) => key)).toEqual([done, "ses_c", id]);
    expect(await textsOf(home)).toEqual([`${id}#info `, "msg_v1 of v1 in 2.x", `${id}#todo `]);
    expect(await textsOf(home, done)).toEqual([
      `${done}#info `,
      "msg_a1 Why does the loom skip?",
      "msg_a2 The heddle is bent.",
    ]);
    expect(await reader.fingerprint(id)).toBe(sessions.at(-1)?.fingerprint);
  });
});

describe("the session diff that a client with a database keeps in a file", () => {
  const file = `storage/session_diff/${id}.json`;
  const changes = [{ file: "heddle.txt", patch: "@@ -1 +1 @@", additions: 1, deletions: 1 }];

  it("is kept with the session, and restored (`adapter-native-restore-lossless`)", async () => {
    const home = createHome({ [file]: changes });
    writeDatabase(join(home, "opencode.db"), rows);

    const root = contentOf(await readAll(fromOpencode(home), id));
    const files = valuesOf(restoredFiles(toOpencode.writeNative({ root, descendants: [] })));

    expect(root.messages.at(-1)?.id).toBe(`${id}#session_diff`);
    expect(files[`pond/${id}.json`]).toMatchObject({ pond: { session_diff: changes } });
  });

  it("is reported if it is no JSON", async () => {
    const home = createHome({ [file]: "[" });
    writeDatabase(join(home, "opencode.db"), rows);

    const events = await readAll(fromOpencode(home), id);

    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
    expect(faults.map(({ details }) => details.uri)).toEqual([join(home, file)]);
  });

  it("is reported if its folder cannot be looked at", async () => {
    const home = createHome({ "storage/other/keep": "" });
    symlinkSync("session_diff", join(home, "storage/session_diff"));
    writeDatabase(join(home, "opencode.db"), rows);

    const events = await readAll(fromOpencode(home), id);

    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
    expect(faults.map(({ details }) => details.reason)).toEqual(["cannot be read (ELOOP)"]);
  });

  it("changes the fingerprint of its own session, and of no other", async () => {
    const home = createHome({ "storage/session_diff/ses_other.json": [] });
    writeDatabase(join(home, "opencode.db"), rows);
    const reader = fromOpencode(home);
    const without = await reader.fingerprint(id);
    rmSync(join(home, "storage/session_diff/ses_other.json"));
    const still = await reader.fingerprint(id);

    writeFileSync(join(home, file), "[]");
    const first = await reader.fingerprint(id);
    writeFileSync(join(home, file), JSON.stringify(changes));

    expect(still).toBe(without);
    expect(new Set([without, first, await reader.fingerprint(id)]).size).toBe(3);
  });
});

describe("beside a database that cannot be read", () => {
  it("reads and fingerprints every session of other stores", async () => {
    const home = createHome({ ...tree, "opencode-old.db": "this is a text" });
    writeDatabase(
      join(home, "opencode.db"),
      joined({ session: [sessionRow("ses_b")] }, exchange("ses_b")),
    );
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);
    const read = await Promise.all(sessions.map(({ key }) => readAll(reader, key)));

    expect(faults.map(({ details }) => details.uri)).toEqual([join(home, "opencode-old.db")]);
    expect(sessions.map(({ key }) => key)).toEqual([id, "ses_b"]);
    expect(read.map((events) => contentOf(events).messages.length)).toEqual([3, 3]);
    expect(await Promise.all(sessions.map(({ key }) => reader.fingerprint(key)))).toEqual(
      sessions.map(({ fingerprint }) => fingerprint),
    );
  });

  it("reports the database once, and not with every session", async () => {
    const reader = fromOpencode(createHome({ ...tree, "opencode.db": "this is a text" }));

    expect((await findSessions(reader)).faults).toHaveLength(1);
    expect((await readAll(reader, id)).filter(({ kind }) => kind === "fault")).toEqual([]);
  });

  it("reads every session of other stores if the tables of the database are no client's", async () => {
    const home = createHome(tree);
    const stats = openAgain(join(home, "opencode-stats.db"));
    stats.exec(
      `CREATE TABLE session (id text, runs integer); CREATE TABLE message (id text);
       CREATE TABLE part (id text); INSERT INTO session VALUES ('ses_a', 3), ('ses_z', 1)`,
    );
    stats.close();
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);

    expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual([
      [join(home, "opencode-stats.db"), "cannot be read (no such column: session_id)"],
    ]);
    expect(sessions.map(({ key }) => key)).toEqual([id]);
    expect((await textsOf(home)).at(-1)).toBe("msg_a2 of a2 in the tree");
    expect(await reader.fingerprint(id)).toBe(sessions[0]?.fingerprint);
  });

  it("does not report a session as gone if no other store holds it", async () => {
    const reader = fromOpencode(createHome({ ...tree, "opencode.db": "this is a text" }));

    await expect(reader.fingerprint("ses_b")).rejects.toThrow("not a database");
    expect((await readAll(reader, "ses_b")).map(({ kind }) => kind)).toEqual(["fault"]);
  });
});

it.each([
  ["the client's folder", "", id],
  ["its storage folder", "storage", id],
  ["a session's file", `storage/session/4f2a9c/${id}.json`, id],
])("reads a tree from %s", async (_, path, key) => {
  const home = createHome({
    ...tree,
    "storage/session/4f2a9c/ses_b.json": { ...info, id: "ses_b" },
  });

  const { sessions, faults } = await findSessions(fromOpencode(join(home, path)));
  const events = await readAll(fromOpencode(join(home, path)), key);

  expect(faults).toEqual([]);
  expect(sessions.map(({ key }) => key)).toContain(id);
  expect(sessions.length).toBe(path.endsWith(".json") ? 1 : 2);
  expect(contentOf(events).messages.length).toBe(3);
});

it("changes the fingerprint of a tree's session, and of no other, when one of its files changes", async () => {
  const home = createHome({
    ...tree,
    "storage/session/4f2a9c/ses_b.json": { ...info, id: "ses_b" },
  });
  const reader = fromOpencode(home);
  const before = [await reader.fingerprint(id), await reader.fingerprint("ses_b")];

  writeFileSync(join(home, "storage/part/msg_a2/prt_a2.json"), '{"type":"text","text":"other"}');
  const after = [await reader.fingerprint(id), await reader.fingerprint("ses_b")];
  rmSync(join(home, `storage/session/4f2a9c/${id}.json`));

  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(await reader.fingerprint(id)).toBeUndefined();
});

it("reports broken files in a tree and reads the rest", async () => {
  const home = createHome({
    ...tree,
    [`storage/message/${id}/msg_a3.json`]: "",
    "storage/part/msg_a2/prt_a3.json": '{"type":"text","te',
    "storage/message/ses_gone/msg_x.json": {},
    "storage/session/4f2a9c/ses_b.json": "null",
    "storage/session/4f2a9c/ses_c.json": { time },
    [`storage/todo/${id}.json`]: "[",
  });
  const reader = fromOpencode(home);

  const { sessions, faults } = await findSessions(reader);
  const events = [];
  for (const { key } of sessions) events.push(...(await readAll(reader, key)));

  const reasons = [...faults, ...events.flatMap((e) => (e.kind === "fault" ? [e.fault] : []))].map(
    ({ details }) => `${details.uri.slice(home.length + 1)}: ${details.reason}`,
  );
  expect(reasons.map((reason) => reason.replace(/(not JSON): .*/, "$1"))).toEqual([
    "storage/message/ses_gone: messages of a session that is gone",
    "storage/message/ses_a/msg_a3.json: not JSON",
    "storage/part/msg_a2/prt_a3.json: not JSON",
    "storage/todo/ses_a.json: not JSON",
    "ses_b: not a JSON object",
    "storage/session/4f2a9c/ses_c.json: no working directory or no time: not ingested (`model-project-non-empty`)",
  ]);
  expect(events.filter(({ kind }) => kind === "message").length).toBe(3);
});

it("reports parts that a revert in a tree left behind, and no folder that is empty", async () => {
  const home = createHome({
    ...tree,
    "storage/part/msg_reverted/prt_1.json": { type: "text", text: "taken back" },
    "storage/part/msg_reverted/prt_2.json": { type: "text", text: "taken back" },
    "storage/message/ses_gone/msg_x.json": {},
    "storage/part/msg_x/prt_x.json": { type: "text", text: "of a message that is told of" },
    "storage/message/.DS_Store": "",
    "storage/part/.DS_Store": "",
  });
  // The client removes files and leaves their folders.
  mkdirSync(join(home, "storage/part/msg_removed"));
  mkdirSync(join(home, "storage/message/ses_removed"));

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect(sessions.map(({ key }) => key)).toEqual([id]);
  expect(
    faults.map(({ details: { uri, reason } }) => [uri.slice(home.length + 1), reason]),
  ).toEqual([
    ["storage/message/ses_gone", "messages of a session that is gone"],
    ["storage/part/msg_reverted", "parts of a message that is gone"],
  ]);
  const listed: boolean[] = [];
  for await (const found of fromOpencode(home).sessions()) {
    if (found.kind === "fault") listed.push(found.isLeftover === true);
  }
  expect(listed).toEqual([false, true]);
});

it("goes on after a folder of parts that cannot be listed", async () => {
  const home = createHome({
    ...tree,
    "storage/part/msg_reverted/prt_1.json": { type: "text", text: "taken back" },
  });
  const loop = join(home, "storage/part/msg_loop");
  symlinkSync(loop, loop);

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect(sessions.map(({ key }) => key)).toEqual([id]);
  expect(
    faults.map(({ details: { uri, reason } }) => [uri.slice(home.length + 1), reason]),
  ).toEqual([
    ["storage/part/msg_loop", "cannot be read (ELOOP)"],
    ["storage/part/msg_reverted", "parts of a message that is gone"],
  ]);
});

describe("a message that was cut off", () => {
  const cut: readonly (readonly [string, () => string])[] = [
    ["a tree", () => createHome({ ...tree, [`storage/message/${id}/msg_a1.json`]: "" })],
    ["a database", () => createCut()],
  ];

  function createCut(): string {
    const home = createHome();
    const { message = [], part = [] } = exchange(id);
    const half = { ...message[0], data: '{"role":"us' };
    const session = [sessionRow(id)];
    writeDatabase(join(home, "opencode.db"), {
      session,
      message: [half, ...message.slice(1)],
      part,
    });
    return home;
  }

  it.each(cut)("in %s keeps its parts, which are restored", async (_, create) => {
    const reader = fromOpencode(create());
    const count = new RecordCount();

    const events = await Array.fromAsync(reader.read(id, undefined, count));
    const root = contentOf(events);
    const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));

    const faults = events.filter(({ kind }) => kind === "fault");
    expect(faults.map(recordCountOf)).toEqual([1]);
    expect(root.messages.map(({ id }) => id)).toEqual([`${id}#info`, "msg_a1#parts", "msg_a2"]);
    expect(events.reduce((sum, event) => sum + recordCountOf(event), 0)).toBe(count.records);
    const texts = [...files.values()].map((bytes) => Buffer.from(bytes).toString()).join("");
    expect(texts).toMatch(/of a1 in the tree|Why does the loom skip/);
  });

  it("stays as it was in a restored tree", async () => {
    const root = contentOf(await readAll(fromOpencode(cut[0]?.[1]() ?? ""), id));
    const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));
    const texts = [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);
    const restored = createHome(Object.fromEntries(texts));

    const again = contentOf(await readAll(fromOpencode(restored), id));

    expect(again).toEqual(root);
  });

  it("is no message of an export, because a client would refuse it", async () => {
    const root = contentOf(await readAll(fromOpencode(createCut()), id));

    const files = valuesOf(restoredFiles(toOpencode.writeNative({ root, descendants: [] })));

    expect(files[`pond/${id}.json`]).toMatchObject({
      messages: [{ info: { id: "msg_a2" } }],
      pond: { parts: { msg_a1: [{ id: "prt_a1", messageID: "msg_a1", type: "text" }] } },
    });
  });

  it("is read from a restored database as it was", async () => {
    const root = contentOf(await readAll(fromOpencode(createCut()), id));
    const writer = opencodeWriter({ generation: "database" });
    const [bytes] = restoredFiles(writer.writeNative({ root, descendants: [] })).values();
    const file = join(createHome(), "opencode.db");
    writeFileSync(file, bytes ?? "");

    const again = contentOf(await readAll(fromOpencode(file), id));

    expect(again.messages.slice(1)).toEqual(root.messages.slice(1));
  });
});

it("takes the directory of a session that names none from its project or its messages", async () => {
  const { directory: _, ...bare } = info;
  const home = createHome({
    "storage/session/4f2a9c/ses_a.json": bare,
    "storage/project/4f2a9c.json": { id: "4f2a9c", worktree: "/of/the/project" },
    "storage/session/global/ses_b.json": { ...bare, id: "ses_b", directory: "" },
    "storage/project/global.json": { id: "global", worktree: "/" },
    "storage/message/ses_b/msg_1.json": {
      role: "assistant",
      path: { cwd: "/of/the/message" },
      time,
    },
  });

  const projects = [];
  for (const key of ["ses_a", "ses_b"]) {
    projects.push(contentOf(await readAll(fromOpencode(home), key)).session.project);
  }

  expect(projects).toEqual(["/of/the/project", "/of/the/message"]);
});

it("takes no file of keys or logs for a session", async () => {
  const home = createHome({
    ...tree,
    "auth.json": { weaver: { key: "secret" } },
    "log/a.json": {},
  });

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect([sessions.map(({ key }) => key), faults]).toEqual([[id], []]);
});

it("reports a path that holds no session, with the reason", async () => {
  const files = { "a.json": [1], "b.json": { info: {}, messages: 1 }, "run.jsonl": [1] };
  const home = createHome(files);

  const nothing = await findSessions(fromOpencode(join(home, "nowhere")));
  const reasons = [];
  for (const name of Object.keys(files)) {
    const reader = fromOpencode(join(home, name));
    expect(await reader.fingerprint(name)).toBeDefined();
    const [event] = await readAll(reader, name);
    const details = event?.kind === "fault" ? event.fault.details : undefined;
    reasons.push([details?.uri, details?.reason]);
  }

  expect(nothing.faults.map(({ details }) => details.reason)).toEqual(["cannot be read (ENOENT)"]);
  expect(reasons).toEqual([
    [join(home, "a.json"), "not a JSON object"],
    [join(home, "b.json"), "no exported session"],
    [join(home, "run.jsonl"), "not a JSON object"],
  ]);
});

function valuesOf(files: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [path, JSON.parse(Buffer.from(bytes).toString())]),
  );
}

async function messagesOf(home: string, key = id): Promise<readonly string[]> {
  const { sessions, faults } = await findSessions(fromOpencode(home));
  expect([sessions.map(({ key }) => key), faults]).toEqual([[key], []]);
  return textsOf(home, key);
}

async function textsOf(home: string, key = id): Promise<readonly string[]> {
  return contentOf(await readAll(fromOpencode(home), key)).messages.map((message) => {
    const parts = message.role === "system" ? [] : message.content;
    const texts = parts.map((part) => (part.type === "text" ? part.text : ""));
    return `${message.id} ${texts.join("")}`;
  });
}

it("looks for a session of a tree only where the last listing found it", async () => {
  const home = createHome(
    Object.fromEntries(
      ["one", "two", "three"].map((name) => [
        `storage/session/p-${name}/ses_${name}.json`,
        { id: `ses_${name}`, directory: "/home/ada/loom", time: { created: start } },
      ]),
    ),
  );
  const reader = fromOpencode(home);
  await findSessions(reader);
  const looks = vi.spyOn(fs, "existsSync");
  syncBuiltinESMExports();

  for (const name of ["one", "two", "three"]) await readAll(reader, `ses_${name}`);

  const paths = looks.mock.calls.map(([path]) => String(path));
  looks.mockRestore();
  syncBuiltinESMExports();
  const folder = join(home, "storage/session");
  expect(paths.filter((path) => path.startsWith(`${folder}/`)).sort()).toEqual([
    join(folder, "p-one/ses_one.json"),
    join(folder, "p-three/ses_three.json"),
    join(folder, "p-two/ses_two.json"),
  ]);
});

it("finds a session of a tree that was moved or added since the last listing", async () => {
  const home = createHome(tree);
  const reader = fromOpencode(home);
  await findSessions(reader);
  const folder = join(home, "storage/session");
  renameSync(join(folder, "4f2a9c"), join(folder, "5e1b3d"));
  const other = { ...info, id: "ses_new", directory: "/home/ada/quilt" };
  writeFileSync(join(folder, "5e1b3d/ses_new.json"), JSON.stringify(other));

  const [moved, come] = [await readAll(reader, id), await readAll(reader, "ses_new")];

  expect(contentOf(moved).messages.map((each) => each.id)).toEqual([
    "ses_a#info",
    "msg_a1",
    "msg_a2",
  ]);
  expect(contentOf(come).session.project).toBe("/home/ada/quilt");
});
