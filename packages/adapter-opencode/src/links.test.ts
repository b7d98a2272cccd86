import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  joined,
  openDatabase,
  sessionRow,
  start,
  writeDatabase,
} from "./home.test-kit.ts";

const rows = joined({ session: [sessionRow("ses_a")] }, exchange("ses_a"));
const time = { created: start, updated: start };
const info = { id: "ses_t", directory: "/home/ada/loom", time };
const out = "a symbolic link out of the folder, not followed";

describe("a link to a database", () => {
  it.each([
    ["that the reader is given", (home: string) => join(home, "link.db")],
    ["in the client's folder", (home: string) => join(home, "client")],
  ])("%s is read with the log beside the database itself", async (_, pathIn) => {
    const home = createHome({ "disk/keep": "", "client/keep": "" });
    openDatabase(join(home, "disk/opencode.db"), rows);
    symlinkSync(join(home, "disk/opencode.db"), join(home, "link.db"));
    symlinkSync(join(home, "disk/opencode.db"), join(home, "client/opencode.db"));
    const reader = fromOpencode(pathIn(home));

    const { sessions, faults } = await findSessions(reader);

    expect([sessions.map(({ key }) => key), faults]).toEqual([["ses_a"], []]);
    const { messages } = contentOf(await readAll(reader, "ses_a"));
    expect(messages.map(({ id }) => id)).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
  });

  it("is not read a second time if the database itself is read", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), rows);
    symlinkSync("opencode.db", join(home, "opencode-beta.db"));

    const { sessions, faults } = await findSessions(fromOpencode(home));

    expect([sessions.map(({ key }) => key), faults]).toEqual([["ses_a"], []]);
  });
});

// Other systems have no such names.
it.runIf(process.platform === "linux")(
  "reports folders and exports whose name is not UTF-8",
  async () => {
    const home = createHome({ "ses_t.json": { info, messages: [] } });
    const odd = (name: string): Buffer => Buffer.from(join(home, name), "latin1");
    mkdirSync(odd("caf\xe9"));
    writeFileSync(odd("ses_\xe9.json"), JSON.stringify({ info, messages: [] }));
    writeFileSync(odd("\xe9.jpg"), "a picture");

    const { sessions, faults } = await findSessions(fromOpencode(home));

    expect(sessions.map(({ key }) => key)).toEqual(["ses_t.json"]);
    expect(faults.map(({ details: { uri, reason } }) => [uri, reason])).toEqual(
      ["caf\u{fffd}", "ses_\u{fffd}.json"].map((name) => [
        join(home, name),
        "a name that is not UTF-8: not stored",
      ]),
    );
  },
);

it("reports links that lead out of the folder or nowhere, and reads other targets once", async () => {
  const session = (id: string) => ({ ...info, id });
  const message = { role: "user", time };
  const home = createHome({
    "in/storage/session/global/ses_t.json": info,
    "in/storage/message/ses_t/msg_1.json": message,
    "in/storage/part/msg_1/prt_1.json": { type: "text", text: "Why?" },
    "out/ses_b.json": session("ses_b"),
    "out/message.json": message,
    "out/project/ses_c.json": session("ses_c"),
  });
  const [inside, outside] = [join(home, "in"), join(home, "out")];
  const link = (target: string, path: string): void => symlinkSync(target, join(inside, path));
  link(join(outside, "project"), "storage/session/linked");
  link("global", "storage/session/here");
  link(join(outside, "ses_b.json"), "storage/session/global/ses_b.json");
  link(join(outside, "message.json"), "storage/message/ses_t/msg_2.json");
  link("msg_1.json", "storage/message/ses_t/msg_3.json");
  link("prt_9.json", "storage/part/msg_1/prt_2.json");
  link("nowhere", "opencode.db");
  link(outside, "pond");
  mkdirSync(join(inside, "exports"));
  link("..", "exports/up");
  const reader = fromOpencode(inside);

  const { sessions, faults } = await findSessions(reader);
  const events = [];
  for (const { key } of sessions) events.push(...(await readAll(reader, key)));

  const allFaults = [
    ...faults,
    ...events.flatMap((event) => (event.kind === "fault" ? [event.fault] : [])),
  ];
  const reasons = allFaults.map(({ details: { uri, reason } }) => [uri, reason]);
  const expected = [
    ...["exports/up", "opencode.db", "pond", "storage/message/ses_t/msg_2.json"],
    ...["storage/part/msg_1/prt_2.json", "ses_b", "storage/session/linked"],
  ];
  expect(reasons.sort()).toEqual(expected.map((path) => [join(inside, path), out]).sort());
  const ids = events.flatMap((event) => (event.kind === "message" ? [event.message.id] : []));
  expect(ids).toEqual(["ses_t#info", "msg_1"]);
});
