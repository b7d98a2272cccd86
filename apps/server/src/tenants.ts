import { createNamespaces, type Namespaces } from "@pond/server";
import { openSessions, type SessionStoreOptions } from "@pond/sessions";
import { requireFolder, type Storage } from "./storage.ts";
import type { Policy } from "./variable.ts";

export type TenantsInit = Storage & {
  readonly policy: Policy;
  readonly maxOpen: number;
  /** Called when a local table was torn and works again. */
  readonly onHeal: NonNullable<SessionStoreOptions["onHeal"]>;
  /** Called when a store is opened whose searches may miss messages. */
  readonly onMissingIndex: NonNullable<SessionStoreOptions["onMissingIndex"]>;
};

/**
 * The tenants as namespaces. Each has a prefix of the storage with its name; all share one cache.
 */
export function createTenants({
  storage,
  storageOptions,
  policy,
  ...options
}: TenantsInit): Namespaces {
  return createNamespaces({
    ...options,
    async locate(name, mode) {
      const mustExist = mustExistFor(policy, name, mode);
      if (mustExist === undefined) return undefined;
      // While a disk is not mounted, what it holds is not unknown, and what is stored in its place
      // would be hidden once it is back.
      await requireFolder(storage);
      return { location: locationOf(storage, name), storageOptions, mustExist };
    },
  });
}

/** Makes an empty store for a tenant; an existing one stays as it is. */
export async function provision({ storage, ...options }: Storage, name: string): Promise<void> {
  const sessions = await openSessions(locationOf(storage, name), { ...options, mode: "write" });
  sessions.close();
}

/** The location of a tenant's store. */
export function locationOf(storage: string, name: string): string {
  return `${storage}/${name}`;
}

/** Undefined if there is no such tenant, whatever is stored. */
function mustExistFor(policy: Policy, name: string, mode: "read" | "write"): boolean | undefined {
  switch (policy.kind) {
    case "deny":
      return true;
    case "on-first-ingest":
      return mode === "read";
    case "fixed":
      return policy.names.includes(name) ? false : undefined;
  }
}
