import { startS3 } from "@pond/storage-testkit";
import type { TestProject } from "vitest/node";

/** Runs the suite on an S3-compatible server. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const storage = await startS3();
  provide("objectStore", { base: storage.url(""), storageOptions: storage.storageOptions });
  return () => storage.close();
}
