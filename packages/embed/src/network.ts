import type { Dispatcher } from "undici";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

type NetworkRequest = {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long nothing may arrive before the request counts as failed. */
  readonly silenceMs: number;
};

/** Sends requests as the environment says; follows no redirect by itself. */
export type Network = {
  request(url: URL, request: NetworkRequest): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
};

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. This machine itself is never
 * asked for through a proxy: a proxy elsewhere would look for the address on its own machine.
 */
export async function openNetwork(env: Environment): Promise<Network> {
  // Not before it is needed: pond mostly works without any network.
  const { Agent, EnvHttpProxyAgent, request } = await import("undici");
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const httpProxy = proxyAddress(read("HTTP_PROXY"));
  const httpsProxy = proxyAddress(read("HTTPS_PROXY"));
  const direct = new Agent();
  const proxied =
    httpProxy === undefined || httpsProxy === undefined
      ? undefined
      : new EnvHttpProxyAgent({
          httpProxy,
          httpsProxy,
          noProxy: read("NO_PROXY"),
          // Many proxies tunnel to port 443 only.
          proxyTunnel: false,
        });
  return {
    request: async (url, { silenceMs, ...init }) => {
      const dispatcher = isLoopback(url.hostname) ? direct : proxied;
      if (dispatcher === undefined) throw new ProxyAddressError();
      return request(url, {
        ...init,
        body: init.body ?? null,
        dispatcher,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      });
    },
    close: async () => {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

class ProxyAddressError extends Error {}

/** As other programs do, it takes `host:port` for a proxy spoken to by HTTP. */
function proxyAddress(text: string): string | undefined {
  const address = text === "" || text.includes("://") ? text : `http://${text}`;
  return address === "" || URL.canParse(address) ? address : undefined;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** An address fit for a message: no user, password, query or fragment. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** What failed below HTTP, in words that hold no address with a password in it. */
export function connectionFailure(error: unknown): { reason: string; isPassing: boolean } {
  if (error instanceof ProxyAddressError) {
    return { reason: "HTTP_PROXY or HTTPS_PROXY is no address", isPassing: false };
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const isFinal = code !== undefined && /CERT|SELF_SIGNED|TLS|ENOTFOUND|INVALID/.test(code);
  const hint = code === "ECONNREFUSED" ? "nothing listens there" : "the connection failed";
  return { reason: `${hint}${code === undefined ? "" : ` (${code})`}`, isPassing: !isFinal };
}
