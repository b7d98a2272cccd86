import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Row, TableDeclaration } from "../declaration.ts";
import { StoreNotFoundError } from "../errors.ts";
import { batchOf, catalogue, numbered } from "../testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "../testing/store.ts";
import { manifestsOf } from "./heal.ts";
import { namedFiles } from "./manifest-files.ts";
import { type ContentCheck, type ContentVerdict, verifyStore } from "./verify.ts";

const it = onFolders("files are damaged, and no objects");

/** A store whose parts are in three files of ten rows. */
async function storedThrice(): Promise<{ folder: string; files: string[] }> {
  const folder = temporaryFolder();
  const store = await openCatalogue(folder);
  for (let from = 0; from < 30; from += 10) {
    await store.table("parts").insert(numbered(10, "acme", from));
  }
  store.close();
  const data = join(folder, "parts.lance", "data");
  return { folder, files: readdirSync(data).map((name) => join(data, name)) };
}

const whole = { name: "prices", readableRows: 0, damages: [] };
const verify = (folder: string) => verifyStore(folder, { tables: catalogue });

it("finds no damage in a whole store, folded or not", async () => {
  const { folder } = await storedThrice();

  const before = await verify(folder);
  await (await openCatalogue(folder)).table("parts").fold({ isForced: true, retentionMs: 0 });

  const expected = [{ name: "parts", readableRows: 30, damages: [] }, whole];
  expect([before, await verify(folder)]).toEqual([expected, expected]);
});

it.each<[string, (path: string, bytes: Buffer) => void, RegExp]>([
  ["missing", (path) => rmSync(path), /^it is not there$/],
  [
    "too short",
    (path, bytes) => writeFileSync(path, bytes.subarray(20)),
    /^it has \d+ bytes, not \d+$/,
  ],
  ["all zeros", (path, bytes) => writeFileSync(path, bytes.fill(0)), /./],
])("names a data file that is %s, and reads all rows of the others", async (_, damage, reason) => {
  const { folder, files } = await storedThrice();
  const [file = ""] = files;
  damage(file, readFileSync(file));

  const verdicts = await verify(folder);

  const damages = [{ files: [file], reason: expect.stringMatching(reason), rows: 10 }];
  expect(verdicts).toEqual([{ name: "parts", readableRows: 20, damages }, whole]);
});

it("reads the rows of a damaged file though the file before it is gone", async () => {
  const { folder } = await storedThrice();
  const home = join(folder, "parts.lance");
  const [manifest = ""] = await manifestsOf(home);
  const { fragments } = await namedFiles(home, manifest);
  const [lost = "", longer = ""] = [...fragments.values()].map(([file]) => file?.path);
  rmSync(lost);
  appendFileSync(longer, "behind what was written");

  const [parts] = await verify(folder);

  expect(parts).toEqual({
    name: "parts",
    readableRows: 20,
    damages: [
      { files: [lost], reason: "it is not there", rows: 10 },
      { files: [longer], reason: expect.stringMatching(/^it has \d+ bytes, not \d+$/), rows: 0 },
    ],
  });
});

it("reports a manifest that a sync tool put among the others", async () => {
  const { folder } = await storedThrice();
  const versions = join(folder, "parts.lance", "_versions");
  const [newest = ""] = readdirSync(versions).sort();
  const name = newest.replace(".manifest", ".sync-conflict-20260101-010101-ABCDEFG.manifest");
  writeFileSync(join(versions, name), readFileSync(join(versions, newest)));
  const reason = expect.stringMatching(
    /^parts\.lance\/_versions holds a manifest that pond did not/,
  );

  const opened = openCatalogue(folder);

  await expect(opened).rejects.toMatchObject({ details: { reason, problem: "foreign_manifest" } });
  const [parts] = await verify(folder);
  expect(parts?.damages).toEqual([expect.objectContaining({ reason })]);
});

it("names the torn manifest of one table, and reports another table as gone", async () => {
  const { folder } = await storedThrice();
  const versions = join(folder, "parts.lance", "_versions");
  const [manifest = ""] = readdirSync(versions).sort();
  writeFileSync(join(versions, manifest), "");
  rmSync(join(folder, "prices.lance"), { recursive: true });

  const verdicts = await verify(folder);

  expect(verdicts).toEqual([
    {
      name: "parts",
      readableRows: 0,
      damages: [{ files: [join(versions, manifest)], reason: "it is torn" }],
    },
    { name: "prices", readableRows: 0, damages: [{ files: [], reason: "it is not there" }] },
  ]);
});

it("reports a table whose folder cannot be read, and goes on with the others", async () => {
  const { folder } = await storedThrice();
  const versions = join(folder, "parts.lance", "_versions");
  rmSync(versions, { recursive: true });
  writeFileSync(versions, "");

  const reason = expect.stringMatching(/not a directory/);
  const damaged = { name: "parts", readableRows: 0, damages: [{ files: [], reason }] };
  expect(await verify(folder)).toEqual([damaged, whole]);
});

it("rejects with a StoreNotFoundError when there is no store", async () => {
  await expect(verify(join(temporaryFolder(), "none"))).rejects.toThrow(StoreNotFoundError);
});

