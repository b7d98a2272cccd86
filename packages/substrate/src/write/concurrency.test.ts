import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Table } from "../table.ts";
import { isOnFolders, openCatalogue, storageOptions, temporaryLocation } from "../testing/store.ts";

const writer = fileURLToPath(new URL("../testing/writer.ts", import.meta.url));

type Writer = ChildProcessByStdio<Writable, Readable, null>;

function startWriter(...args: readonly string[]): Writer {
  return spawn(process.execPath, ["--conditions=@pond/source", writer, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, POND_TEST_STORAGE_OPTIONS: JSON.stringify(storageOptions) },
  });
}

/** Four processes that write the same rows from the same moment; what each of them printed. */
async function race(...args: readonly string[]): Promise<string[][]> {
  const writers = [1, 2, 3, 4].map(() => startWriter(...args));
  let open = 0;
  return Promise.all(
    writers.map(async ({ stdout }) => {
      const lines: string[] = [];
      for await (const line of createInterface(stdout)) {
        lines.push(line);
        if (lines.length === 1 && ++open === writers.length) {
          for (const { stdin } of writers) stdin.write("go\n");
        }
      }
      return lines;
    }),
  );
}

async function keysOf(table: Table): Promise<{ rows: number; distinct: number }> {
  const rows = await table.rows({ columns: [...table.declaration.primaryKey] });
  return { rows: rows.length, distinct: new Set(rows.map((row) => JSON.stringify(row))).size };
}

// Most are forestalled and tried again, each time with many requests to an object store.
const count = isOnFolders || process.env["POND_ALL"] ? 10 : 5;
const written = count * 40;

it("lance-table-creation-unenforced-pk: processes that create a store at once agree, and none stores a key twice", async () => {
  const location = temporaryLocation();

  const printed = await race(location, "parts", String(count), "40");

  const store = await openCatalogue(location, { mode: "read" });
  const batches = Array.from({ length: count }, (_, at) => String(at));
  expect(printed).toEqual([1, 2, 3, 4].map(() => [store.id, ...batches]));
  expect(await keysOf(store.table("parts"))).toEqual({ rows: written, distinct: written });
});

it("stores no key twice when every key column is indexed", async () => {
  const location = temporaryLocation();
  const store = await openCatalogue(location);
  await store.table("parts").insert({ maker: ["globex"], number: ["1"] });
  const { created } = await store.table("parts").fold({ isForced: true });

  await race(location, "parts", String(count), "40");

  expect(created).toEqual(expect.arrayContaining(["maker", "number"]));
  expect(await keysOf(store.table("parts"))).toEqual({ rows: written + 1, distinct: written + 1 });
});

it("replaces derived rows from several processes without doubling any", async () => {
  const location = temporaryLocation();
  const store = await openCatalogue(location);
  await store.table("prices").replace({ maker: ["globex"], total: [1] });
  await store.table("prices").fold({ isForced: true });

  await race(location, "prices", String(count), "40");

  expect(await keysOf(store.table("prices"))).toEqual({ rows: written + 1, distinct: written + 1 });
});

it("inserts and replaces the same derived rows at once without doubling any", async () => {
  const location = temporaryLocation();
  const [one, other] = [await openCatalogue(location), await openCatalogue(location)];
  const makers = Array.from({ length: 30 }, (_, at) => `m${at}`);

  for (let turn = 0; turn < 5; turn++) {
    const maker = makers.map((name) => `${name}-${turn}`);
    await Promise.all([
      one.table("prices").insert({ maker, total: maker.map(() => 1) }),
      other.table("prices").replace({ maker, total: maker.map(() => 2) }),
    ]);
  }

  expect(await keysOf(one.table("prices"))).toEqual({ rows: 150, distinct: 150 });
  const totals = await one.table("prices").rows({ columns: ["total"] });
  expect(new Set(totals.map(({ total }) => total))).toEqual(new Set([2]));
});

it("loses no acknowledged row to kill -9", async () => {
  const location = temporaryLocation();
  let acknowledged = 0;
  for (const upTo of [3, 6, 9]) {
    const child = startWriter(location, "parts", "1000", "20");
    child.stdin.write("go\n");
    for await (const line of createInterface(child.stdout)) {
      if (!/^\d+$/.test(line)) continue;
      acknowledged = Math.max(acknowledged, Number(line) + 1);
      if (Number(line) === upTo) child.kill("SIGKILL");
    }
  }

  const healings: unknown[] = [];
  const store = await openCatalogue(location, { onHeal: (healing) => healings.push(healing) });
  const table = store.table("parts");
  const { rows, distinct } = await keysOf(table);

  expect(healings).toEqual([]);
  expect(rows).toBe(distinct);
  expect(rows).toBeGreaterThanOrEqual(acknowledged * 20);
  await table.insert({ maker: ["globex"], number: ["1"] });
  await table.fold({ isForced: true });
  expect(await table.count()).toBe(rows + 1);
});
