import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TableDeclaration } from "../declaration.ts";
import { loadLance } from "../engine/lance.ts";
import { numbered, parts } from "../testing/catalogue.ts";
import {
  bytesIn,
  onFolders,
  openCatalogue,
  openLanceTable,
  temporaryFolder,
  temporaryLocation,
} from "../testing/store.ts";
import { fold } from "./fold.ts";
import type { TableHealth } from "./health.ts";

function covered(health: TableHealth): Record<string, [number, number]> {
  return Object.fromEntries(
    health.indexes.map((index) => [index.column, [index.indexedRows, index.unindexedRows]]),
  );
}

const indexed = ["maker", "number", "listed", "shaped_by", "description"];

it("lance-index-maintenance: a write indexes no rows, and a fold makes the missing indexes", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(numbered(20));
  const before = covered(await table.health());

  const outcome = await table.fold();

  expect(before).toEqual({ description: [0, 20] });
  expect(outcome).toEqual({
    table: "parts",
    created: indexed,
    isFolded: false,
  });
});

it("does nothing to an empty table, nor to one that is up to date", async () => {
  const location = temporaryLocation();
  const table = (await openCatalogue(location)).table("parts");
  const onNothing = await table.fold({ isForced: true });
  await table.insert(numbered(2_000));
  await table.fold({ isForced: true });
  const version = await (await openLanceTable(location, "parts")).version();

  const again = await table.fold();

  const idle = { table: "parts", created: [], isFolded: false };
  expect([onNothing, again]).toEqual([idle, idle]);
  expect(await (await openLanceTable(location, "parts")).version()).toBe(version);
});

it("leaves a short tail to all but the text index, and makes every index again over a long one", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(numbered(4_000));
  await table.fold({ isForced: true });

  await table.insert(numbered(900, "globex"));
  const short = await table.fold();
  await table.insert(numbered(200, "initech"));
  const long = await table.fold();

  // To join fragments would rewrite every row.
  expect([short, long]).toEqual([
    { table: "parts", created: ["description"], isFolded: false },
    { table: "parts", created: indexed, isFolded: false },
  ]);
  const health = await table.health();
  expect(covered(health)).toEqual(Object.fromEntries(indexed.map((name) => [name, [5_100, 0]])));
  expect(health.fragments).toBe(3);
});

it.each([
  ["long", 30, 80_000, ["description"]],
  ["short", 300, 6_000, []],
])(
  "makes a text index again over few texts that are %s: %i of %i bytes",
  async (_, count, bytes, created) => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(numbered(4_000));
    await table.fold({ isForced: true });
    const added = numbered(count, "globex");

    await table.insert({
      ...added,
      description: added["number"]?.map((number) => `${number} bolt ${"x".repeat(bytes)}`) ?? [],
    });

    expect(await table.fold()).toEqual({ table: "parts", created, isFolded: false });
    expect((await table.fold()).created).toEqual([]);
  },
);

onFolders("it lists files")(
  "joins many fragments into one, whether indexes cover them or not",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    const dataFiles = (): number => readdirSync(join(folder, "parts.lance", "data")).length;
    await table.insert(numbered(300));
    await table.fold();
    for (let from = 0; from < 23; from++) await table.insert(numbered(1, "globex", from));
    const before = dataFiles();

    const { isFolded } = await table.fold();

    expect([isFolded, dataFiles() - before]).toEqual([true, 1]);
    const health = await table.health();
    expect(covered(health)).toEqual(Object.fromEntries(indexed.map((name) => [name, [323, 0]])));
    expect(health.fragments).toBe(1);
  },
);

it("joins the fragments of a large table late, when its indexes are made again", async () => {
  const table = (await openCatalogue()).table("parts");
  const large = {
    ...numbered(4_000),
    drawing: Array.from({ length: 4_000 }, (_, at) => (at < 20 ? randomBytes(1_500_000) : null)),
  };
  await table.insert(large);
  for (let from = 4_000; from < 4_250; from += 10) await table.insert(numbered(10, "acme", from));

  const first = await table.fold();
  await table.insert(numbered(100, "acme", 4_250));
  const few = await table.fold();
  await table.insert(numbered(1_000, "acme", 4_350));
  const many = await table.fold();

  expect([first, few, many].map(({ isFolded }) => isFolded)).toEqual([false, false, true]);
  expect((await table.health()).fragments).toBe(1);
});

