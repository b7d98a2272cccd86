import { basename } from "node:path";
import { expect, vi } from "vitest";
import { numbered } from "../testing/catalogue.ts";
import { onFolders, openCatalogue, temporaryFolder } from "../testing/store.ts";

const it = onFolders("an object store is not healed");

/** Manifests that were there when a folder was listed, and no longer when they are opened. */
const cleanedAway = vi.hoisted((): string[] => []);

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const readdir = async (folder: string): Promise<string[]> => {
    const names = await real.readdir(folder);
    return basename(folder) === "_versions" ? [...cleanedAway.splice(0), ...names] : names;
  };
  return { ...real, readdir };
});

it("looks again when another process has removed the newest version that was listed", async () => {
  const folder = temporaryFolder();
  await (await openCatalogue(folder)).table("parts").insert(numbered(10));
  cleanedAway.push("00000000000000000001.manifest");

  const store = await openCatalogue(folder);

  expect([await store.table("parts").count(), cleanedAway]).toEqual([10, []]);
});
