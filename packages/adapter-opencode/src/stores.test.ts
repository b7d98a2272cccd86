import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import { createHome, exchange, joined, sessionRow, start, writeDatabase } from "./home.test-kit.ts";

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

describe("one session in several stores", () => {
  it("is read from the tree where that holds as much and nothing was changed since", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), rows);

    expect(await messagesOf(home)).toEqual([
      `${id}#info `,
      "msg_a1 of a1 in the tree",
      "msg_a2 of a2 in the tree",
    ]);
  });

  it.each([
    ["went on", joined(rows, exchange(id, 9, "b")), "msg_b2"],
    [
      "was renamed",
      joined({ session: [sessionRow(id, { time_updated: start + 9 })] }, exchange(id)),
      "msg_a2",
    ],
  ])("is read from the database where it %s there", async (_, tables, last) => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), tables);

    expect((await messagesOf(home)).at(-1)).toBe(`${last} The heddle is bent.`);
  });

  it("is read from the tree where the database has only its own row", async () => {
    const home = createHome(tree);
    writeDatabase(join(home, "opencode.db"), { session: [sessionRow(id)] });

    expect((await messagesOf(home)).at(-1)).toBe("msg_a2 of a2 in the tree");
  });

  it("is read from 1.x, and of 2.x only what came after the lossy copy", async () => {
    const home = createHome();
    writeDatabase(
      join(home, "opencode.db"),
      joined(rows, {
        session_v2: [sessionRow(id, { title: "Loom in 2.x" })],
        session_message: [
          copied(1, "a1", "user"),
          copied(2, "a2", "assistant", { content: [] }),
          copied(3, "n", "system", { text: "The available tools have changed: shell" }),
          copied(4, "new1", "user"),
        ],
      }),
    );

    expect(await messagesOf(home)).toEqual([
      `${id}#info `,
      "msg_a1 Why does the loom skip?",
      "msg_a2 The heddle is bent.",
      "msg_new1 of new1 in 2.x",
    ]);
  });

  it("is read from its store and not from the file it was exported to", async () => {
    const exported = { info, messages: [] };
    const home = createHome({ [`pond/${id}.json`]: exported, "pond/ses_other.json": exported });
    writeDatabase(join(home, "opencode.db"), rows);

    const { sessions } = await findSessions(fromOpencode(home));

    expect(sessions.map(({ key }) => key)).toEqual([id, "pond/ses_other.json"]);
  });

  it("is found in the database of the betas, and in that of the release before it", async () => {
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

it("changes the fingerprint of a tree's session with each of its files, and of no other", async () => {
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

it("reports what is broken in a tree and reads the rest", async () => {
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

it("finds the directory of a session that names none in its project or its messages", async () => {
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

it("leaves keys and settings alone", async () => {
  const home = createHome({
    ...tree,
    "auth.json": { weaver: { key: "secret" } },
    "log/a.json": {},
  });

  const { sessions, faults } = await findSessions(fromOpencode(home));

  expect([sessions.map(({ key }) => key), faults]).toEqual([[id], []]);
});

it("says what a path that is no source is", async () => {
  const home = createHome({ "a.json": [1], "b.json": { info: {}, messages: 1 } });

  const nothing = await findSessions(fromOpencode(join(home, "nowhere")));
  const reasons = [];
  for (const name of ["a.json", "b.json"]) {
    const [event] = await readAll(fromOpencode(join(home, name)), name);
    reasons.push(event?.kind === "fault" && event.fault.details.reason);
  }

  expect(nothing.faults.map(({ details }) => details.reason)).toEqual(["cannot be read (ENOENT)"]);
  expect(reasons).toEqual(["not a JSON object", "no exported session"]);
});

async function messagesOf(home: string): Promise<readonly string[]> {
  const { sessions, faults } = await findSessions(fromOpencode(home));
  expect([sessions.map(({ key }) => key), faults]).toEqual([[id], []]);
  return contentOf(await readAll(fromOpencode(home), id)).messages.map((message) => {
    const parts = message.role === "system" ? [] : message.content;
    const texts = parts.map((part) => (part.type === "text" ? part.text : ""));
    return `${message.id} ${texts.join("")}`;
  });
}
