import { closeSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { findSessions } from "@pond/adapter-testkit";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import { createHome, openAgain, sessionRow, writeDatabase } from "../home.test-kit.ts";
import { Database, DatabaseChanged } from "./database.ts";

const manyRows = 1000;

describe("a database that changes while it is read as unchanging", () => {
  it.each([
    ["is written to", (file: string) => openAgain(file).exec("UPDATE loom SET thread = 'other'")],
    ["loses its rows", (file: string) => openAgain(file).exec("DELETE FROM loom; VACUUM")],
    ["is cut off", (file: string) => truncateSync(file, 4096)],
  ])("gives no rows from after the change if it %s", (_, change) => {
    const file = createLoom();
    const database = new Database(file);

    const threads: unknown[] = [];
    const readOn = (): void => {
      for (const { thread } of database.rows("SELECT thread FROM loom")) {
        threads.push(thread);
        if (threads.length === 1) change(file);
      }
    };

    expect(readOn).toThrow(DatabaseChanged);
    expect(threads.length).toBeLessThan(manyRows / 2);
    expect(new Set(threads)).toEqual(new Set([thread]));
    // That it finds nothing now says nothing either.
    expect(() => [...database.rows("SELECT thread FROM loom WHERE thread = 'none'")]).toThrow(
      DatabaseChanged,
    );
    database.close();
  });

  it("is reported when its sessions are listed", async () => {
    const home = createHome({ "opencode-x.db": "this is a text" });
    const file = join(home, "opencode.db");
    writeDatabase(file, { session: [sessionRow("ses_a")] });

    const reasons: string[] = [];
    for await (const found of fromOpencode(home).sessions()) {
      if (found.kind !== "fault") continue;
      reasons.push(found.fault.details.reason);
      // The first fault comes when this database is open already.
      if (reasons.length === 1) openAgain(file).exec("UPDATE session SET title = 'other'");
    }

    expect(reasons).toEqual([
      "cannot be read (file is not a database)",
      `${file} changed while it was read`,
    ]);
    expect((await findSessions(fromOpencode(home))).sessions.map(({ key }) => key)).toEqual([
      "ses_a",
    ]);
  });
});

it("gives every row before a damaged page", () => {
  const file = createLoom();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(4096, 7), 0, 4096, Math.floor(statSync(file).size / 8192) * 4096);
  closeSync(handle);
  const database = new Database(file);

  const read = countUntilDamage(database, "SELECT thread FROM loom");

  // One by one, so that SQLite itself reads no row ahead.
  let expected = 0;
  while (countUntilDamage(database, `SELECT thread FROM loom LIMIT 1 OFFSET ${expected}`) === 1) {
    expected++;
  }
  expect(expected).toBeGreaterThan(0);
  expect(expected % 100).not.toBe(0);
  expect(read).toBe(expected);
  database.close();
});

function countUntilDamage(database: Database, sql: string): number {
  let count = 0;
  try {
    for (const _ of database.rows(sql)) count++;
  } catch (error) {
    expect(String(error)).toContain("database disk image is malformed");
  }
  return count;
}

const thread = "warp ".repeat(20);

/** A database of many pages. */
function createLoom(): string {
  const file = join(createHome(), "opencode.db");
  const database = openAgain(file);
  database.exec("CREATE TABLE loom (thread text); BEGIN");
  const insert = database.prepare("INSERT INTO loom VALUES (?)");
  for (let row = 0; row < manyRows; row++) insert.run(thread);
  database.exec("COMMIT");
  database.close();
  return file;
}
