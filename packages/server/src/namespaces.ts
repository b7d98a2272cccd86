import { collectGarbage } from "@pond/canonical/adapter";
import { openSessions, type SessionStore, type SessionStoreOptions } from "@pond/sessions";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "@pond/substrate";
import { WireError } from "@pond/wire";
import { requireInRange } from "./limits.ts";
import { OpenStores } from "./open-stores.ts";

/** The namespace of a request that names none. */
export const defaultNamespace = "default";

/** What a store is opened for. A store for writing can be read, too. */
export type AccessMode = "read" | "write";

/** Where the tables of one tenant are. */
export type Location = {
  readonly location: string;
  /** Credentials and endpoint of an object store, under the names that Lance uses. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  /** True if the namespace is unknown as long as no store is there. Default: false. */
  readonly mustExist?: boolean;
};

/** The stores of the namespaces in requests. Each is opened once, when it is first asked for. */
export type Namespaces = {
  /**
   * The store of a namespace, shared by all callers. They must not close it.
   *
   * @param until - Settles when the store is not used any more and may be closed; left out, it
   * stays open. If it fails because storage did, it is checked whether the store is still there.
   * @throws {WireError} `namespace_unknown` if it is not provisioned; `storage_unavailable` after
   * {@link close}.
   * @throws {StoreNotFoundError} in mode `read` if nothing was ever stored.
   */
  open(
    namespace: string | undefined,
    mode: AccessMode,
    until?: Promise<unknown>,
  ): Promise<SessionStore>;
  /** Closes every store once its writes are done. Reads still in progress fail. */
  close(): Promise<void>;
};

/** Which namespaces there are, and how many stores stay open. */
export type NamespacesOptions = Omit<SessionStoreOptions, "mode" | "storageOptions"> & {
  /**
   * The location of a namespace; undefined if it is not provisioned for this use. Called only for
   * valid names, and every time, so that the answer may change later.
   */
  readonly locate: (
    namespace: string,
    mode: AccessMode,
  ) => Location | undefined | Promise<Location | undefined>;
  /**
   * How many stores stay open; more only while all of them are in use. Default: all that were asked
   * for.
   */
  readonly maxOpen?: number;
  /**
   * After how many milliseconds an unused store is closed; the next caller opens it again. When the
   * last one is closed, the memory caches are emptied, including `caches`. Default: five minutes.
   */
  readonly idleMs?: number;
};

const fiveMinutesMs = 300_000;
// A longer timer fires at once.
const maxTimerMs = 2 ** 31 - 1;

// One step of a path, also on file systems that ignore case.
const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** True for a valid name of a namespace. */
export function isNamespace(name: string): boolean {
  return namePattern.test(name);
}

/**
 * Makes the namespaces: the one place that decides whether a namespace is accepted, and which
 * tables belong to it (`wire-namespace-resolution`).
 *
 * @throws {TypeError} for a `maxOpen` that is not a number of stores, or an `idleMs` that is not a
 * number of milliseconds.
 */
export function createNamespaces({
  locate,
  maxOpen = Number.POSITIVE_INFINITY,
  idleMs = fiveMinutesMs,
  ...options
}: NamespacesOptions): Namespaces {
  requireInRange("maxOpen", maxOpen, { min: 0 });
  requireInRange("idleMs", idleMs, { min: 0 });
  const onAllIdle = (): void => {
    options.caches?.release();
    // The engine frees what no object of ours refers to, and an idle process collects no garbage.
    collectGarbage();
  };
  const stores = new OpenStores({ maxOpen, idleMs: Math.min(idleMs, maxTimerMs), onAllIdle });
  /** Namespaces whose store failed: it may have been removed. */
  const suspects = new Set<string>();
  let isClosed = false;

  const optionsAt = ({ storageOptions }: Location): SessionStoreOptions => ({
    ...options,
    ...(storageOptions !== undefined && { storageOptions }),
  });

  const openAt = async (
    namespace: string,
    mode: AccessMode,
    place: Location,
  ): Promise<SessionStore> => {
    const { location, mustExist = false } = place;
    const given = optionsAt(place);
    try {
      // Opening to write would make it.
      if (mustExist && mode === "write") await requireStore(location, given);
      return await openSessions(location, { ...given, mode });
    } catch (error) {
      throw mustExist && error instanceof StoreNotFoundError
        ? unknownNamespaceError(namespace)
        : error;
    }
  };

  /** A store that no longer exists would fail for ever. */
  const retireIfLost = async (namespace: string, place: Location): Promise<void> => {
    try {
      await requireStore(place.location, optionsAt(place));
    } catch (error) {
      if (!(error instanceof StoreNotFoundError)) throw error;
      for (const mode of ["read", "write"]) stores.retire(`${mode} ${namespace}`);
    }
  };

  return {
    async open(namespace = defaultNamespace, mode, until) {
      const place = isNamespace(namespace) ? await locate(namespace, mode) : undefined;
      if (place !== undefined && suspects.delete(namespace)) await retireIfLost(namespace, place);
      if (isClosed) throw new WireError("storage_unavailable", "the server is stopping");
      if (place === undefined) throw unknownNamespaceError(namespace);
      void until?.catch((error) => {
        if (error instanceof StorageUnavailableError) suspects.add(namespace);
      });
      const where = JSON.stringify([place.location, place.storageOptions]);
      // A store that is only half made could not be read.
      const openMode =
        mode === "write" || (await stores.isOpen(`write ${namespace}`, where)) ? "write" : "read";
      const key = `${openMode} ${namespace}`;
      const open = (): Promise<SessionStore> => openAt(namespace, openMode, place);
      const sessions = await stores.use(key, open, until, where);
      if (openMode === "write") stores.retire(`read ${namespace}`);
      return sessions;
    },
    async close() {
      isClosed = true;
      await stores.close();
    },
  };
}

/**
 * @throws {StoreNotFoundError} A store whose creation broke off counts as existing for whoever
 * completes it.
 */
async function requireStore(location: string, options: SessionStoreOptions): Promise<void> {
  try {
    const existing = await openSessions(location, { ...options, mode: "read" });
    existing.close();
  } catch (error) {
    if (!(error instanceof StoreSchemaError)) throw error;
  }
}

/** A personal pond: one store, under its default name or without a name. */
export function singleNamespace(
  location: string,
  options: Omit<SessionStoreOptions, "mode"> = {},
): Namespaces {
  const { storageOptions, ...rest } = options;
  const place = { location, ...(storageOptions !== undefined && { storageOptions }) };
  return createNamespaces({
    ...rest,
    locate: (namespace) => (namespace === defaultNamespace ? place : undefined),
  });
}

/**
 * The namespace of a request: what whoever admitted it says takes precedence over what it asks for.
 *
 * @throws {WireError} `namespace_unknown` if it asks for another: for this request, there is no
 * other.
 */
export function admittedNamespace(
  requested: string | undefined,
  admitted: string | undefined,
): string | undefined {
  if (admitted !== undefined && requested !== undefined && requested !== admitted)
    throw unknownNamespaceError(requested);
  return admitted ?? requested;
}

function unknownNamespaceError(namespace: string): WireError {
  const shown = namespace.slice(0, 64).toWellFormed();
  return new WireError("namespace_unknown", `there is no namespace "${shown}" here`, {
    namespace: shown,
  });
}