it("folds a table with a version that another tool tagged, and keeps that version", async () => {
  const location = temporaryLocation();
  const table = (await openCatalogue(location)).table("parts");
  await table.insert(numbered(10));
  const handle = await openLanceTable(location, "parts");
  const version = await handle.version();
  await (await handle.tags()).create("monday", version);
  await table.insert(numbered(10, "globex"));

  const { isFolded } = await table.fold({ isForced: true, retentionMs: 0 });

  expect([isFolded, (await table.health()).fragments]).toEqual([true, 1]);
  await handle.checkout("monday");
  expect(await handle.countRows()).toBe(10);
});

it("makes an index again when it covers less than half of the rows", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(numbered(10));
  await table.fold();

  await table.insert(numbered(3_000, "globex"));
  const { created } = await table.fold();

  expect(created).toEqual(indexed);
  const health = await table.health();
  expect(covered(health)).toEqual(Object.fromEntries(indexed.map((name) => [name, [3_010, 0]])));
  expect(new Set(health.indexes.map(({ name }) => name)).size).toBe(indexed.length);
});

it.each(["createIndex", "optimize"] as const)(
  "rejects when it is aborted during %s",
  async (call) => {
    const location = temporaryLocation();
    await (await openCatalogue(location)).table("parts").insert(numbered(10));
    const handle = await openLanceTable(location, "parts");
    const controller = new AbortController();
    const never = Promise.withResolvers<never>().promise;
    handle[call] = () => {
      controller.abort();
      return never;
    };
    const place = { location, home: undefined, proveWritable: async () => undefined };
    const wishes = { isForced: true, signal: controller.signal };

    const folding = fold(parts, handle, place, async () => undefined, wishes);

    await expect(folding).rejects.toThrow(/abort/);
  },
);

onFolders("it measures files")(
  "keeps a store of 200 small batches within twice its compacted size",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    let largest = 0;
    let folds = 0;
    for (let batch = 0; batch < 200; batch++) {
      await table.insert(smallBatch(batch));
      const { isFolded } = await table.fold({ retentionMs: 0 });
      folds += Number(isFolded);
      if (batch % 5 === 0) largest = Math.max(largest, bytesIn(folder));
    }
    const grown = bytesIn(folder);

    await table.fold({ isForced: true, retentionMs: 0 });

    const compacted = bytesIn(folder);
    expect(await table.count()).toBe(4_000);
    expect(grown).toBeLessThan(compacted * 2);
    expect(largest).toBeLessThan(compacted * 2);
    expect(folds).toBeLessThan(20);
  },
);

onFolders("it measures files")(
  "keeps a table of one row that is replaced 200 times within a megabyte of its compacted size",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("prices");
    await table.insert({ maker: ["acme"], total: [0] });
    let largest = 0;
    let folds = 0;
    for (let total = 1; total <= 200; total++) {
      await table.replace({ maker: ["acme"], total: [total] });
      const { isFolded } = await table.fold({ retentionMs: 0 });
      folds += Number(isFolded);
      largest = Math.max(largest, bytesIn(join(folder, "prices.lance")));
    }

    await table.fold({ isForced: true, retentionMs: 0 });

    const compacted = bytesIn(join(folder, "prices.lance"));
    expect(await table.rows({ columns: ["total"] })).toEqual([{ total: 200 }]);
    expect(largest).toBeLessThan(compacted + 1024 * 1024);
    expect(folds).toBeGreaterThan(0);
    expect(folds).toBeLessThan(40);
  },
);

onFolders("it measures files")(
  "leaves old versions alone until no reader can need them",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("prices");
    await table.insert({ maker: ["acme"], total: [0] });
    await table.fold();
    for (let total = 1; total <= 100; total++) {
      await table.replace({ maker: ["acme"], total: [total] });
    }

    const young = await table.fold();
    const old = await table.fold({ retentionMs: 0 });

    expect([young.isFolded, old.isFolded]).toEqual([false, true]);
  },
);

