import { openStore, type Store, type StoreOptions } from "@pond/substrate";
import { sessionTables } from "./tables.ts";

/** How the store is opened. */
export type SessionStoreOptions = Omit<StoreOptions, "tables">;

/** The open session datasets. Everything in this package takes one. */
export type SessionStore = {
  readonly store: Store;
  /** Closes the store. Nothing can be asked of it afterwards. */
  close(): void;
};

/**
 * Opens the session tables at a folder or object store address.
 *
 * @throws {StoreNotFoundError} in mode `read` (the default) if there are none.
 */
export async function openSessions(
  location: string,
  options: SessionStoreOptions = {},
): Promise<SessionStore> {
  const store = await openStore(location, { ...options, tables: sessionTables });
  return { store, close: () => store.close() };
}
