import type { IncomingMessage } from "node:http";
import { refused } from "./refusals.ts";

/** The names by which a client may call the server; `any` if something in front checks them. */
export type AllowedHosts = readonly string[] | "any";

const loopback = ["localhost", "127.0.0.1", "[::1]"];
const hostHeader = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/i;

/**
 * Refuses requests that a web page makes a browser send: a page whose name was rebound to this
 * address names a foreign Host, a page from elsewhere names its Origin. Programs send no Origin.
 *
 * @throws {WireError} `validation_failed` with `kind` `host_not_allowed` or `origin_not_allowed`.
 */
export function createHostCheck(
  bound: string,
  allowed: AllowedHosts = [],
): (request: IncomingMessage) => void {
  const listed = allowed === "any" ? [] : allowed.map(nameOf);
  const names = new Set([...loopback, nameOf(bound), ...listed]);
  return ({ headers, rawHeaders, url = "" }) => {
    // A whole address as the target would stand above the Host; only proxies are asked that way.
    if (!url.startsWith("/")) throw refused("http_malformed", "the request target must be a path");
    const host = headers.host ?? "";
    // If there are two Host headers, Node shows the first; a proxy in front may have read the
    // second.
    const isOne = rawHeaders.filter((each, at) => at % 2 === 0 && isHost(each)).length === 1;
    const isKnown = hostHeader.test(host) && (allowed === "any" || names.has(nameOf(host)));
    if (!isOne || !isKnown)
      throw refused("host_not_allowed", "this server does not answer to that host name");
    const { origin } = headers;
    if (origin === undefined || isSame(origin, host)) return;
    // A proxy that changes the Host keeps the Origin, which then has to be a listed name.
    if (!listed.includes(nameOf(origin.replace(/^https?:\/\//i, "")))) {
      throw refused("origin_not_allowed", "web pages of that origin may not call this server");
    }
  };
}

/** True for a name or address under which only this machine is reached. */
export function isLoopback(host: string): boolean {
  return loopback.includes(nameOf(host));
}

function isSame(origin: string, host: string): boolean {
  const from = origin.toLowerCase();
  return ["http", "https"].some((scheme) => from === `${scheme}://${host.toLowerCase()}`);
}

function isHost(header: string): boolean {
  return header.toLowerCase() === "host";
}

/** A host without its port, normalized for comparison: lower case, an IPv6 address in brackets. */
function nameOf(host: string): string {
  const lower = host.toLowerCase();
  if (/^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(lower)) return `[${lower}]`;
  return lower.replace(/:\d{1,5}$/, "").replace(/\.$/, "");
}
