import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { StoreNotFoundError } from "./errors.ts";
import { catalogue, numbered } from "./testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "./testing/store.ts";
import { verifyStore } from "./verify.ts";

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

it("says where there is no store", async () => {
  await expect(verify(join(temporaryFolder(), "none"))).rejects.toThrow(StoreNotFoundError);
});
