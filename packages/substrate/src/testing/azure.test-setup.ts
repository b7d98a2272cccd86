import { startAzurite } from "@pond/storage-testkit";
import type { TestProject } from "vitest/node";

/** Runs the suite on Azurite, Microsoft's emulator of Azure Blob Storage. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (!process.env["POND_ALL"]) {
    console.info("skipped on azure: what is asked of rows, which runs on S3; POND_ALL=1 runs it");
  }
  const storage = await startAzurite();
  if (storage === undefined)
    throw new Error("azurite cannot run here: --project folders --project alone");
  // It shares two cores with three suites, and lists slowly what they have left in it.
  const storageOptions = { ...storage.storageOptions, timeout: "30s" };
  provide("objectStore", { base: storage.url(""), storageOptions });
  return () => storage.close();
}
