import { join } from "node:path";
import { sessionTables } from "@pond/sessions";
import { openStore } from "@pond/substrate";
import { expect, it, onTestFinished } from "vitest";
import { Home } from "./testing.ts";

it("pond search warns of a missing full-text index until a sync has made it", async () => {
  const home = new Home();
  onTestFinished(() => home.remove());
  const location = join(home.folder, ".local", "share", "pond", "default");
  const tables = sessionTables.map((table) => ({
    ...table,
    indexes: table.indexes.filter(({ kind }) => kind !== "full-text"),
  }));
  (await openStore(location, { tables, mode: "write" })).close();

  const before = await home.pond("search", "word");
  const listed = await home.pond("list");
  await home.pond("sync", "--only", "update-indexes");
  const after = await home.pond("search", "word");

  const missing = /warning: messages\.search_text: its index is not complete/;
  expect([before.code, before.stderr]).toEqual([0, expect.stringMatching(missing)]);
  expect(listed.stderr).not.toMatch(missing);
  expect([after.code, after.stderr]).toEqual([0, expect.not.stringMatching(missing)]);
  expect(after.stderr).not.toContain("index");
});
