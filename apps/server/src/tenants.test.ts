import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionTables } from "@pond/sessions";
import { createCaches, openStore } from "@pond/substrate";
import { afterAll, expect, test } from "vitest";
import { createTenants, provision, type TenantsInit } from "./tenants.ts";
import type { Policy } from "./variable.ts";

const folder = mkdtempSync(join(tmpdir(), "pond-tenants-"));
afterAll(() => rmSync(folder, { recursive: true }));

const caches = createCaches({ indexBytes: 8 * 1024 * 1024, metadataBytes: 4 * 1024 * 1024 });

function init(storage: string, policy: Policy): TenantsInit {
  const listeners = { onHeal: () => undefined, onMissingIndex: () => undefined };
  return { storage, storageOptions: {}, caches, policy, maxOpen: 8, ...listeners };
}

const deny = { kind: "deny" } as const;
const onFirstIngest = { kind: "on-first-ingest" } as const;
const fixed = { kind: "fixed", names: ["red"] } as const;

test.each([
  ["deny", deny, "read", "namespace_unknown"],
  ["deny", deny, "write", "namespace_unknown"],
  ["on-first-ingest", onFirstIngest, "read", "namespace_unknown"],
  ["on-first-ingest", onFirstIngest, "write", "opened"],
  ["fixed", fixed, "read", "store_not_found"],
  ["fixed", fixed, "write", "opened"],
] as const)(
  "%s: a tenant without a store is opened or refused (%s)",
  async (name, policy, mode, outcome) => {
    const storage = join(folder, `${name}-${mode}`);
    mkdirSync(storage);
    const tenants = createTenants(init(storage, policy));

    const seen = await tenants.open("red", mode).then(
      () => "opened",
      ({ code }) => code,
    );

    expect(seen).toBe(outcome);
    expect(existsSync(join(storage, "red"))).toBe(outcome === "opened");
    await tenants.close();
  },
);

test.each([
  ["deny", deny],
  ["on-first-ingest", onFirstIngest],
  ["fixed", fixed],
] as const)(
  "%s: while the folder of all tenants is gone, none is made or unknown",
  async (name, policy) => {
    const storage = join(folder, `unmounted-${name}`);
    await provision({ storage, storageOptions: {}, caches }, "red");
    const tenants = createTenants(init(storage, policy));
    renameSync(storage, `${storage}-elsewhere`);

    for (const mode of ["read", "write"] as const) {
      await expect(tenants.open("red", mode)).rejects.toMatchObject({
        code: "storage_unavailable",
        details: { location: storage },
      });
    }
    expect(existsSync(storage)).toBe(false);

    renameSync(`${storage}-elsewhere`, storage);
    await tenants.open("red", "write");
    await tenants.close();
  },
);

test.each([
  ["deny", deny],
  ["on-first-ingest", onFirstIngest],
  ["fixed", fixed],
] as const)("%s: a tenant that was provisioned can be read and written", async (name, policy) => {
  const storage = join(folder, `provisioned-${name}`);
  await provision({ storage, storageOptions: {}, caches }, "red");
  await provision({ storage, storageOptions: {}, caches }, "red");
  const tenants = createTenants(init(storage, policy));

  const stores = [await tenants.open("red", "read"), await tenants.open("red", "write")];

  expect(new Set(stores.map(({ store }) => store.id)).size).toBe(1);
  expect(stores[0]?.store.location).toBe(join(storage, "red"));
  await tenants.close();
});

test("fixed: only listed tenants exist, whatever is stored", async () => {
  const storage = join(folder, "listed");
  await provision({ storage, storageOptions: {}, caches }, "blue");
  const tenants = createTenants(init(storage, fixed));

  for (const mode of ["read", "write"] as const) {
    await expect(tenants.open("blue", mode)).rejects.toMatchObject({ code: "namespace_unknown" });
  }
  await expect(tenants.open(undefined, "read")).rejects.toMatchObject({
    details: { namespace: "default" },
  });
  await tenants.close();
});

test("all tenants share one cache", async () => {
  const storage = join(folder, "cached");
  mkdirSync(storage);
  const own = createCaches({ indexBytes: 8 * 1024 * 1024, metadataBytes: 4 * 1024 * 1024 });
  const tenants = createTenants({ ...init(storage, onFirstIngest), caches: own });
  const before = own.bytes;

  const read = async (name: string): Promise<number> => {
    const { store } = await tenants.open(name, "write");
    await store.table("sessions").count();
    return own.bytes;
  };
  const afterOne = await read("red");
  const afterTwo = await read("blue");

  expect(afterOne).toBeGreaterThan(before);
  expect(afterTwo).toBeGreaterThan(afterOne);
  await tenants.close();
});

test("a store without a full-text index is reported", async () => {
  const storage = join(folder, "unindexed");
  const tables = sessionTables.map((table) => ({
    ...table,
    indexes: table.indexes.filter(({ kind }) => kind !== "full-text"),
  }));
  (await openStore(join(storage, "red"), { tables, mode: "write" })).close();
  const missing: string[] = [];
  const tenants = createTenants({
    ...init(storage, fixed),
    onMissingIndex: ({ table, column }) => missing.push(`${table}.${column}`),
  });

  await tenants.open("red", "read");

  expect(missing).toEqual(["messages.search_text", "windows.text"]);
  await tenants.close();
});
