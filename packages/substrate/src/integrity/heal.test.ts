import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { loadLance } from "../engine/lance.ts";
import { StorageUnavailableError } from "../errors.ts";
import { pointTo } from "../storage/pointer.ts";
import { numbered, parts } from "../testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "../testing/store.ts";
import { type Healing, healTable } from "./heal.ts";

const it = onFolders("a power cut tears files, and no objects");

/** A store whose parts were written in three commits of ten rows. */
async function storedThrice(): Promise<{ folder: string; newest(count: number): string[] }> {
  const folder = temporaryFolder();
  const store = await openCatalogue(folder);
  for (let from = 0; from < 30; from += 10) {
    await store.table("parts").insert(numbered(10, "acme", from));
  }
  store.close();
  const versions = join(folder, "parts.lance", "_versions");
  const newest = (count: number): string[] =>
    readdirSync(versions)
      .filter((name) => name.endsWith(".manifest"))
      .sort()
      .slice(0, count)
      .map((name) => join(versions, name));
  return { folder, newest };
}

async function reopened(folder: string, mode: "read" | "write"): Promise<[number, Healing[]]> {
  const healings: Healing[] = [];
  const store = await openCatalogue(folder, { mode, onHeal: (healing) => healings.push(healing) });
  return [await store.table("parts").count(), healings];
}

