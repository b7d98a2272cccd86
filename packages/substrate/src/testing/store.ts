import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import { inject, it, onTestFinished, type TestAPI } from "vitest";
import { loadLance } from "../engine/lance.ts";
import { datasetsOf } from "../storage/pointer.ts";
import { parseLocation } from "../storage/storage.ts";
import { openStore, type Store, type StoreOptions } from "../store.ts";
import { catalogue } from "./catalogue.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The object store that the suite runs on; left out where it runs on folders. */
    objectStore?: {
      readonly base: string;
      readonly storageOptions: Readonly<Record<string, string>>;
    };
  }
}

const objectStore = inject("objectStore");

/** False where the suite runs on an object store. */
export const isOnFolders: boolean = objectStore === undefined;

/** How Lance reaches a {@link temporaryLocation}. */
export const storageOptions: Readonly<Record<string, string>> = objectStore?.storageOptions ?? {};

/** For tests of what only folders have: skipped, and the reason said, on an object store. */
export function onFolders(reason: string): TestAPI {
  if (objectStore !== undefined) console.info(`skipped on an object store: ${reason}`);
  return objectStore === undefined ? it : (it.skip as TestAPI);
}

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "substrate-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How many the files below a folder have. */
export function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}

/** Where no store is yet: below a folder, or on the object store that the suite runs on. */
export function temporaryLocation(): string {
  const { location, remove } = newLocation();
  onTestFinished(remove);
  return location;
}

/** A {@link temporaryLocation} for several tests, which goes away when they say so. */
export function newLocation(): { readonly location: string; readonly remove: () => void } {
  if (objectStore !== undefined) {
    return { location: `${objectStore.base}${randomUUID()}`, remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), "substrate-"));
  return { location: join(folder, "store"), remove: () => rmSync(folder, { recursive: true }) };
}

/** A store that is closed with the test. It sees at once what others write, wherever it is. */
export async function openCatalogue(
  location: string = temporaryLocation(),
  options: Partial<StoreOptions> = {},
): Promise<Store> {
  const store = await openStore(location, {
    tables: catalogue,
    mode: "write",
    storageOptions,
    stalenessMs: 0,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

/** The engine's connection to a location, closed with the test. */
export async function connectLance(location: string): Promise<Connection> {
  const connection = await loadLance().connect(location, {
    storageOptions: { ...storageOptions },
  });
  onTestFinished(() => connection.close());
  return connection;
}

/** A table as the engine has it, past all that is ours: as it is now, whatever others write. */
export async function openLanceTable(location: string, table: string): Promise<LanceTable> {
  const connection = await connectLance(location);
  const datasets = await datasetsOf(connection, parseLocation(location), [table]);
  return connection.openTable(datasets.get(table) ?? table);
}
