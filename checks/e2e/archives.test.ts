import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHome, type Home } from "./pond.ts";
import { rowDifferences, storedRows } from "./rows.ts";
import { clientHomes } from "./sources.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

// Every session of the sources.
vi.setConfig({ testTimeout: 400_000 });

it("a lost store is rebuilt, row by row, from an archive of every client's sessions", async () => {
  for (const [at, { client, home: source }] of clientHomes().entries()) {
    // The path is part of what is stored, so each session has only one place.
    const copy = join(home.folder, "homes", String(at));
    cpSync(source, copy, { recursive: true });
    expect((await home.pondHere("sync", client, "--path", copy)).code).not.toBe(1);
  }
  const before = await storedRows(home.storage);
  const file = join(home.folder, "all.pond");

  const exported = await home.pond("export", "-o", file, "--json");
  rmSync(home.storage, { recursive: true });
  const imported = await home.pond("import", file, "--json");
  const again = await home.pond("import", file, "--json");

  expect([exported.code, imported.code, again.code]).toEqual([0, 0, 0]);
  const { rows } = JSON.parse(exported.stdout);
  const { tables } = JSON.parse(again.stdout);
  const after = await storedRows(home.storage);
  expect(rowDifferences(before.rows, after.rows)).toEqual([]);
  expect(after.duplicates).toEqual([]);
  expect(rows.sessions).toBeGreaterThan(10);
  expect(tables.messages).toEqual({ inserted: 0, present: rows.messages });
});
