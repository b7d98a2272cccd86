import { collectGarbage } from "@pond/canonical/adapter";
import { openSessions, type SessionStore, type SessionStoreOptions } from "@pond/sessions";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "@pond/substrate";
import { WireError } from "@pond/wire";
import { refuseUnfit } from "./limits.ts";
import { OpenStores } from "./open-stores.ts";

/** What a request means that names no namespace. */
export const defaultNamespace = "default";

/** What a store is asked for. What can be written to can be read too. */
export type AccessMode = "read" | "write";

/** Where the tables of one tenant are. */
export type Location = {
  readonly location: string;
  /** Credentials and endpoint of an object store, as Lance names them. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  /** True where the namespace is unknown as long as no store is there. Default false. */
  readonly mustExist?: boolean;
};

/** The stores behind the namespaces of requests; each is opened once, when first asked for. */
export type Namespaces = {
  /**
   * The store of a namespace, shared by all who ask. Not theirs to close.
   *
   * @param until - Settles when it is not used any more, and may be closed; left out, it stays open.
   *   Where it fails because storage did, it is asked whether the store is still there.
   * @throws {WireError} `namespace_unknown` where it is not provisioned; `storage_unavailable`
   *   after {@link close}.
   * @throws {StoreNotFoundError} in mode `read` where nothing was ever stored.
   */
  open(
    namespace: string | undefined,
    mode: AccessMode,
    until?: Promise<unknown>,
  ): Promise<SessionStore>;
  /** Closes every store when what it writes is written. What still reads one fails. */
  close(): Promise<void>;
};

/** Which namespaces there are, and how many stores stay open. */
export type NamespacesOptions = Omit<SessionStoreOptions, "mode" | "storageOptions"> & {
  /**
   * Where a namespace is; undefined where it is not provisioned for what it is asked for. Only asked
   * for sound names, and every time, so that it may say something else later.
   */
  readonly locate: (
    namespace: string,
    mode: AccessMode,
  ) => Location | undefined | Promise<Location | undefined>;
  /** Stores kept open; more only while all of them are in use. Default: all that were asked for. */
  readonly maxOpen?: number;
  /**
   * After how long a store that nobody uses is closed, in milliseconds; who asks next opens it again.
   * With the last one goes what is kept in memory, also in `caches`. Default: five minutes.
   */
  readonly idleMs?: number;
};

const fiveMinutesMs = 300_000;
// A timer of more runs off at once.
const longestMs = 2 ** 31 - 1;

// One step of a path, on file systems that do not tell upper case from lower too.
const soundName = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** True for what a namespace can be called. */
export function isNamespace(name: string): boolean {
  return soundName.test(name);
}

/**
 * The one place that decides whether a namespace is accepted, and which tables it is
 * (`wire-namespace-resolution`).
 *
 * @throws {TypeError} for a `maxOpen` that is no number of stores, and an `idleMs` that is none of
 *   milliseconds.
 */
export function createNamespaces({
  locate,
  maxOpen = Number.POSITIVE_INFINITY,
  idleMs = fiveMinutesMs,
  ...options
}: NamespacesOptions): Namespaces {
  refuseUnfit("maxOpen", maxOpen, { least: 0 });
  refuseUnfit("idleMs", idleMs, { least: 0 });
  const onAllIdle = (): void => {
    options.caches?.release();
    // The engine lets go of what no object of ours names, and who rests collects no garbage.
    collectGarbage();
  };
  const stores = new OpenStores({ maxOpen, idleMs: Math.min(idleMs, longestMs), onAllIdle });
  /** Namespaces whose store failed: it may have been taken away. */
  const doubted = new Set<string>();
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
      throw mustExist && error instanceof StoreNotFoundError ? unknown(namespace) : error;
    }
  };

  /** A store that is not there any more would fail for good. */
  const retireLost = async (namespace: string, place: Location): Promise<void> => {
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
      if (place !== undefined && doubted.delete(namespace)) await retireLost(namespace, place);
      if (isClosed) throw new WireError("storage_unavailable", "the server is stopping");
      if (place === undefined) throw unknown(namespace);
      void until?.catch((error) => {
        if (error instanceof StorageUnavailableError) doubted.add(namespace);
      });
      const where = JSON.stringify([place.location, place.storageOptions]);
      // Half of a store that is being made could not be read.
      const opens =
        mode === "write" || (await stores.isOpen(`write ${namespace}`, where)) ? "write" : "read";
      const key = `${opens} ${namespace}`;
      const open = (): Promise<SessionStore> => openAt(namespace, opens, place);
      const sessions = await stores.use(key, open, until, where);
      if (opens === "write") stores.retire(`read ${namespace}`);
      return sessions;
    },
    async close() {
      isClosed = true;
      await stores.close();
    },
  };
}

/** @throws {StoreNotFoundError} A store whose making broke off is one, for who makes it whole. */
async function requireStore(location: string, options: SessionStoreOptions): Promise<void> {
  try {
    const existing = await openSessions(location, { ...options, mode: "read" });
    existing.close();
  } catch (error) {
    if (!(error instanceof StoreSchemaError)) throw error;
  }
}

/** A personal pond: one store, by its default name or by none. */
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
 * The namespace a request is about: what whoever let it in says stands above what it asks for.
 *
 * @throws {WireError} `namespace_unknown` where it asks for another: to it, there is no other.
 */
export function namespaceWithin(
  asked: string | undefined,
  only: string | undefined,
): string | undefined {
  if (only !== undefined && asked !== undefined && asked !== only) throw unknown(asked);
  return only ?? asked;
}

function unknown(namespace: string): WireError {
  const shown = namespace.slice(0, 64).toWellFormed();
  return new WireError("namespace_unknown", `there is no namespace "${shown}" here`, {
    namespace: shown,
  });
}
