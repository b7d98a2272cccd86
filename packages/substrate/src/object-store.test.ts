import { expect, it, onTestFinished } from "vitest";
import { StorageUnavailableError, StoreNotFoundError } from "./errors.ts";
import { numbered } from "./testing/catalogue.ts";
import { type ObjectStore, startObjectStore } from "./testing/object-store.ts";
import { openCatalogue } from "./testing/store.ts";

async function started(isConditional: boolean): Promise<ObjectStore> {
  const objects = await startObjectStore(isConditional);
  onTestFinished(() => objects.close());
  return objects;
}

it("works on an object store as on a folder", async () => {
  const { storageOptions, objects } = await started(true);
  const store = await openCatalogue("s3://bucket/pond", { storageOptions });
  const table = store.table("parts");

  const outcomes = [await table.insert(numbered(50)), await table.insert(numbered(60))];
  await store.flush();
  await table.fold({ isForced: true, retentionMs: 0 });
  const reading = await openCatalogue("s3://bucket/pond", { storageOptions, mode: "read" });

  expect(outcomes).toEqual([
    { inserted: 50, present: 0 },
    { inserted: 10, present: 50 },
  ]);
  expect(reading.id).toBe(store.id);
  expect(await reading.table("parts").count()).toBe(60);
  expect([...objects.keys()].filter((key) => key.includes("probe"))).toEqual([]);
});

it("refuses to write to an object store that ignores If-None-Match, for it loses commits", async () => {
  const { storageOptions } = await started(false);

  const outcome = openCatalogue("s3://bucket/pond", { storageOptions });

  await expect(outcome).rejects.toThrow(StorageUnavailableError);
  await expect(outcome).rejects.toThrow("If-None-Match");
});

it("names a store that is not there", async () => {
  const { storageOptions, objects } = await started(true);

  const outcome = openCatalogue("s3://bucket/none", { storageOptions, mode: "read" });

  await expect(outcome).rejects.toThrow(StoreNotFoundError);
  expect(objects.size).toBe(0);
});
