import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { corpusFolder } from "../corpus.ts";
import { differences } from "./compare.ts";
import { createHome, type Home } from "./pond.ts";
import { rowDifferences, storedRows } from "./rows.ts";
import { clientHomes, layOut } from "./sources.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

test.each(clientHomes())(
  "a restored home equals the original, record by record: $name (`adapter-native-restore-lossless`)",
  async ({ client, home: source }) => {
    const first = await home.sync(source, client);
    const stored = await storedRows(home.storage);
    const second = await home.sync(source, client);
    const restored = await home.restoreAll(client);

    expect(first.sessions).toMatchObject({ new: first.sessions["seen"], failed: 0 });
    expect(second).toMatchObject({
      messages_added: 0,
      parts_added: 0,
      sessions: { unchanged: first.sessions["seen"] },
    });
    expect(differences(source, restored, client)).toEqual([]);
    expect(stored.duplicates).toEqual([]);
    expect(rowDifferences(stored.rows, (await storedRows(home.storage)).rows)).toEqual([]);
  },
);

test("test data of other projects' parsers is restored unchanged", async () => {
  const folder = corpusFolder(join("_fixtures", "claude-code"));
  if (folder === undefined) return;
  const source = join(home.folder, "fixtures");
  layOut(folder, source);

  const { sessions, faults } = await home.sync(source);
  const restored = await home.restoreAll();

  expect(sessions["failed"]).toBe(0);
  expect(faults.filter(({ location }) => !/:\d+$/.test(location))).toEqual([]);
  expect(differences(source, restored)).toEqual([]);
});
