import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Row } from "../declaration.ts";
import { StoreNotFoundError } from "../errors.ts";
import { catalogue, numbered } from "../testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "../testing/store.ts";
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

it("finds nothing wrong with a whole store, folded or not", async () => {
  const { folder } = await storedThrice();

  const before = await verify(folder);
  await (await openCatalogue(folder)).table("parts").fold({ isForced: true, retentionMs: 0 });

  const expected = [{ name: "parts", readableRows: 30, damages: [] }, whole];
  expect([before, await verify(folder)]).toEqual([expected, expected]);
});

it.each<[string, (path: string, bytes: Buffer) => void, RegExp]>([
  ["gone", (path) => rmSync(path), /^it is not there$/],
  [
    "short",
    (path, bytes) => writeFileSync(path, bytes.subarray(20)),
    /^it has \d+ bytes, not \d+$/,
  ],
  ["of zeros", (path, bytes) => writeFileSync(path, bytes.fill(0)), /./],
])("names a data file that is %s, and reads all rows of the others", async (_, damage, reason) => {
  const { folder, files } = await storedThrice();
  const [file = ""] = files;
  damage(file, readFileSync(file));

  const verdicts = await verify(folder);

  const damages = [{ files: [file], reason: expect.stringMatching(reason), rows: 10 }];
  expect(verdicts).toEqual([{ name: "parts", readableRows: 20, damages }, whole]);
});

it("tells of a manifest that a sync tool put among the others", async () => {
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

it("names the manifest of a table that is torn, and a table that is gone", async () => {
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

it("goes on where the system does not let it read a table", async () => {
  const { folder } = await storedThrice();
  const versions = join(folder, "parts.lance", "_versions");
  rmSync(versions, { recursive: true });
  writeFileSync(versions, "");

  const reason = expect.stringMatching(/not a directory/);
  const damaged = { name: "parts", readableRows: 0, damages: [{ files: [], reason }] };
  expect(await verify(folder)).toEqual([damaged, whole]);
});

it("says where there is no store", async () => {
  await expect(verify(join(temporaryFolder(), "none"))).rejects.toThrow(StoreNotFoundError);
});

it("names a file of an index that is gone or cut short, with which no row is lost", async () => {
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
  ["whole", 30, (_: string) => undefined],
  ["of which a file is gone", 20, rmSync],
])(
  "gives each row of a store %s to a check once, and says what that found",
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