it("names an index file that is gone or cut short, and counts no row as lost", async () => {
  const { folder } = await storedThrice();
  await (await openCatalogue(folder)).table("parts").fold();
  const indices = join(folder, "parts.lance", "_indices");
  const [lookup = "", bitmap = ""] = ["/page_lookup", "/bitmap_page_lookup"].map((name) =>
    readdirSync(indices, { recursive: true, encoding: "utf8" })
      .filter((path) => path.includes(name))
      .map((path) => join(indices, path))
      .at(0),
  );
  rmSync(lookup);
  truncateSync(bitmap, 9);

  const [verdict] = await verify(folder);

  const damages = [...(verdict?.damages ?? [])].sort((a, b) => a.reason.localeCompare(b.reason));
  expect([verdict?.readableRows, damages]).toEqual([
    30,
    [
      {
        files: [lookup],
        reason: expect.stringMatching(/^index \w+_idx: it is not there$/),
        rows: 0,
      },
      {
        files: [bitmap],
        reason: expect.stringMatching(/^index shaped_by_idx: it has 9 bytes/),
        rows: 0,
      },
    ],
  ]);
});

/** Asks for the tables by turns, and remembers what it is given. */
class Given implements ContentCheck {
  readonly columns = { parts: ["number", "maker"], prices: ["maker"] };
  readonly rows: Row[] = [];
  damaged: readonly string[] = [];
  #turn = 0;

  next(tables: readonly string[]): string | undefined {
    this.#turn += 1;
    return tables[this.#turn % tables.length];
  }

  add(table: string, rows: readonly Row[]): void {
    this.rows.push(...rows.map((row) => ({ table, ...row })));
  }

  finish(damaged: ReadonlySet<string>): ReadonlyMap<string, ContentVerdict> {
    this.damaged = [...damaged];
    const damages = [{ files: [], reason: "too dear", rows: 1, ids: [["acme"]] }];
    return new Map([["prices", { damages, uncheckedRows: 2 }]]);
  }
}

it.each([
  ["that is whole", 30, (_: string) => undefined],
  ["that lacks a file", 20, rmSync],
])(
  "gives each row of a store %s to the content check once, and reports its verdict",
  async (_, rows, lose) => {
    const { folder, files } = await storedThrice();
    await (await openCatalogue(folder))
      .table("prices")
      .insert({ maker: ["acme", "bolts"], total: [1, 2] });
    lose(files[1] ?? "");
    const content = new Given();

    const [parts, prices] = await verifyStore(folder, { tables: catalogue, content });

    const given = content.rows.map((row) => Object.values(row).join(" "));
    const isWhole = rows === 30;
    expect([given.length, new Set(given).size, parts?.readableRows]).toEqual([
      rows + 2,
      rows + 2,
      rows,
    ]);
    expect(given).toEqual(expect.arrayContaining(["prices acme", "prices bolts"]));
    expect(content.damaged).toEqual(isWhole ? [] : ["parts"]);
    expect(prices).toEqual({
      name: "prices",
      readableRows: 2,
      damages: [{ files: [], reason: "too dear", rows: 1, ids: [["acme"]] }],
      uncheckedRows: 2,
    });
  },
);

const pages: TableDeclaration = {
  ...{ name: "pages", schemaVersion: 1, primaryKey: ["id"], isDerived: true, indexes: [] },
  columns: {
    id: { type: "text" },
    data: { type: "bytes", isNullable: true, isSparse: true },
  },
};
const megabyte = 1_000_000;

it("gives the content check a few long rows at a time, and many short ones", async () => {
  const folder = temporaryFolder();
  const table = (await openCatalogue(folder, { tables: [pages] })).table("pages");
  const page = (at: number, bytes: number): Row => ({
    id: `p${at}`,
    data: new Uint8Array(bytes).fill(at),
  });
  const isLong = (at: number): boolean => at >= 2_100 && at < 2_164;
  const rows = Array.from({ length: 4_100 }, (_, at) => page(at, isLong(at) ? megabyte : 1));
  const starts = [0, 2_100, 2_116, 2_132, 2_148, 2_164];
  for (const [at, from] of starts.entries()) {
    await table.insert(batchOf(rows.slice(from, starts[at + 1])));
  }
  await table.fold({ isForced: true });
  const replaced = [...rows.slice(1_000, 1_050), ...rows.slice(2_150, 2_155)];
  await table.replace(batchOf(replaced));
  const given: { readonly ids: readonly unknown[]; readonly bytes: number }[] = [];
  const content: ContentCheck = {
    columns: { pages: ["id", "data"] },
    next: ([name]) => name,
    add: (_, some) => {
      const bytes = some.map(({ data }) => (data as Uint8Array).length);
      given.push({ ids: some.map(({ id }) => id), bytes: bytes.reduce((sum, each) => sum + each) });
    },
    finish: () => new Map(),
  };

  const verdicts = await verifyStore(folder, { tables: [pages], content });

  expect([...(await table.fragments()).values()]).toEqual([4_045, 55]);
  expect(verdicts).toEqual([{ name: "pages", readableRows: 4_100, damages: [] }]);
  const ids = given.flatMap((batch) => batch.ids);
  expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  expect(Math.max(...given.map(({ bytes }) => bytes))).toBeLessThan(40 * megabyte);
  expect(given.length).toBeLessThan(30);
});