const tears: [string, (path: string) => void][] = [
  ["is empty", (path) => truncateSync(path, 0)],
  ["is cut short", (path) => truncateSync(path, readFileSync(path).length - 7)],
  ["is all zeros", (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
];

it.each(tears)(
  "a store whose newest manifest %s opens at the version before it",
  async (_, tear) => {
    const { folder, newest } = await storedThrice();
    const [torn = ""] = newest(1);
    tear(torn);
    const bytes = readFileSync(torn);

    const outcome = await reopened(folder, "read");

    expect(outcome).toEqual([20, [{ table: "parts", movedTo: `${torn}.broken` }]]);
    expect(readFileSync(`${torn}.broken`)).toEqual(bytes);
    expect(await reopened(folder, "read")).toEqual([20, []]);
  },
);

it("a store copied from a bucket, where tables have folder names of their own, heals too", async () => {
  const { folder, newest } = await storedThrice();
  const [torn = ""] = newest(1);
  truncateSync(torn, 0);
  const moved = torn.replace("parts.lance", "parts.01234567.lance");
  renameSync(join(folder, "parts.lance"), join(folder, "parts.01234567.lance"));
  const connection = await loadLance().connect(folder);
  await pointTo(connection, { uri: folder }, "parts", "parts.01234567");
  connection.close();

  const outcome = await reopened(folder, "read");

  expect(outcome).toEqual([20, [{ table: "parts", movedTo: `${moved}.broken` }]]);
});

it.each(["read", "write"] as const)(
  "names the folder that cannot be read when the store is opened to %s",
  async (mode) => {
    const { folder } = await storedThrice();
    const versions = join(folder, "parts.lance", "_versions");
    rmSync(versions, { recursive: true });
    writeFileSync(versions, "");

    const outcome = openCatalogue(folder, { mode });

    await expect(outcome).rejects.toThrow(StorageUnavailableError);
    await expect(outcome).rejects.toThrow(versions);
  },
);

it("leaves a torn table as it is when the caller does not want healing", async () => {
  const { folder, newest } = await storedThrice();
  const [torn = ""] = newest(1);
  truncateSync(torn, 0);

  await expect(openCatalogue(folder, { heals: false })).rejects.toThrow();

  expect(newest(1)).toEqual([torn]);
});

it("accepts the same rows again after healing", async () => {
  const { folder, newest } = await storedThrice();
  const torn = newest(2);
  for (const path of torn) truncateSync(path, 0);

  const [rows, healings] = await reopened(folder, "write");
  const store = await openCatalogue(folder);
  const outcome = await store.table("parts").insert(numbered(30));
  await store.table("parts").fold({ isForced: true, retentionMs: 0 });

  expect([rows, healings.map(({ movedTo }) => movedTo)]).toEqual([
    10,
    torn.map((path) => `${path}.broken`),
  ]);
  expect(outcome).toEqual({ inserted: 20, present: 10 });
  expect(await store.table("parts").count()).toBe(30);
});

it("fails and touches nothing when no version is left", async () => {
  const { folder, newest } = await storedThrice();
  for (const path of newest(100)) truncateSync(path, 0);
  const files = newest(100);

  await expect(reopened(folder, "write")).rejects.toThrow(StorageUnavailableError);

  expect(newest(100)).toEqual(files);
});

it("makes a table again when a power cut left no version of it, and sets the old one aside", async () => {
  const { folder } = await storedThrice();
  const home = join(folder, "parts.lance");
  rmSync(join(home, "_versions"), { recursive: true });

  const first = await reopened(folder, "write");
  await (await openCatalogue(folder)).table("parts").insert(numbered(5));
  rmSync(join(home, "_versions"), { recursive: true });
  const second = await reopened(folder, "write");

  expect(first).toEqual([0, [{ table: "parts", movedTo: `${home}.broken` }]]);
  expect(second).toEqual([0, [{ table: "parts", movedTo: `${home}.broken-2` }]]);
  expect(readdirSync(join(`${home}.broken`, "data")).length).toBe(3);
});

it("does not set aside a table that another process is just making", async () => {
  for (let round = 0; round < 12; round += 1) {
    const folder = temporaryFolder();
    const openTable = () => Promise.reject(new Error("nothing here is torn"));
    const healings: Healing[] = [];
    let isMade = false;
    const looking = (async () => {
      while (!isMade) healings.push(...(await healTable(folder, parts, { openTable })));
    })();

    const store = await openCatalogue(folder).finally(() => {
      isMade = true;
    });
    await looking;

    expect([await store.table("parts").count(), healings]).toEqual([0, []]);
  }
});

it("sets nothing aside in a whole store", async () => {
  const { folder } = await storedThrice();

  expect(await reopened(folder, "write")).toEqual([30, []]);
});

/** Heals as if the system had started right after everything was written. */
async function healedAfterReboot(folder: string): Promise<Healing[]> {
  const connection = await loadLance().connect(folder);
  try {
    return await healTable(folder, parts, {
      openTable: () => connection.openTable("parts"),
      bootedAtMs: Date.now() + 1_000,
    });
  } finally {
    connection.close();
  }
}

/** The data file that holds a part. */
function dataFileOf(folder: string, number: string): string {
  const data = join(folder, "parts.lance", "data");
  const names = readdirSync(data).filter((name) => readFileSync(join(data, name)).includes(number));
  return join(data, names[0] ?? "");
}

/** The data file that was written last. */
function newestDataFile(folder: string): string {
  return dataFileOf(folder, "n29");
}

it.each<[string, (path: string) => void]>([["is gone", (path) => rmSync(path)], ...tears])(
  "goes back to the version before a commit whose data file %s",
  async (_, lose) => {
    const { folder, newest } = await storedThrice();
    const [torn] = newest(1);
    lose(newestDataFile(folder));

    const healings = await healedAfterReboot(folder);

    expect(healings).toEqual([{ table: "parts", movedTo: `${torn}.broken` }]);
    expect(await reopened(folder, "read")).toEqual([20, []]);
  },
);

it("goes back past a torn version that is older than one whose data is lost", async () => {
  const { folder, newest } = await storedThrice();
  const [torn, zeros = ""] = newest(2);
  truncateSync(newestDataFile(folder), 0);
  writeFileSync(zeros, Buffer.alloc(readFileSync(zeros).length));

  const healings = await healedAfterReboot(folder);

  const aside = [torn, zeros].map((path) => ({ table: "parts", movedTo: `${path}.broken` }));
  expect(healings).toEqual(aside);
  expect(await reopened(folder, "read")).toEqual([10, []]);
});

it.each(tears)(
  "sets aside an older manifest that %s, and keeps the newest version",
  async (_, tear) => {
    const { folder, newest } = await storedThrice();
    const [, torn = ""] = newest(2);
    tear(torn);

    const healings = await healedAfterReboot(folder);
    const store = await openCatalogue(folder);
    await store.table("parts").fold({ isForced: true, retentionMs: 0 });

    expect(healings).toEqual([{ table: "parts", movedTo: `${torn}.broken` }]);
    expect(await reopened(folder, "write")).toEqual([30, []]);
  },
);

it("goes back past a torn commit also when a power cut set the clock back by a day", async () => {
  const { folder, newest } = await storedThrice();
  const [torn] = newest(1);
  truncateSync(newestDataFile(folder), 0);
  const tomorrow = Date.now() / 1000 + 86_400;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    utimesSync(join(entry.parentPath, entry.name), tomorrow, tomorrow);
  }

  const outcome = await reopened(folder, "read");

  expect(outcome).toEqual([20, [{ table: "parts", movedTo: `${torn}.broken` }]]);
});

it("fails and touches nothing when the rows of every version are torn", async () => {
  const { folder, newest } = await storedThrice();
  const files = newest(100);
  const data = join(folder, "parts.lance", "data");
  for (const name of readdirSync(data)) truncateSync(join(data, name), 0);
  // Without rows the first versions are whole.
  for (const path of files.slice(3)) rmSync(path);

  await expect(healedAfterReboot(folder)).rejects.toThrow(StorageUnavailableError);

  expect(newest(100)).toEqual(files.slice(0, 3));
});

it("does not go back for a lost file that was written long before the power cut", async () => {
  const { folder, newest } = await storedThrice();
  const [last, ...others] = newest(100);
  const hourAgo = Date.now() / 1000 - 3600;
  for (const path of others) utimesSync(path, hourAgo, hourAgo);
  rmSync(dataFileOf(folder, "n0"));

  const healings = await healedAfterReboot(folder);

  expect([healings, newest(100)]).toEqual([[], [last, ...others]]);
  const store = await openCatalogue(folder, { mode: "read" });
  const rows = store.table("parts").rows({ columns: ["number"] });
  await expect(rows).rejects.toThrow(/\.lance is not there/);
});

it("keeps a whole store with the leftover of a write that was never committed", async () => {
  const { folder } = await storedThrice();
  writeFileSync(join(folder, "parts.lance", "data", "0101leftover.lance"), "");

  expect(await healedAfterReboot(folder)).toEqual([]);
  expect(await reopened(folder, "read")).toEqual([30, []]);
});

it("does not check files written long before the newest commit, nor since the system started", async () => {
  const { folder } = await storedThrice();
  const leftover = join(folder, "parts.lance", "data", "0101leftover.lance");
  writeFileSync(leftover, "");
  const openTable = (): Promise<never> => Promise.reject(new Error("read the table"));
  const hourAgo = Date.now() / 1000 - 3600;

  const sinceStart = await healTable(folder, parts, { openTable, bootedAtMs: 0 });
  utimesSync(leftover, hourAgo, hourAgo);
  const old = await healTable(folder, parts, { openTable, bootedAtMs: Date.now() + 1_000 });

  expect([sinceStart, old]).toEqual([[], []]);
});
