import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
import { busy } from "./refusals.ts";

/** Counts what each client has in progress, so that no single one can take every place. */
export class Clients {
  readonly #max: number;
  readonly #trustedProxies: number;
  readonly #inProgress: Map<string, number> = new Map();

  /** @param trustedProxies - How many proxies in front add to `X-Forwarded-For`. */
  constructor(max: number, trustedProxies: number) {
    this.#max = max;
    this.#trustedProxies = trustedProxies;
  }

  /**
   * Counts a request. The returned function removes it again; call it once.
   *
   * @throws {WireError} `storage_unavailable` if the client has too many.
   */
  enter(request: IncomingMessage): () => void {
    const client = clientOf(request, this.#trustedProxies);
    const before = this.#inProgress.get(client) ?? 0;
    if (before >= this.#max) throw busy("client_busy");
    this.#inProgress.set(client, before + 1);
    return () => {
      const left = (this.#inProgress.get(client) ?? 1) - 1;
      if (left === 0) this.#inProgress.delete(client);
      else this.#inProgress.set(client, left);
    };
  }
}

/**
 * Who asks: an address, or the network of an IPv6 one, because everybody has 2^64 of those. A
 * header is believed only as far as trusted proxies have added to it.
 */
export function clientOf(
  { socket, headers }: Pick<IncomingMessage, "socket" | "headers">,
  trustedProxies: number,
): string {
  const header = headers["x-forwarded-for"];
  const named = trustedProxies === 0 ? [] : String(header ?? "").split(",");
  const client = (named.at(-trustedProxies) ?? "").trim().replace(/^\[(.*)\](?::\d+)?$/, "$1");
  const withoutPort = client.replace(/^([\d.]+):\d+$/, "$1");
  return networkOf(isIP(withoutPort) === 0 ? (socket.remoteAddress ?? "") : withoutPort);
}

function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain)) return plain;
  const [head = [], tail = []] = plain
    .split("::")
    .map((side) => side.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
