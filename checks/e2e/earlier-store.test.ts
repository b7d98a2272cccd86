import { connect } from "@lancedb/lancedb";
import { openSessions } from "@pond/sessions";
import { foldIndexes } from "@pond/sync";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHome, type Home } from "./pond.ts";
import { rowDifferences, storedRows } from "./rows.ts";
import { type ClientHome, clientHomes } from "./sources.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** Without the two largest, which would only add more of the same rows. All on request. */
function chosenHomes(): readonly ClientHome[] {
  const homes = clientHomes();
  if (process.env["POND_ALL"]) return homes;
  const large = ["corpus of claude-code", "corpus of codex"];
  console.info(`left out: ${large.join(", ")}; POND_ALL=1 takes them in`);
  return homes.filter(({ name }) => !large.includes(name));
}

const noText = "'\ufffe\uffff'";
const noBytes = `X'${Buffer.from("pond: no value\0\0").toString("hex")}'`;

/** The marker for no value, since these columns are sparse. It was null before. */
const standsForNone = {
  messages: { content: noText, search_text: noText },
  parts: { data: noBytes },
};

/** Turns the store into version 1 of its schema, before the column `head` existed. */
async function takeBack(storage: string): Promise<void> {
  const connection = await connect(storage);
  for (const [name, columns] of Object.entries(standsForNone)) {
    const table = await connection.openTable(name);
    if (name === "messages") await table.dropColumns(["head"]);
    for (const [column, none] of Object.entries(columns)) {
      const taken = { where: `${column} = ${none}`, valuesSql: { [column]: "NULL" } };
      expect((await table.update(taken)).rowsUpdated).toBeGreaterThan(0);
      // Version 1 did not say that it holds no nulls.
      const unsaid = { path: column, metadata: { "pond:without_nulls": null } };
      await table.updateFieldMetadata([unsaid]);
    }
    // Otherwise the words of moved rows would be scored separately.
    await table.optimize();
    const metadata = { "pond:schema_version": "1" };
    await table.updateFieldMetadata([{ path: "session_id", metadata }]);
    table.close();
  }
  connection.close();
}

async function fold(): Promise<void> {
  const sessions = await openSessions(home.storage, { mode: "write" });
  await foldIndexes(sessions, { isForced: true });
  sessions.close();
}

async function answers(): Promise<unknown[]> {
  const queries = ["the file", "error", "how do I", '"the"', "a", "test"];
  const found: unknown[] = [];
  for (const query of queries) {
    const { code, stdout } = await home.pondHere("search", query, "--json");
    expect(code).toBe(0);
    found.push({ ...JSON.parse(stdout), took_ms: 0 });
  }
  return found;
}

it("a store of schema version 1 answers searches as before, and a sync upgrades it to this version", async () => {
  const homes = chosenHomes();
  for (const { client, home: source } of homes) {
    expect((await home.pondHere("sync", client, "--path", source)).code).not.toBe(1);
  }
  await fold();
  const before = { rows: (await storedRows(home.storage)).rows, answers: await answers() };
  await takeBack(home.storage);

  expect(await answers()).toEqual(before.answers);
  const verified = await home.pondHere("status", "--verify", "--json");
  expect([verified.code, verified.stdout]).toEqual([0, expect.not.stringMatching(/reason/)]);

  const [first] = homes;
  await home.pondHere("sync", first?.client ?? "", "--path", first?.home ?? "");
  await fold();

  expect(rowDifferences(before.rows, (await storedRows(home.storage)).rows)).toEqual([]);
  expect(await answers()).toEqual(before.answers);
});
