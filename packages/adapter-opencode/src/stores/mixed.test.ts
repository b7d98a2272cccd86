import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, findSessions, readAll, restoredFiles } from "@pond/adapter-testkit";
import type { ReadEvent } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import {
  createHome,
  exchange,
  insert,
  joined,
  messageRow,
  openDatabase,
  partRow,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "../home.test-kit.ts";
import { opencodeProblems } from "../problems.ts";
import { opencodeRecordRules } from "../record-rules.ts";
import { opencodeResume } from "../resume.ts";
import { opencodeWriter } from "../to-opencode.ts";

const id = "ses_a";
const row2 = (seq: number, name: string, at: number, type: string, data: object) => ({
  id: `msg_${name}`,
  session_id: id,
  type,
  seq,
  time_created: start + at,
  time_updated: start + at,
  data: { time: { created: start + at, completed: start + at }, ...data },
});
const ended = { agent: "build", model: { id: "m", providerID: "p" }, cost: 0 };
const session = sessionRow(id, { title: "Loom", agent: "build", parent_id: "ses_above" });
const switched = row2(1, "s1", -1, "model-switched", { model: { id: "m", providerID: "p" } });
const api = (seq: number, name: string, at: number) => [
  row2(seq, `${name}1`, at, "user", { text: `${name} through the API?` }),
  row2(seq + 1, `${name}2`, at + 1, "assistant", {
    ...ended,
    content: [{ type: "text", text: `${name}, answered` }],
  }),
];
/** As a client of 1.18 has it whose user took turns in its window and through its API. */
const mixed: Tables = joined(
  { session: [session], session_message: [switched, ...api(30, "v", 10), ...api(50, "w", 30)] },
  exchange(id),
  exchange(id, 20, "b"),
);
const messageIds = ["s1", "a1", "a2", "v1", "v2", "b1", "b2", "w1", "w2"].map(
  (name) => `msg_${name}`,
);

describe("a session with turns of 1.x and turns through its API of 2.x", () => {
  it("is read with all turns in order of time, and one record", async () => {
    const reader = fromOpencode(homeOf(mixed));

    const { sessions, faults } = await findSessions(reader);
    const { messages } = contentOf(await readAll(reader, id));

    expect([faults, sessions.map(({ key }) => key)]).toEqual([[], [id]]);
    expect(messages.map((message) => message.id)).toEqual([`${id}#info`, ...messageIds]);
    expect(messages[0] && sourceOf(messages[0])).toMatchObject({ schema: 1 });
    expect(await reader.fingerprint(id)).toBe(sessions[0]?.fingerprint);
  });

  const rows = Object.entries(mixed).flatMap(([table, all]) => all.map((row) => ({ table, row })));
  const of = (...tables: readonly string[]) => rows.filter(({ table }) => tables.includes(table));
  it.each([
    ["in the window first", [...of("message", "part"), ...of("session_message")]],
    ["through the API first", [...of("session_message"), ...of("message", "part")]],
    [
      "in chronological order",
      of("message", "part", "session_message").toSorted((a, b) => at(a) - at(b)),
    ],
  ])("keeps its messages as it grows %s", async (_, grown) => {
    const home = createHome();
    const client = openDatabase(join(home, "opencode.db"), {
      session: [session],
      message: [],
      session_message: [],
    });
    const reader = fromOpencode(home);
    let before: readonly ReadEvent[] = [];
    let mark: string | undefined;
    for (const { table, row } of grown) {
      insert(client, table, row);
      const now = lasting(await readAll(reader, id));
      const ids = new Set(now.map(idOf));
      expect(before.map(idOf).filter((each) => !ids.has(each))).toEqual([]);
      expect(now).toEqual(expect.arrayContaining([...before]));
      const next = await reader.fingerprint(id);
      expect(next).not.toBe(mark);
      [before, mark] = [now, next];
    }

    const atOnce = lasting(await readAll(fromOpencode(homeOf(mixed)), id));
    expect(before).toEqual(atOnce);
  });

  it.each([
    ["with turns of both", mixed],
    ["with only a model change through the API", { ...mixed, session_message: [switched] }],
  ])(
    "is restored as one export for each client, and read again as the same: %s",
    async (_, tables) => {
      const home = homeOf(tables);
      const content = contentOf(await readAll(fromOpencode(home), id));
      const lineage = { root: content, descendants: [] };

      const written = [...opencodeWriter().writeNative(lineage)];
      const files = restoredFiles(written);
      const again = createHome(textsOf(files));
      const read = contentOf(await readAll(fromOpencode(again), `pond/${id}.json`));
      const { commands } = opencodeResume({
        session: content.session,
        home: "/data",
        files: written,
      });

      expect([...files.keys()]).toEqual([`pond/${id}.json`, `pond/${id}.2.json`]);
      const others = new Map([...files].slice(1));
      expect(opencodeProblems(others)).toEqual([]);
      expect(read).toEqual(content);
      expect(commands[0]?.join(" ")).toBe(`opencode import /data/pond/${id}.json`);
      expect(restoredFiles(opencodeWriter().writeNative({ root: read, descendants: [] }))).toEqual(
        files,
      );
    },
  );

  it("is restored to a database of its own as it was", async () => {
    const content = contentOf(await readAll(fromOpencode(homeOf(mixed)), id));
    const writer = opencodeWriter({ generation: "database" });
    const [bytes] = restoredFiles(writer.writeNative({ root: content, descendants: [] })).values();

    const home = createHome();
    writeFileSync(join(home, "opencode.db"), bytes ?? "");

    expect(contentOf(await readAll(fromOpencode(home), id))).toEqual(content);
  });

  it("is restored to a database with its rows of 2.x if its turns of 1.x stand in a tree", async () => {
    const prompt = { role: "user", time: { created: start } };
    const home = createHome({
      "storage/session/p/ses_a.json": {
        id,
        projectID: "p",
        directory: "/loom",
        title: "Loom",
        time: { created: start, updated: start },
      },
      "storage/message/ses_a/msg_t1.json": { ...prompt, id: "msg_t1", sessionID: id },
    });
    writeDatabase(join(home, "opencode.db"), {
      session: [sessionRow(id, { title: "Loom", time_updated: start })],
      message: [messageRow(id, "msg_t1", 0, prompt)],
      part: [],
      session_message: api(30, "v", 10),
    });
    const content = contentOf(await readAll(fromOpencode(home), id));
    const writer = opencodeWriter({ generation: "database" });
    const [bytes] = restoredFiles(writer.writeNative({ root: content, descendants: [] })).values();
    const again = createHome();
    writeFileSync(join(again, "opencode.db"), bytes ?? "");
    const read = contentOf(await readAll(fromOpencode(again), id));

    expect(content.messages[0] && sourceOf(content.messages[0])).toMatchObject({ store: "tree" });
    expect(read.messages.slice(2)).toEqual(content.messages.slice(2));
    expect(read.messages.length).toBe(4);
  });

  it("is not reported for files that pond restored beside its database", async () => {
    const home = homeOf(mixed);
    const root = contentOf(await readAll(fromOpencode(home), id));
    const files = restoredFiles(opencodeWriter().writeNative({ root, descendants: [] }));
    const beside = createHome(textsOf(files));
    writeDatabase(join(beside, "opencode.db"), mixed);

    const { sessions, faults } = await findSessions(fromOpencode(beside));
    const events = await readAll(fromOpencode(beside), id);

    expect([faults, sessions.map(({ key }) => key)]).toEqual([[], [id]]);
    expect(events.filter(({ kind }) => kind === "fault")).toEqual([]);
  });

  it("is reported if pond restored turns that its database lacks", async () => {
    const root = contentOf(await readAll(fromOpencode(homeOf(mixed)), id));
    const files = restoredFiles(opencodeWriter().writeNative({ root, descendants: [] }));
    const beside = createHome(textsOf(files));
    writeDatabase(join(beside, "opencode.db"), { ...mixed, session_message: [switched] });

    const events = await readAll(fromOpencode(beside), id);

    const faults = events.flatMap((event) => (event.kind === "fault" ? [event.fault.details] : []));
    expect(faults.map(({ uri, reason }) => [uri, reason])).toEqual([
      [
        join(beside, `pond/${id}.2.json`),
        "the other half of a session that a store holds: not read",
      ],
    ]);
  });

  it("waits for an open last answer in the window, even if turns through the API follow", async () => {
    const open = messageRow(id, "msg_c1", 8, { role: "assistant" });
    const text = partRow(open, "prt_c1", { type: "text", text: "The hed" });
    const home = homeOf(joined(mixed, { message: [open], part: [text] }));
    const now = () => new Date(start + 1000);
    const later = { ...mixed, message: mixed["message"]?.slice(0, 2) ?? [] };
    const without = homeOf(joined(later, { message: [open], part: [text] }));

    const proven = await readAll(fromOpencode(home, { now }), id);
    const waiting = await readAll(fromOpencode(without, { now }), id);

    expect(proven.filter(({ kind }) => kind === "pending")).toEqual([]);
    const pending = waiting.filter((event) => event.kind === "pending");
    expect(pending.map(({ reason }) => reason)).toEqual(["the answer is not complete"]);
    expect(contentOf(waiting).messages.map((message) => message.id)).toContain("msg_w2");
  });

  it.each([
    ["in the window", "msg_b1", ["msg_b1", "msg_b2"]],
    ["through the API", "msg_v1", ["msg_v1", "msg_v2", "msg_w1", "msg_w2"]],
  ])("leaves out the turns that were undone %s", async (_, messageID, undone) => {
    const reverted = [{ ...session, revert: { messageID } }];
    const content = contentOf(
      await readAll(fromOpencode(homeOf({ ...mixed, session: reverted })), id),
    );

    const course = opencodeRecordRules.course?.(content);

    expect(course?.undone.map((message) => message.id)).toEqual(undone);
    expect(course?.live.map((message) => message.id)).toEqual(
      [`${id}#info`, ...messageIds].filter((each) => !undone.includes(each)),
    );
  });

  it("reads only once a message that an early release previewed in the table of 2.x", async () => {
    const home = homeOf({ ...mixed, session_message: [row2(1, "a1", 0, "user", { text: "Why" })] });

    const { messages } = contentOf(await readAll(fromOpencode(home), id));

    expect(messages.map((message) => message.id)).toEqual([
      `${id}#info`,
      "msg_a1",
      "msg_a2",
      "msg_b1",
      "msg_b2",
    ]);
  });

  it("reads no previews from a table without an order, as early releases wrote it", async () => {
    const home = createHome();
    const { session: sessions = [], session_message: previews = [] } = mixed;
    const previewOf = (session: string) => ({
      ...row2(1, session, 10, "user", { text: "a preview" }),
      session_id: session,
    });
    openDatabase(join(home, "opencode.db"), {
      ...mixed,
      session: [...sessions, sessionRow("ses_empty")],
      session_message: [...previews, previewOf("ses_empty"), previewOf("ses_gone")],
    }).exec("ALTER TABLE session_message DROP COLUMN seq");
    const reader = fromOpencode(home);

    const found = await findSessions(reader);
    const read = [await readAll(reader, id), await readAll(reader, "ses_empty")];

    expect([found.faults, found.sessions.map(({ key }) => key)]).toEqual([[], [id, "ses_empty"]]);
    expect(read.flat().filter(({ kind }) => kind === "fault")).toEqual([]);
    expect(read.map((events) => contentOf(events).messages.map((message) => message.id))).toEqual([
      [`${id}#info`, "msg_a1", "msg_a2", "msg_b1", "msg_b2"],
      ["ses_empty#info"],
    ]);
  });

  it("reads turns from a table without an order if there are no tables of 1.x", async () => {
    const home = createHome();
    const database = openDatabase(join(home, "opencode.db"), mixed);
    database.exec(
      "ALTER TABLE session_message DROP COLUMN seq; DROP TABLE part; DROP TABLE message",
    );

    const { sessions, faults } = await findSessions(fromOpencode(home));

    expect([faults, sessions.map(({ key }) => key)]).toEqual([[], [id]]);
  });

  it("is reported once for all its rows if the session's own row is gone", async () => {
    const home = homeOf({ ...mixed, session: [] });

    const { faults } = await findSessions(fromOpencode(home));

    expect(faults.map(({ details }) => details.reason)).toEqual([
      "messages of a session that is gone",
    ]);
  });
});

function homeOf(tables: Tables): string {
  const home = createHome();
  writeDatabase(join(home, "opencode.db"), tables);
  return home;
}

function textsOf(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  );
}

/** What is told of messages, however many rows they have; the session itself changes with each turn. */
function lasting(events: readonly ReadEvent[]): readonly ReadEvent[] {
  return events.flatMap((event): readonly ReadEvent[] => {
    if (event.kind === "part") return [event];
    const isMessage = event.kind === "message" && event.message.id !== `${id}#info`;
    return isMessage ? [{ ...event, records: 0 }] : [];
  });
}

function idOf(event: ReadEvent): string {
  if (event.kind === "message") return event.message.id;
  return event.kind === "part" ? `${event.part.message_id} ${event.part.id}` : event.kind;
}

function at({ row }: { readonly row: Readonly<Record<string, unknown>> }): number {
  return Number(row["time_created"]);
}
