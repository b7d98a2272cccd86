/** Where requests go. */
export type Address = {
  /** The address of an operation, such as `/v1/search`. */
  of(path: string): URL;
};

/**
 * Reads the address of a server; it may have a path, where a proxy puts the server below one.
 *
 * @throws {TypeError} where it is none that `fetch` takes.
 */
export function readAddress(url: string | URL): Address {
  const base = URL.parse(String(url));
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new TypeError("url: expected an http or https address");
  }
  if (base.username !== "" || base.password !== "") {
    throw new TypeError("url: credentials go in headers, not in the address");
  }
  const prefix = base.pathname.replace(/\/+$/, "");
  return {
    of: (path) => {
      const address = new URL(base);
      address.pathname = prefix + path;
      address.hash = "";
      return address;
    },
  };
}

/** An address fit for a message: its query may hold a key. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
