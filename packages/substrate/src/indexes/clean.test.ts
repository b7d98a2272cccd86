import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { catalogue, numbered } from "../testing/catalogue.ts";
import {
  bytesIn,
  onFolders,
  openCatalogue,
  openLanceTable,
  temporaryFolder,
  temporaryLocation,
} from "../testing/store.ts";

/** Texts that do not compress, about 100 bytes each. */
function longTexts(count: number, from: number): ReturnType<typeof numbered> {
  const description = Array.from({ length: count }, (_, row) =>
    Array.from({ length: 12 }, (_each, word) => ((from + row) * 7919 + word * 104_729).toString(36))
      .join(" ")
      .concat(Math.sin(from + row).toString(36)),
  );
  return { ...numbered(count, `maker ${from}`, from), description };
}

onFolders("it measures files")(
  "removes the files that a fold left once no reader can need them",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    for (let from = 0; from < 9_000; from += 3_000) await table.insert(longTexts(3_000, from));
    await table.fold({ isForced: true });
    const home = join(folder, "parts.lance");
    const folded = bytesIn(home);

    const young = await table.clean();
    const kept = bytesIn(home);
    const old = await table.clean({ retentionMs: 0 });

    const { bytes } = await table.health();
    expect([young, old]).toEqual([false, true]);
    expect(kept).toBe(folded);
    expect(folded).toBeGreaterThan(bytes * 1.2);
    expect(bytesIn(home)).toBeLessThan(bytes * 1.1);
    expect(await table.count()).toBe(9_000);
    expect(readdirSync(join(home, "data")).length).toBe(1);
    expect(await table.clean({ retentionMs: 0 })).toBe(false);
  },
);

onFolders("it measures files")("neither joins fragments nor extends an index", async () => {
  const folder = temporaryFolder();
  const table = (await openCatalogue(folder)).table("parts");
  for (let from = 0; from < 9_000; from += 3_000) await table.insert(longTexts(3_000, from));
  await table.fold({ isForced: true });
  await table.insert(longTexts(10, 9_000));
  const handle = await openLanceTable(folder, "parts");
  const before = await handle.version();

  const cleaned = await table.clean({ retentionMs: 0 });

  await handle.checkoutLatest();
  expect(cleaned).toBe(false);
  expect(await handle.version()).toBe(before);
  expect((await table.health()).fragments).toBe(2);
});

onFolders("it measures files")(
  "leaves a table alone while another tool's tag holds one of its versions",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    for (let from = 0; from < 9_000; from += 3_000) await table.insert(longTexts(3_000, from));
    const handle = await openLanceTable(folder, "parts");
    const tags = await handle.tags();
    await tags.create("monday", await handle.version());
    await table.fold({ isForced: true });
    const before = bytesIn(folder);

    const tagged = await table.clean({ retentionMs: 0 });
    const kept = bytesIn(folder);
    await tags.delete("monday");

    expect([tagged, kept]).toEqual([false, before]);
    expect(await table.clean({ retentionMs: 0 })).toBe(true);
  },
);

onFolders("files have dates of their own")(
  "removes nothing while the clock is days ahead of the one that dates files",
  async () => {
    const folder = temporaryFolder();
    const table = (await openCatalogue(folder)).table("parts");
    for (let from = 0; from < 9_000; from += 3_000) await table.insert(longTexts(3_000, from));
    await table.fold({ isForced: true });
    const before = bytesIn(folder);
    vi.useFakeTimers({ now: Date.now() + 8 * 86_400_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());

    const cleaned = await table.clean();
    const folding = table.fold({ isForced: true });

    await expect(folding).rejects.toMatchObject({
      name: "StorageUnavailableError",
      message: expect.stringContaining("more than a day ahead of the one that dates its files"),
    });
    expect(cleaned).toBe(false);
    expect(bytesIn(folder)).toBe(before);
  },
);

it("does nothing to empty tables", async () => {
  const store = await openCatalogue(temporaryLocation());
  const cleaned = await Promise.all(
    catalogue.map(({ name }) => store.table(name).clean({ retentionMs: 0 })),
  );

  expect(cleaned).toEqual(catalogue.map(() => false));
});
