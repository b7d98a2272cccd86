import { contentOf, findSessions, readAll, restoredFiles } from "@pond/adapter-testkit";
import { type MessageEvent, partsOf, recordCountOf } from "@pond/canonical";
import { RecordCount } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  openDatabase,
  sessionRow,
  start,
  writeDatabase,
} from "./home.test-kit.ts";
import { opencodeWriter, toOpencode } from "./to-opencode.ts";

const id = "ses_a";
const path = { cwd: "/home/ada/loom", root: "/home/ada/loom" };
const message = (name: string, at: number, fields: object) => ({
  [`storage/message/${id}/msg_${name}.json`]: {
    id: `msg_${name}`,
    sessionID: id,
    time: { created: start + at, completed: start + at },
    ...fields,
  },
  [`storage/part/msg_${name}/prt_${name}.json`]: { type: "text", text: `of ${name}` },
});
const own = `storage/session/4f2a9c/${id}.json`;
const log = {
  ...message("a1", 5, { role: "user" }),
  ...message("a2", 6, { role: "assistant", path }),
};

it.each([
  ["is empty, as after a full disk", ""],
  ["is cut off", '{"id":"ses_a","vers'],
  ["holds only zeros, as after a power cut", "\0".repeat(200)],
])("reads a session whose own file %s (`adapter-integrity-no-silent-drops`)", async (_, text) => {
  const home = createHome({ [own]: text, ...log });
  const count = new RecordCount();

  const events = await Array.fromAsync(fromOpencode(home).read(id, undefined, count));

  const root = contentOf(events);
  expect(root.session).toMatchObject({ id, project: "/home/ada/loom" });
  expect(root.session.created_at).toBe(BigInt(start + 5) * 1000n);
  expect(root.messages.map((each) => each.id)).toEqual([`${id}#info`, "msg_a1", "msg_a2"]);
  const faults = events.flatMap((event) =>
    event.kind === "fault" ? [event.fault.details.uri] : [],
  );
  expect(faults).toEqual([`${home}/${own}`]);
  expect(events.reduce((sum, event) => sum + recordCountOf(event), 0)).toBe(count.records);
  // What is stored of it may have come with the file (`lance-append-only`).
  const infos = events.filter((event) => event.kind === "message" && event.isIncomplete);
  expect(infos).toHaveLength(1);
});

it("keeps the stored record of a whole session file, and replaces one of a broken file by that of 2.x", async () => {
  const whole = { id, directory: "/home/ada/loom", time: { created: start } };
  const infos: MessageEvent[] = [];
  for (const [text, title] of [[whole], [""], ["", "Loom"], ["", "Linen"]]) {
    const home = createHome({ [own]: text, ...log });
    if (title !== undefined) {
      const row = sessionRow(id, { title, time_updated: start + 100 });
      writeDatabase(`${home}/opencode.db`, { session_v2: [row] });
    }
    const events = await readAll(fromOpencode(home), id);
    infos.push(...events.filter((event) => event.kind === "message").slice(0, 1));
  }
  const stored = infos.map(({ message: { options } }) => ({ options, parts: [] }));

  expect(
    infos.map(
      ({ isStoredComplete }) => isStoredComplete && stored.map((each) => isStoredComplete(each)),
    ),
  ).toEqual([
    undefined,
    [true, false, true, true],
    [true, false, false, false],
    [true, false, false, false],
  ]);
});

it("restores the broken file of a session in a tree as it was", async () => {
  const root = contentOf(await readAll(fromOpencode(createHome({ [own]: "", ...log })), id));
  const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));
  const texts = [...files].map(([at, bytes]) => [at, Buffer.from(bytes).toString()]);
  const restored = createHome(Object.fromEntries(texts));

  const again = contentOf(await readAll(fromOpencode(restored), id));

  expect(files.get(own)).toHaveLength(0);
  expect(again).toEqual(root);
});

it("defers a session whose own file is broken but may still be written", async () => {
  const home = createHome({ [own]: "", ...log });

  const events = await readAll(fromOpencode(home, { now: () => new Date(start + 1000) }), id);

  // The file stays the same: who remembers it looks again all the same.
  expect(events).toMatchObject([{ kind: "fault", isRetryable: true }]);
});

it("counts each record once if a session has a recently broken file and a second fault (`adapter-integrity-no-silent-drops`)", async () => {
  const home = createHome({ [own]: "", ...log });
  const database = openDatabase(`${home}/opencode.db`, { session_v2: [sessionRow(id)] });
  database.exec("UPDATE session_v2 SET title = CAST(x'ff41' AS TEXT)");
  database.close();
  const [count, now] = [new RecordCount(), () => new Date(start + 1000)];

  const reading = fromOpencode(home, { now }).read(id, undefined, count);
  const events = await Array.fromAsync(reading);

  expect(events.map(({ kind }) => kind)).toEqual(["fault", "fault"]);
  expect(events.reduce((sum, event) => sum + recordCountOf(event), 0)).toBe(count.records);
});

