import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
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
  writeDatabase,
} from "./home.test-kit.ts";

const rows = joined({ session: [sessionRow("ses_a")] }, exchange("ses_a"));

describe("beside a running client", () => {
  it("reads rows that stand only in the write-ahead log, and every later change", async () => {
    const home = createHome();
    const client = openDatabase(join(home, "opencode.db"), rows);
    const reader = fromOpencode(home);

    const [before] = (await findSessions(reader)).sessions;
    const first = await messageIds(home);
    const later = messageRow("ses_a", "msg_b1", 60_000, { role: "user" });
    insert(client, "message", later);
    insert(client, "part", partRow(later, "prt_b1", { type: "text", text: "And now?" }));

    expect(first).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
    expect(await messageIds(home)).toEqual([...first, "msg_b1"]);
    expect(await reader.fingerprint("ses_a")).not.toBe(before?.fingerprint);
  });

  it("notices a row that was changed to another of its length, by a clock that was set back", async () => {
    const home = createHome();
    const client = openDatabase(join(home, "opencode.db"), rows);
    const reader = fromOpencode(home);
    const before = await reader.fingerprint("ses_a");

    client.exec(
      `UPDATE part SET data = replace(data, 'Why', 'How'), time_updated = time_updated - 60000
       WHERE id = 'prt_a1'`,
    );

    expect(await reader.fingerprint("ses_a")).not.toBe(before);
  });

  it("sees each session at one moment, while the client goes on writing", async () => {
    const home = createHome();
    const client = openDatabase(join(home, "opencode.db"), rows);

    const ids: string[] = [];
    for await (const event of fromOpencode(home).read("ses_a")) {
      if (event.kind !== "message") continue;
      ids.push(event.message.id);
      insert(client, "message", messageRow("ses_a", `msg_z${ids.length}`, 99, { role: "user" }));
    }

    expect(ids).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
  });

  it("lets the client write a checkpoint and exit, and leaves nothing behind", async () => {
    const home = createHome();
    const client = openDatabase(join(home, "opencode.db"), rows);

    await messageIds(home);
    client.close();

    expect(readdirSync(home)).toEqual(["opencode.db"]);
  });
});

describe("a database that no client has open", () => {
  it("is read without creating or changing a file", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), rows);
    const before = stateOf(home);

    const ids = await messageIds(home);

    expect(ids).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
    expect(stateOf(home)).toEqual(before);
  });

  it.each([
    ["with its index file", []],
    ["without its index file", ["opencode.db-shm"]],
  ])("is read with the log that a crash left, %s, and not tidied up", async (_, missing) => {
    const [home, other] = [createHome(), createHome()];
    openDatabase(join(other, "opencode.db"), rows);
    // What a process leaves that is killed: the log was never written back.
    for (const name of readdirSync(other)) copyFileSync(join(other, name), join(home, name));
    for (const name of missing) rmSync(join(home, name));
    const before = stateOf(home);

    const ids = await messageIds(home);

    expect(before).not.toEqual([]);
    expect(ids).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
    expect(stateOf(home)).toEqual(before);
  });

  it("is copied once for all sessions that are read from its log, and again when the log changed", async () => {
    const [home, other] = [createHome(), createHome()];
    const client = openDatabase(
      join(other, "opencode.db"),
      joined(rows, { session: [sessionRow("ses_b")] }, exchange("ses_b", 10, "b")),
    );
    const copyLog = (): void => {
      for (const name of ["opencode.db", "opencode.db-wal"])
        copyFileSync(join(other, name), join(home, name));
    };
    copyLog();
    const first = await messageIds(home);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("TMPDIR", join(home, "no-folder-to-copy-to"));

    const second = contentOf(await readAll(fromOpencode(home), "ses_b")).messages;

    expect([first, second.map(({ id }) => id)]).toEqual([
      ["ses_a#info", "msg_a1", "msg_a2"],
      ["ses_b#info", "msg_b1", "msg_b2"],
    ]);
    vi.unstubAllEnvs();
    client.exec("DELETE FROM message WHERE id = 'msg_a2'");
    copyLog();
    expect(await messageIds(home)).toEqual(["ses_a#info", "msg_a1"]);
  });

  it("is left untouched with its log if the database itself was cut off", async () => {
    const [home, other] = [createHome(), createHome()];
    openDatabase(join(other, "opencode.db"), rows);
    for (const name of readdirSync(other)) copyFileSync(join(other, name), join(home, name));
    truncateSync(join(home, "opencode.db"));
    const before = stateOf(home);

    await findSessions(fromOpencode(home));

    expect(before.length).toBe(3);
    expect(stateOf(home)).toEqual(before);
  });

  it("is read if it has no write-ahead log at all", async () => {
    const home = createHome();
    writeDatabase(join(home, "opencode.db"), rows, "delete");

    expect(await messageIds(home)).toEqual(["ses_a#info", "msg_a1", "msg_a2"]);
  });

  it("reports a read as pending if the database changed during the read", async () => {
    const home = createHome();
    const file = join(home, "opencode.db");
    writeDatabase(file, rows);

    const events = [];
    for await (const event of fromOpencode(home).read("ses_a")) {
      if (events.length === 0) openAgain(file).exec("UPDATE session SET title = 'other'");
      events.push(event);
    }

    expect(events.at(-1)).toEqual({
      kind: "pending",
      location: `${home}:ses_a`,
      reason: `${file} changed while it was read`,
      records: 0,
    });
  });
});

it("prints no warning of SQLite's, but every other warning", () => {
  const code = `
    const { sqlite } = await import("./stores/sqlite.ts");
    sqlite();
    process.emitWarning("the heddle is bent");
  `;
  const node = ["--conditions=@pond/source", "--input-type=module-typescript", "--eval", code];

  const { stderr } = spawnSync(process.execPath, node, {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
  });

  expect(stderr.match(/Warning: .*/g)).toEqual(["Warning: the heddle is bent"]);
});

async function messageIds(home: string): Promise<readonly string[]> {
  return contentOf(await readAll(fromOpencode(home), "ses_a")).messages.map(({ id }) => id);
}

/** Every file of a folder with its bytes and its time. */
function stateOf(folder: string): readonly (readonly [string, string, number])[] {
  return readdirSync(folder).map((name) => {
    const file = join(folder, name);
    return [name, readFileSync(file, "base64"), statSync(file).mtimeMs];
  });
}
