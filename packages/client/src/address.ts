/** The address that requests go to. */
export type Address = {
  /** The address of an operation, such as `/v1/search`. */
  of(path: string): URL;
};

/**
 * Reads the address of a server. It may have a path, if a proxy puts the server below one.
 *
 * @throws {TypeError} if `fetch` does not take the address.
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

/** An address that a message may show: without the query, which may hold a key. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
