import { cpSync, rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Cell, ColumnType, TableDeclaration } from "../declaration.ts";
import { openStore } from "../store.ts";
import { numbered } from "../testing/catalogue.ts";
import {
  isOnFolders,
  onFolders,
  openCatalogue,
  storageOptions,
  temporaryFolder,
  temporaryLocation,
} from "../testing/store.ts";

describe("a key that is stored", () => {
  it.each([
    ["before", false],
    ["after", true],
  ])("is found whatever its texts are, %s it is indexed", async (_, isFolded) => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const odd = [
      "",
      "'",
      "''",
      "\\",
      "\0",
      "a\0b",
      "\n",
      "%",
      "_",
      "\u{10ffff}",
      "x".repeat(70_000),
    ];
    const keys = [
      ...odd.flatMap((maker) => odd.map((number) => [maker, number])),
      ...fc.sample(fc.tuple(text, text), 1_500),
    ];
    const batch = {
      maker: keys.map(([maker = ""]) => maker),
      number: keys.map(([, at = ""]) => at),
    };
    const distinct = new Set(keys.map((key) => JSON.stringify(key))).size;
    const table = (await openCatalogue()).table("parts");

    const first = await table.insert(batch);
    if (isFolded) await table.fold({ isForced: true });
    const again = await table.insert(batch);

    expect(first).toEqual({ inserted: distinct, present: keys.length - distinct });
    expect(again).toEqual({ inserted: 0, present: keys.length });
    expect(await table.count()).toBe(distinct);
  });

  it.each<[string, ColumnType, Cell[]]>([
    ["integers", "int64", [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]],
    ["bytes", "bytes", [new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(39, 0)]],
    ["bytes of a Buffer", "bytes", [200, 201, 0xfe, 0xff].map((byte) => Buffer.of(0, byte))],
  ])("is found when its first column holds %s", async (_, type, cells) => {
    const declared: TableDeclaration = {
      name: "readings",
      schemaVersion: 1,
      primaryKey: ["at", "of"],
      columns: { at: { type }, of: { type: "text" } },
      indexes: type === "bytes" ? [] : [{ column: "at", kind: "btree" }],
    };
    const location = temporaryLocation();
    const options = { tables: [declared], mode: "write", storageOptions, stalenessMs: 0 } as const;
    const store = await openStore(location, options);
    onTestFinished(() => store.close());
    const table = store.table("readings");
    const batch = { at: cells, of: cells.map(() => "a") };

    const first = await table.insert(batch);
    // Another writer has none of it in memory.
    const other = await openStore(location, options);
    onTestFinished(() => other.close());
    const again = await other.table("readings").insert({
      at: [...cells, ...cells],
      of: [...batch.of, ...cells.map(() => "b")],
    });

    expect(first).toEqual({ inserted: cells.length, present: 0 });
    expect(again).toEqual({ inserted: cells.length, present: cells.length });
  });
});

describe("writers that take turns", () => {
  const insert = fc.record({
    writer: fc.nat(2),
    keys: fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(15)), { maxLength: 6 }),
    /** A commit that adds nothing, by whoever comes next. */
    folds: fc.nat(9).map((number) => number === 0),
  });

  // Hundreds of commits each, which take an object store's emulator longest.
  const seeds = [1, 2, 3].slice(0, isOnFolders || process.env["POND_ALL"] ? 3 : 1);

  it.each(seeds)("find each other's rows, and their own (seed %i)", async (seed) => {
    const location = temporaryLocation();
    const writers = [
      await openCatalogue(location),
      await openCatalogue(location),
      await openCatalogue(location),
    ];
    const stored = new Set<string>();
    for (const { writer, keys, folds } of fc.sample(insert, { numRuns: 60, seed })) {
      const table = writers[writer]?.table("parts");
      const fresh = new Set(keys.map(String).filter((key) => !stored.has(key)));
      const outcome = await table?.insert({
        maker: keys.map(([maker]) => maker),
        number: keys.map(([, number]) => String(number)),
      });
      expect(outcome).toEqual({ inserted: fresh.size, present: keys.length - fresh.size });
      for (const key of fresh) stored.add(key);
      if (folds)
        await writers[(writer + 1) % 3]?.table("parts").fold({ isForced: true, retentionMs: 0 });
    }

    const rows = await writers[0]?.table("parts").rows({ columns: ["maker", "number"] });
    const found = rows?.map(({ maker, number }) => `${maker},${number}`).sort();
    expect(found).toEqual([...stored].sort());
  });
});

const ofFolders = onFolders("a bucket is not replaced under a store, and has no lock");

/** A process that has the store open when something else takes its place. */
ofFolders(
  "a writer whose store is replaced by a backup stores the rows the backup lacks, and none twice",
  async () => {
    const location = temporaryLocation();
    const backup = temporaryFolder();
    const one = await openCatalogue(location);
    await one.table("parts").insert(numbered(5, "acme"));
    cpSync(location, backup, { recursive: true });
    await one.table("parts").insert(numbered(10, "globex"));
    const version = await one.table("parts").version();

    rmSync(location, { recursive: true });
    cpSync(backup, location, { recursive: true });
    const other = await openCatalogue(location);
    await other.table("parts").insert(numbered(10, "initech"));
    const again = await one.table("parts").insert(numbered(10, "globex"));
    const same = await one.table("parts").insert(numbered(10, "initech"));

    expect(await other.table("parts").version()).toBe(version + 1);
    expect([again, same]).toEqual([
      { inserted: 10, present: 0 },
      { inserted: 0, present: 10 },
    ]);
    expect(await other.table("parts").count()).toBe(25);
  },
);

ofFolders("a closed writer keeps other writers out until its last commit is done", async () => {
  for (const delayMs of [0, 2, 5, 10, 20]) {
    const location = temporaryLocation();
    const [one, other] = [await openCatalogue(location), await openCatalogue(location)];
    const rows = numbered(5_000);
    const first = one
      .table("parts")
      .insert(rows)
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    one.close();

    await other.table("parts").insert(rows);
    await first;

    expect([delayMs, await other.table("parts").count()]).toEqual([delayMs, 5_000]);
  }
});

it("recognises stored keys when more were inserted than a writer remembers", async () => {
  const table = (await openCatalogue()).table("parts");
  const makers = ["a", "b", "c", "d", "e"];

  for (const maker of makers) await table.insert(numbered(50_000, maker));
  const again: unknown[] = [];
  for (const maker of makers) again.push(await table.insert(numbered(3, maker, 49_998)));

  expect(again).toEqual(makers.map(() => ({ inserted: 1, present: 2 })));
});
