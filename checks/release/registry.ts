import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Packed } from "./stage.ts";

/** A registry with only the given packages, until it is closed. */
export type Registry = { readonly url: string; close(): void };

/**
 * Every registry has a new address: a port may be used again, and npm would then install, from its
 * cache, the packages that an earlier registry had there.
 */
export async function startRegistry(packed: readonly Packed[]): Promise<Registry> {
  const root = `/${randomUUID()}/`;
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? "").slice(root.length);
    const tarball = packed.find(({ manifest }) => asked === `${manifest.name}.tgz`);
    if (tarball !== undefined) return void response.end(readFileSync(tarball.tarball));
    const described = packed.find(({ manifest }) => asked === manifest.name);
    if (described === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(description(described, url)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${root}`;
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The answer of a registry about a package with one version. */
function description({ manifest, tarball }: Packed, url: string): object {
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  const dist = { tarball: `${url}${manifest.name}.tgz`, integrity, shasum };
  return {
    name: manifest.name,
    "dist-tags": { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
    time: { [manifest.version]: "2020-01-01T00:00:00.000Z" },
  };
}
