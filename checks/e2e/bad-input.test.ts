import { once } from "node:events";
import { chmodSync, createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { differences, recordsOf } from "./compare.ts";
import { promptLine, writeDamagedHome } from "./damaged-home.ts";
import { createHome, type Home, type Synced } from "./pond.ts";
import { rowDifferences, storedRows } from "./rows.ts";

let home: Home;
let source: string;
let project: string;
beforeEach(() => {
  home = createHome({ isOrdinaryUser: true });
  source = join(home.folder, "client");
  project = join(source, "projects", "-work-app");
  mkdirSync(project, { recursive: true });
});
afterEach(() => home.remove());

const nothingNew = { messages_added: 0, parts_added: 0, revisions: 0, tombstones: 0 };

test("damaged input is reported with its location, and everything around it is stored and restored", async () => {
  const { faults, pending, sessions } = writeDamagedHome(source);

  const first = await home.sync(source);
  const stored = await storedRows(home.storage);
  const second = await home.sync(source);

  expect(first.code).toBe(3);
  expect(locations(first)).toEqual(faults);
  expect(new Set(first.faults.map(({ code }) => code))).toEqual(new Set(["source_fault"]));
  expect(first.sessions).toMatchObject({ new: sessions, pending });
  expect(second).toMatchObject({ ...nothingNew, code: 3 });
  expect(locations(second)).toEqual(faults);
  expect(rowDifferences(stored.rows, (await storedRows(home.storage)).rows)).toEqual([]);
  expect(differences(source, await home.restoreAll())).toEqual([]);
});

test("an unreadable file is reported as a fault, and is read once its permissions allow it", async () => {
  const file = join(project, "closed.jsonl");
  writeFileSync(file, `${promptLine("behind closed doors")}\n`);
  writeFileSync(join(project, "open.jsonl"), `${promptLine("in the open")}\n`);
  chmodSync(file, 0);

  const closed = await home.sync(source);
  chmodSync(file, 0o644);
  const open = await home.sync(source);

  expect(closed).toMatchObject({ code: 3, messages_added: 1 });
  expect(locations(closed)).toEqual([file]);
  expect(open).toMatchObject({ code: 0, messages_added: 1, faults: [] });
});

test("a store without read permission is reported as such, not treated as missing", async () => {
  writeFileSync(join(project, "one.jsonl"), `${promptLine("the heron")}\n`);
  await home.sync(source);
  const said = new Set<string>();
  for (const folder of [home.storage, dirname(home.storage)]) {
    chmodSync(folder, 0);
    for (const argv of [["list"], ["sync"]]) {
      const { code, stderr } = await home.pond(...argv);
      expect(code).toBe(1);
      said.add(stderr);
    }
    chmodSync(folder, 0o755);
  }

  expect([...said]).toEqual([
    `error: ${home.storage}: permission denied\nCheck the folder, and who may read and write there.\n`,
  ]);
  expect((await home.pond("list", "--json")).stdout).toContain("the heron");
});

test("a line of 300 MB is reported, leaves a marker and costs no other line (`adapter-bounded-values`)", async () => {
  const file = join(project, "long-line.jsonl");
  await writeLongLine(file);

  const first = await home.sync(source);
  const second = await home.sync(source);

  expect(first).toMatchObject({ code: 3, messages_added: 3 });
  expect(locations(first)).toEqual([`${file}:2`]);
  expect(second).toMatchObject({ ...nothingNew, code: 3 });
  const restored = recordsOf(
    join(await home.restoreAll(), "projects", "-work-app", "long-line.jsonl"),
  );
  expect([restored.at(0), restored.at(-1)]).toEqual(
    ["before", "after"].map((text) => JSON.parse(promptLine(text))),
  );
});

function locations({ faults }: Synced): string[] {
  return faults.map(({ location }) => location).sort();
}

async function writeLongLine(file: string): Promise<void> {
  const stream = createWriteStream(file);
  stream.write(`${promptLine("before")}\n{"type":"huge","text":"`);
  const megabyte = "x".repeat(1_000_000);
  for (let size = 0; size < 300; size++) {
    if (!stream.write(megabyte)) await once(stream, "drain");
  }
  stream.end(`"}\n${promptLine("after")}\n`);
  await once(stream, "finish");
}
