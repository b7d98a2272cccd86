import type { Dispatcher } from "undici";
import { isTransientStatus } from "./retry.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

type NetworkRequest = {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long nothing may arrive before the request counts as failed. */
  readonly idleTimeoutMs: number;
};

/**
 * Sends requests through the proxy that the environment names; does not follow redirects itself.
 */
export type Network = {
  request(url: URL, request: NetworkRequest): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
};

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. Requests to this machine never
 * go through a proxy: a proxy elsewhere would look for the address on its own machine.
 */
export async function openNetwork(env: Environment): Promise<Network> {
  // Imported only when needed: pond mostly works without any network.
  const { Agent, request } = await import("undici");
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const direct = new Agent();
  const proxied = await proxyAgent(read);
  return {
    request: async (url, { idleTimeoutMs, ...init }) => {
      const dispatcher = isLoopback(url.hostname) ? direct : proxied;
      if (dispatcher === undefined) throw new ProxyAddressError();
      return request(url, {
        ...init,
        body: init.body ?? null,
        dispatcher,
        headersTimeout: idleTimeoutMs,
        bodyTimeout: idleTimeoutMs,
      });
    },
    close: async () => {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

/** Undefined if a proxy is not an address, or its scheme is not supported. */
async function proxyAgent(read: (name: string) => string): Promise<Dispatcher | undefined> {
  const httpProxy = proxyAddress(read("HTTP_PROXY"));
  const httpsProxy = proxyAddress(read("HTTPS_PROXY"));
  if (httpProxy === undefined || httpsProxy === undefined) return undefined;
  const { EnvHttpProxyAgent, errors } = await import("undici");
  try {
    // Many proxies tunnel to port 443 only, so requests that can do without a tunnel do.
    const noProxy = read("NO_PROXY");
    return new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, proxyTunnel: false });
  } catch (error) {
    if (error instanceof errors.InvalidArgumentError) return undefined;
    throw error;
  }
}

class ProxyAddressError extends Error {}

/** Like other programs, accepts `host:port` for a proxy that speaks HTTP. */
function proxyAddress(text: string): string | undefined {
  const address = text === "" || text.includes("://") ? text : `http://${text}`;
  return address === "" || URL.canParse(address) ? address : undefined;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** An address that a message may show: no user, password, query or fragment. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

// No such host; a certificate that is not trusted; no TLS, or another one, at that port.
const finalCodes = /ENOTFOUND|INVALID|CERT|SELF_SIGNED|LEAF_SIGNATURE|TLS|WRONG_VERSION/;

const unknownAuthorityCodes = /SELF_SIGNED|LEAF_SIGNATURE|ISSUER_CERT/;
const unknownAuthorityHint =
  "; NODE_EXTRA_CA_CERTS can name a file with the authority that signed its certificate";

// The HTTP client has no code for it.
const proxyRefusal = /^Proxy response \((\d{3})\)/;

/** Describes a failure below HTTP in words that cannot contain an address with a password. */
export function connectionFailure(error: unknown): { reason: string; isTransient: boolean } {
  if (error instanceof ProxyAddressError) {
    return { reason: "HTTP_PROXY or HTTPS_PROXY is not a usable address", isTransient: false };
  }
  const refusal = error instanceof Error ? proxyRefusal.exec(error.message)?.[1] : undefined;
  if (refusal !== undefined) {
    const isTransient = isTransientStatus(Number(refusal));
    return { reason: `the proxy answered ${refusal}`, isTransient };
  }
  // That of an answer that is no HTTP has the field, and nothing in it.
  const given = error instanceof Error && "code" in error ? error.code : undefined;
  const code = given === undefined ? undefined : String(given);
  const isFinal = code !== undefined && finalCodes.test(code);
  const what = code === "ECONNREFUSED" ? "nothing listens there" : "the connection failed";
  const hint = code !== undefined && unknownAuthorityCodes.test(code) ? unknownAuthorityHint : "";
  const reason = `${what}${code === undefined ? "" : ` (${code})`}${hint}`;
  return { reason, isTransient: !isFinal };
}
