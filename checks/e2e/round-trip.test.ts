import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { corpusFolder } from "../corpus.ts";
import { differences } from "./compare.ts";
import { createHome, type Home } from "./pond.ts";
import { allRows, duplicateKeys } from "./rows.ts";
import { claudeCodeHomes, growthSeries, layOut } from "./sources.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** What a sync of `path` says, as JSON. */
async function sync(path: string, ...flags: readonly string[]): Promise<SyncResult> {
  const { stdout, code } = await home.pond(
    "sync",
    "claude-code",
    "--path",
    path,
    "--json",
    ...flags,
  );
  return { ...JSON.parse(stdout).adapters[0], code };
}

type SyncResult = {
  readonly code: number;
  readonly sessions: Readonly<Record<string, number>>;
  readonly messages_added: number;
  readonly faults: readonly { readonly location: string; readonly code: string }[];
};

async function restoreAll(): Promise<string> {
  const out = join(home.folder, "restored");
  const { code } = await home.pond("restore", "--all", "--out", out, "--json");
  expect(code).toBe(0);
  return join(out, "claude-code");
}

const storage = (): string => join(home.folder, "data", "pond", "default");

describe("a home goes in and comes back", () => {
  test.each(claudeCodeHomes())("value-equal, record by record: $name", async ({ home: source }) => {
    const first = await sync(source);
    const second = await sync(source);
    const restored = await restoreAll();

    expect(first.sessions).toMatchObject({ new: first.sessions["seen"], failed: 0 });
    expect(second).toMatchObject({
      messages_added: 0,
      sessions: { unchanged: first.sessions["seen"] },
    });
    expect(differences(source, restored)).toEqual([]);
    expect(duplicateKeys(await allRows(storage()))).toEqual([]);
  });

  test("also where other people's test data is what was found", async () => {
    const folder = corpusFolder(join("_fixtures", "claude-code"));
    if (folder === undefined) return;
    const source = join(home.folder, "fixtures");
    layOut(folder, source);

    const { sessions, faults } = await sync(source);
    const restored = await restoreAll();

    expect(sessions["failed"]).toBe(0);
    expect(faults.every(({ location }) => /:\d+$/.test(location))).toBe(true);
    expect(differences(source, restored)).toEqual([]);
  });
});

describe("a session that grows", () => {
  test.each(growthSeries())("$session ends as it was last seen", async ({ session, states }) => {
    const source = join(home.folder, "client");
    const file = join(source, "projects", "-work-app", `${session}.jsonl`);
    mkdirSync(join(source, "projects", "-work-app"), { recursive: true });

    for (const state of states) {
      cpSync(state, file);
      await sync(source);
    }

    expect(differences(source, await restoreAll())).toEqual([]);
    const stepped = await allRows(storage());
    rmSync(join(home.folder, "data"), { recursive: true });
    await sync(source);
    const once = await allRows(storage());
    const ids = (rows: typeof once): string[] =>
      (rows["messages"] ?? []).map((row) => String(JSON.parse(row).slice(0, 2)));
    const missing = ids(once).filter((id) => !ids(stepped).includes(id));
    expect(missing).toEqual([]);
  });
});
