import { openSessions, type SessionStore, type SessionStoreOptions } from "@pond/sessions";
import { WireError } from "@pond/wire";
import { inTurn } from "./turns.ts";

/** What a request means that names no namespace. */
export const defaultNamespace = "default";

/** Where the tables of one tenant are. */
export type Location = {
  readonly location: string;
  /** Credentials and endpoint of an object store, as Lance names them. */
  readonly storageOptions?: Readonly<Record<string, string>>;
};

/** The stores behind the namespaces of requests; each is opened once, when first asked for. */
export type Namespaces = {
  /**
   * The store of a namespace, shared by all who ask. Not theirs to close.
   *
   * @throws {WireError} `namespace_unknown` where it is not provisioned; `storage_unavailable`
   *   after {@link close}.
   * @throws {StoreNotFoundError} in mode `read` where nothing was ever stored.
   */
  open(namespace: string | undefined, mode: "read" | "write"): Promise<SessionStore>;
  /** Closes every store when what it writes is written. What still reads one fails. */
  close(): Promise<void>;
};

export type NamespacesOptions = Omit<SessionStoreOptions, "mode" | "storageOptions"> & {
  /** Where a namespace is; undefined where it is not provisioned. Only asked for sound names. */
  readonly locate: (namespace: string) => Location | undefined;
};

// One step of a path, on file systems that do not tell upper case from lower too.
const soundName = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * The one place that decides whether a namespace is accepted, and which tables it is
 * (`wire-namespace-resolution`).
 */
export function createNamespaces({ locate, ...options }: NamespacesOptions): Namespaces {
  const opened = new Map<string, Promise<SessionStore>>();
  let isClosed = false;

  const open = (key: string, mode: "read" | "write", place: Location): Promise<SessionStore> => {
    const { location, storageOptions } = place;
    const credentials = storageOptions === undefined ? {} : { storageOptions };
    const store = openSessions(location, { ...options, ...credentials, mode });
    opened.set(key, store);
    // One that could not be opened is tried again by whoever asks next.
    store.catch(() => opened.delete(key));
    return store;
  };

  return {
    async open(namespace = defaultNamespace, mode) {
      if (isClosed) throw new WireError("storage_unavailable", "the server is stopping");
      const place = soundName.test(namespace) ? locate(namespace) : undefined;
      if (place === undefined) throw unknown(namespace);
      // What can be written to can be read too.
      const shared = opened.get(`write ${namespace}`) ?? opened.get(`${mode} ${namespace}`);
      return shared ?? open(`${mode} ${namespace}`, mode, place);
    },
    async close() {
      isClosed = true;
      const stores = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.all(
        stores.map(async (store) => {
          if (store.status === "rejected") return;
          await inTurn(store.value, undefined, async () => store.value.close());
        }),
      );
    },
  };
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

function unknown(namespace: string): WireError {
  const shown = namespace.slice(0, 64).toWellFormed();
  return new WireError("namespace_unknown", `there is no namespace "${shown}" here`, {
    namespace: shown,
  });
}