it("marks the parent of a session unresolved if its own file broke since it was stored (`session-durable-copy`)", async () => {
  const record = { id, parentID: "ses_p", directory: "/home/ada/loom", time: { created: start } };
  const opened: unknown[] = [];
  for (const text of [record, '{"id":"ses_a","pare']) {
    const events = await readAll(fromOpencode(createHome({ [own]: text, ...log })), id);
    opened.push(events.find(({ kind }) => kind === "session"));
  }

  expect(opened).toMatchObject([
    { session: { parent_session_id: "ses_p" } },
    { session: { id }, unresolved: "parent" },
  ]);
});

it("reads nothing of a session with a broken file if no message says where it ran", async () => {
  const home = createHome({ [own]: "", ...message("a1", 5, { role: "user" }) });

  const events = await readAll(fromOpencode(home), id);

  expect(events.map(({ kind }) => kind)).toEqual(["fault"]);
});

it("reads a session from its tables if its file in the tree is broken", async () => {
  const home = createHome({ [own]: "", ...log });
  const rows = { session: [sessionRow(id)], ...exchange(id) };
  writeDatabase(`${home}/opencode.db`, rows);

  const events = await readAll(fromOpencode(home), id);

  expect(contentOf(events).session).toMatchObject({ id });
  expect(contentOf(events).messages.length).toBeGreaterThanOrEqual(3);
});

it.each([
  ["is an empty session file", {}],
  ["is an empty session file and an empty message", { [`storage/message/${id}/msg_a1.json`]: "" }],
])(
  "reads a session from its tables without a fault if all that a tree has of it %s",
  async (_, broken) => {
    const home = createHome({ [own]: "", ...broken });
    writeDatabase(`${home}/opencode.db`, { session: [sessionRow(id)], ...exchange(id) });

    const events = await readAll(fromOpencode(home), id);

    const { session, messages } = contentOf(events);
    expect(session).toMatchObject({ id, project: sessionRow(id)["directory"] });
    expect(messages.map((each) => each.id)).toEqual([`${id}#info`, "msg_a1", "msg_a2"]);
    // As nothing of a tree is told that is read from its tables.
    expect(events.filter(({ kind }) => kind === "fault")).toEqual([]);
  },
);

it("takes the directory of a session with a broken file from 2.x if it went on there", async () => {
  const home = createHome({ [own]: "", ...message("a1", 5, { role: "user" }) });
  const row = sessionRow(id, { directory: "/loom", parent_id: "ses_p", time_created: start });
  const later = { id: "msg_z", session_id: id, type: "user", seq: 1, time_created: start + 9 };
  const data = { text: "on", time: { created: start + 9 } };
  writeDatabase(`${home}/opencode.db`, {
    session_v2: [row],
    session_message: [{ ...later, time_updated: start + 9, data }],
  });

  const { session, messages } = contentOf(await readAll(fromOpencode(home), id));

  expect(session).toMatchObject({ project: "/loom", parent_session_id: "ses_p" });
  expect(session.created_at).toBe(BigInt(start) * 1000n);
  expect(messages.map((each) => each.id)).toEqual([`${id}#info`, "msg_a1", "msg_z"]);
});

describe("a message whose file broke since it was stored", () => {
  const session = { id, directory: "/home/ada/loom", time: { created: start, updated: start } };
  const whole = { [own]: session, ...log };
  const broken = {
    ...whole,
    [`storage/message/${id}/msg_a2.json`]: '{"id":"msg_a2',
    "storage/part/msg_a2/prt_late.json": { type: "text", text: "come since" },
  };

  /** As it is stored: an ingest keeps a message that was there and cannot be read any more. */
  async function lineage() {
    const stored = contentOf(await readAll(fromOpencode(createHome(whole)), id));
    const read = contentOf(await readAll(fromOpencode(createHome(broken)), id));
    const parts = read.messages.filter((each) => each.id === "msg_a2#parts");
    const root = { ...stored, messages: [...stored.messages, ...parts] };
    return { root, descendants: [] };
  }

  it.each(["tree", "export"] as const)(
    "is restored once, with the parts added since, into a session as %s",
    async (generation) => {
      const written = [...opencodeWriter({ generation }).writeNative(await lineage())];

      expect(new Set(written.map(({ path }) => path)).size).toBe(written.length);
      const texts = [...restoredFiles(written)].map(([at, bytes]): [string, string] => {
        return [at, Buffer.from(bytes).toString()];
      });
      const reader = fromOpencode(createHome(Object.fromEntries(texts)));
      const [found] = (await findSessions(reader)).sessions;
      const { messages } = contentOf(await readAll(reader, found?.key ?? ""));
      expect(messages.map((each) => each.id)).toEqual([`${id}#info`, "msg_a1", "msg_a2"]);
      expect(messages.flatMap(partsOf)).toMatchObject([
        ...[{ text: "of a1" }, { text: "of a2" }, { text: "come since" }],
      ]);
    },
  );

  it("is restored into one database file", async () => {
    const writer = opencodeWriter({ generation: "database" });

    expect([...restoredFiles(writer.writeNative(await lineage())).keys()]).toHaveLength(1);
  });
});