onFolders("there are no power cuts")(
  "removes old versions only after the new one is durable",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    for (let from = 0; from < 30; from += 10) await table.insert(numbered(10, "acme", from));
    const connection = await loadLance().connect(folder);
    const handle = await connection.openTable("parts");
    const dataFiles = (): string[] => readdirSync(join(folder, "parts.lance", "data")).sort();
    const before = dataFiles();
    let whenFlushed: string[] = [];
    const flush = async (): Promise<void> => {
      whenFlushed = dataFiles();
    };

    const place = { location: folder, home: undefined, proveWritable: async () => undefined };
    await fold(parts, handle, place, flush, { isForced: true, retentionMs: 0 });

    connection.close();
    expect(before.length).toBe(3);
    expect(whenFlushed).toEqual(expect.arrayContaining(before));
    expect(whenFlushed.length).toBe(4);
    expect(dataFiles().length).toBe(1);
  },
);

it("trains a vector index once enough rows have a vector", async () => {
  const declaration = shaped(8, 500);
  const store = await openCatalogue(temporaryLocation(), { tables: [declaration] });
  const table = store.table("parts");
  await table.insert({ ...numbered(400), shape: directions(400) });
  const few = await table.fold();
  await table.insert({ ...numbered(600, "acme", 400), shape: directions(600, 400) });
  const enough = await table.fold();

  const nearest = {
    column: "shape",
    vector: directions(1, 500)[0] ?? new Float32Array(8),
    columns: ["number"],
    limit: 3,
  };
  const rows = await table.nearest(nearest);

  expect([few.created, enough.created]).toEqual([[], ["shape"]]);
  expect(await table.explain(nearest)).toContain("ANN");
  // Eight dimensions are few for this index: what it finds is near, not nearest.
  expect(rows.map((row) => Number(row["_distance"]) < 0.01)).toEqual([true, true, true]);
});

it("trains a vector index again when an earlier version made it coarser", async () => {
  const declaration = shaped(64, 500);
  const location = temporaryLocation();
  const table = (await openCatalogue(location, { tables: [declaration] })).table("parts");
  const spread = (from: number): Float32Array =>
    Float32Array.from({ length: 64 }, (_, at) => Math.sin(from * (at + 1)));
  const shape = Array.from({ length: 2_000 }, (_, at) => spread(at));
  await table.insert({ ...numbered(2_000), shape });
  const handle = await openLanceTable(location, "parts");
  const options = { numPartitions: 1, distanceType: "cosine" } as const;
  await handle.createIndex("shape", { config: loadLance().Index.ivfRq(options) });
  handle.close();
  const nearest = async (): Promise<unknown[]> => {
    const options = { column: "shape", vector: spread(7.4), columns: ["number"], limit: 20 };
    return (await table.nearest(options)).map((row) => row["number"]);
  };

  // Nothing else is to be done.
  const outcomes = [await table.fold(), await table.fold()];

  expect(outcomes.map(({ created }) => created)).toEqual([["shape"], []]);
  const found = await nearest();
  await table.dropIndex("shape");
  expect(found).toEqual(await nearest());
});

it("trains a vector index for vectors of any length, and another after a renewal", async () => {
  const declaration = {
    ...parts,
    indexes: [{ column: "shape", kind: "vector", distance: "cosine", minRows: 300 }],
  } as const;
  const table = (await openCatalogue(temporaryLocation(), { tables: [declaration] })).table(
    "parts",
  );
  const ofLength = (length: number): Float32Array[] =>
    directions(300).map((direction) =>
      Float32Array.from({ length }, (_, at) => direction[at] ?? 0),
    );
  const near = async (length: number): Promise<unknown> => {
    const [, , vector = new Float32Array()] = ofLength(length);
    const [row] = await table.nearest({ column: "shape", vector, columns: ["number"], limit: 1 });
    return row?.["number"];
  };
  await table.insert({ ...numbered(300), shape: ofLength(4) });

  const first = await table.fold();
  const found = [await near(4)];
  await table.renew({ shape: { vector: 10 } });
  const { maker = [], number = [] } = numbered(300);
  await table.update({ maker, number, shape: ofLength(10) });
  const second = await table.fold();
  found.push(await near(10));

  expect([first.created, second.created, found]).toEqual([["shape"], ["shape"], ["n2", "n2"]]);
});

