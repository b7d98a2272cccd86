import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { catalogue, numbered } from "../testing/catalogue.ts";
import { openCatalogue, storageOptions, temporaryLocation } from "../testing/store.ts";
import { type ContentCheck, verifyStore } from "./verify.ts";

const foldIt = `
  const [location, options, retention, storeUrl, catalogueUrl] = process.argv.slice(1);
  const [{ openStore }, { catalogue: tables }] = await Promise.all([
    import(storeUrl), import(catalogueUrl),
  ]);
  const opened = await openStore(location, {
    tables, mode: "write", storageOptions: JSON.parse(options),
  });
  await opened.table("parts").fold({ isForced: true, retentionMs: Number(retention) });
  opened.close();
`;

/** Another process folds, and is done when this returns. */
function foldElsewhere(location: string, retentionMs: number): void {
  const urls = ["../store.ts", "../testing/catalogue.ts"].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const flags = ["--conditions=@pond/source", "--input-type=module", "-e", foldIt];
  execFileSync(process.execPath, [
    ...[...flags, location, JSON.stringify(storageOptions ?? {})],
    ...[String(retentionMs), ...urls],
  ]);
}

it.each([
  // Begun again for what the table is now, where each row would come a second time.
  ["removes the old files", 0, { given: 10, unchecked: 20, notWhole: ["parts"] }],
  ["keeps the old files", 600_000, { given: 30, unchecked: undefined, notWhole: [] }],
])(
  "finds no damage in a store that is folded meanwhile by a process that %s",
  async (_, retentionMs, expected) => {
    const location = temporaryLocation();
    const store = await openCatalogue(location);
    for (let from = 0; from < 30; from += 10) {
      await store.table("parts").insert(numbered(10, "acme", from));
    }
    store.close();
    const given: unknown[] = [];
    let notWhole: readonly string[] = [];
    const content: ContentCheck = {
      columns: { parts: ["number"] },
      next: ([name]) => name,
      add: (_, rows) => {
        if (given.length === 0) foldElsewhere(location, retentionMs);
        given.push(...rows.map((row) => row["number"]));
      },
      finish: (names) => {
        notWhole = [...names];
        return new Map();
      },
    };

    const [parts] = await verifyStore(location, { tables: catalogue, storageOptions, content });

    expect([parts?.readableRows, parts?.damages, parts?.uncheckedRows]).toEqual([
      30,
      [],
      expected.unchecked,
    ]);
    expect([given.length, new Set(given).size, notWhole]).toEqual([
      expected.given,
      expected.given,
      expected.notWhole,
    ]);
  },
);
