import type { Server } from "node:http";

/** An object store that runs on this machine for a test. */
export type TestStorage = {
  /** Address of a path in its bucket or container: `s3://pond/PATH`, `az://pond/PATH`. */
  url(path: string): string;
  /** How Lance reaches it: endpoint, credentials. */
  readonly storageOptions: Readonly<Record<string, string>>;
  /** Base of every request's address, without a slash at its end. */
  readonly endpoint: string;
  close(): Promise<void>;
};

/** The bucket or container that every storage of the testkit starts with. */
export const bucket = "pond";

/** Listens on the loopback interface; resolves to the address. Port 0 takes a free one. */
export async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return `http://127.0.0.1:${address.port}`;
}

/** Closes a server and all connections that it still has. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