onFolders("segments are counted alike everywhere")(
  "retrains a vector index once folds have left it in many segments",
  async () => {
    const declaration = shaped(8, 300);
    const location = temporaryLocation();
    const table = (await openCatalogue(location, { tables: [declaration] })).table("parts");
    await table.insert({ ...numbered(300), shape: directions(300) });
    const created = [(await table.fold()).created];
    const handle = await openLanceTable(location, "parts");
    const segments: (number | undefined)[] = [];
    for (let from = 300; from < 320; from += 1) {
      await table.insert({ ...numbered(1, "acme", from), shape: directions(1, from) });
      created.push((await table.fold({ isForced: true })).created);
      await handle.checkoutLatest();
      segments.push((await handle.listIndices())[0]?.numSegments);
    }
    handle.close();

    expect(Math.max(...segments.map(Number))).toBe(16);
    expect(segments.at(-1)).toBeLessThan(16);
    expect(created.filter(({ length }) => length > 0)).toEqual([["shape"], ["shape"]]);
  },
);

describe("a vector index over few usable vectors", () => {
  const fewVectors = {
    ...parts,
    indexes: [
      { column: "maker", kind: "btree" },
      { column: "shape", kind: "vector", distance: "cosine", minRows: 3 },
    ],
  } as const;

  it("is left out when it cannot be trained, and everything else is folded", async () => {
    const store = await openCatalogue(temporaryLocation(), { tables: [fewVectors] });
    const table = store.table("parts");
    const zeros = Array.from({ length: 20 }, () => new Float32Array(4));
    for (const maker of ["a", "b", "c"]) {
      await table.insert({ ...numbered(20, maker), shape: zeros });
    }

    const outcome = await table.fold({ isForced: true });

    const folded = { table: "parts", created: ["maker"], isFolded: true };
    expect(outcome).toEqual({ ...folded, untrained: ["shape"] });
    expect((await table.health()).fragments).toBe(1);
    const vector = Float32Array.of(1, 0, 0, 0);
    await table.insert({ ...numbered(1, "d"), shape: [vector] });
    const nearest = { column: "shape", vector, columns: ["maker"], limit: 1 };
    expect(await table.nearest(nearest)).toMatchObject([{ maker: "d" }]);
  });

  it("is trained though only 5 of 30,000 rows have a vector", async () => {
    const store = await openCatalogue(temporaryLocation(), { tables: [fewVectors] });
    const table = store.table("parts");
    const shape = Array.from({ length: 30_000 }, (_, at) =>
      at < 5 ? Float32Array.of(1, at, at * at, 1) : null,
    );
    await table.insert({ ...numbered(30_000), shape });

    expect((await table.fold()).created).toEqual(["maker", "shape"]);
  });
});

it("makes an index again after it was dropped", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(numbered(20));
  await table.fold();

  await table.dropIndex("maker");
  await table.dropIndex("weight");
  const dropped = covered(await table.health());
  const { created } = await table.fold();

  expect(Object.keys(dropped)).not.toContain("maker");
  expect(created).toEqual(["maker"]);
});

/** Parts whose shapes are so long, and indexed from so many rows on. */
function shaped(vector: number, minRows: number): TableDeclaration {
  return {
    ...parts,
    columns: { ...parts.columns, shape: { type: { vector }, isNullable: true } },
    indexes: [{ column: "shape", kind: "vector", distance: "cosine", minRows }],
  };
}

/** Directions on a quarter circle, a thousandth apart. */
function directions(count: number, from: number = 0): Float32Array[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = (from + index) / 1000;
    return Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0, 0, 0, 0, 0);
  });
}

/** Twenty parts whose descriptions differ, about 300 bytes each. */
function smallBatch(batch: number): ReturnType<typeof numbered> {
  const rows = numbered(20, `maker ${batch % 7}`, batch * 20);
  const description = Array.from({ length: 20 }, (_, index) => {
    const seed = batch * 20 + index;
    const words = Array.from({ length: 40 }, (_each, word) =>
      ((seed * 7919 + word * 104729) % 99991).toString(36),
    );
    return words.join(" ");
  });
  return { ...rows, description };
}
