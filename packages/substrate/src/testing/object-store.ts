import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

export type ObjectStore = {
  readonly objects: ReadonlyMap<string, Buffer>;
  /** How Lance reaches it. */
  readonly storageOptions: Readonly<Record<string, string>>;
  close(): void;
};

/**
 * As much of S3 as Lance uses, in memory.
 *
 * @param isConditional - False ignores `If-None-Match`, as some servers do.
 */
export async function startObjectStore(isConditional: boolean): Promise<ObjectStore> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    answer(objects, isConditional, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    objects,
    storageOptions: {
      aws_endpoint: `http://127.0.0.1:${portOf(server)}`,
      allow_http: "true",
      aws_access_key_id: "key",
      aws_secret_access_key: "secret",
      aws_region: "us-east-1",
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return address.port;
}

async function answer(
  objects: Map<string, Buffer>,
  isConditional: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://store");
  const key = decodeURIComponent(url.pathname).slice(1);
  const body = await bytesOf(request);
  switch (request.method) {
    case "PUT":
      if (isConditional && request.headers["if-none-match"] === "*" && objects.has(key)) {
        response.writeHead(412).end();
        return;
      }
      objects.set(key, body);
      response.writeHead(200, { etag: '"tag"' }).end();
      return;
    case "POST":
      if (url.searchParams.has("delete")) {
        const names = [...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, name]) => name);
        for (const name of names) objects.delete(`${key.split("/")[0]}/${name}`);
        const deleted = names.map((name) => `<Deleted><Key>${name}</Key></Deleted>`);
        response.end(`<DeleteResult>${deleted.join("")}</DeleteResult>`);
      } else response.writeHead(501).end();
      return;
    case "DELETE":
      objects.delete(key);
      response.writeHead(204).end();
      return;
  }
  if (url.searchParams.has("list-type")) {
    response.setHeader("content-type", "application/xml");
    response.end(listing(objects, key.split("/")[0] ?? "", url.searchParams));
    return;
  }
  sendObject(objects.get(key), request, response);
}

function sendObject(
  object: Buffer | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (object === undefined) {
    response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    return;
  }
  const head = { etag: '"tag"', "last-modified": new Date(0).toUTCString() };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = from ? Number(from) : to ? object.length - Number(to) : 0;
  const end = from && to ? Math.min(Number(to) + 1, object.length) : object.length;
  const slice = object.subarray(start, end);
  response.writeHead(request.headers.range ? 206 : 200, {
    ...head,
    "content-length": slice.length,
    ...(request.headers.range && {
      "content-range": `bytes ${start}-${end - 1}/${object.length}`,
    }),
  });
  response.end(request.method === "HEAD" ? undefined : slice);
}

function listing(
  objects: ReadonlyMap<string, Buffer>,
  bucket: string,
  parameters: URLSearchParams,
): string {
  const prefix = parameters.get("prefix") ?? "";
  const delimiter = parameters.get("delimiter");
  const after = parameters.get("start-after") ?? "";
  const folders = new Set<string>();
  let contents = "";
  for (const [path, object] of [...objects].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const name = path.slice(bucket.length + 1);
    if (!path.startsWith(`${bucket}/`) || !name.startsWith(prefix) || name <= after) continue;
    const cut = delimiter ? name.indexOf(delimiter, prefix.length) : -1;
    if (cut >= 0) folders.add(name.slice(0, cut + 1));
    else {
      contents += `<Contents><Key>${name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"tag"</ETag><Size>${object.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    }
  }
  const common = [...folders].map(
    (name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix>${prefix}</Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>${contents}${common.join("")}</ListBucketResult>`;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  // Streamed uploads come in signed chunks: a size in hex, the bytes, an empty line.
  if (!String(request.headers["x-amz-content-sha256"]).startsWith("STREAMING-")) return body;
  const plain: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    plain.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    if (size === 0) break;
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(plain);
}
