import { createNamespaces, type Namespaces } from "@pond/server";
import { openSessions, type SessionStoreOptions } from "@pond/sessions";
import type { Storage } from "./storage.ts";
import type { Policy } from "./variable.ts";

export type TenantsInit = Storage & {
  readonly policy: Policy;
  readonly maxOpen: number;
  /** Told where a local table was torn and works again. */
  readonly onHeal: NonNullable<SessionStoreOptions["onHeal"]>;
  /** Told where searches of a store that is opened may miss messages. */
  readonly onMissingIndex: NonNullable<SessionStoreOptions["onMissingIndex"]>;
};

/** The tenants as namespaces: one prefix of the storage each, of its name, and one cache for all. */
export function createTenants({
  storage,
  storageOptions,
  policy,
  ...options
}: TenantsInit): Namespaces {
  return createNamespaces({
    ...options,
    locate(name, mode) {
      const mustExist = mustBeThere(policy, name, mode);
      if (mustExist === undefined) return undefined;
      return { location: locationOf(storage, name), storageOptions, mustExist };
    },
  });
}

/** Makes the store of a tenant, empty; one that is there stays as it is. */
export async function provision({ storage, ...options }: Storage, name: string): Promise<void> {
  const sessions = await openSessions(locationOf(storage, name), { ...options, mode: "write" });
  sessions.close();
}

/** Where the store of a tenant is. */
export function locationOf(storage: string, name: string): string {
  return `${storage}/${name}`;
}

/** Undefined where there is no such tenant whatever is stored. */
function mustBeThere(policy: Policy, name: string, mode: "read" | "write"): boolean | undefined {
  switch (policy.kind) {
    case "deny":
      return true;
    case "on-first-ingest":
      return mode === "read";
    case "fixed":
      return policy.names.includes(name) ? false : undefined;
  }
}
