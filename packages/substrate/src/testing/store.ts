import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type Store, type StoreOptions } from "../store.ts";
import { catalogue } from "./catalogue.ts";

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "substrate-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store that is closed with the test. */
export async function openCatalogue(
  location: string = join(temporaryFolder(), "store"),
  options: Partial<StoreOptions> = {},
): Promise<Store> {
  const store = await openStore(location, { tables: catalogue, mode: "write", ...options });
  onTestFinished(() => store.close());
  return store;
}
