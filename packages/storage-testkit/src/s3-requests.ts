import type { IncomingMessage, ServerResponse } from "node:http";
import type { Buckets, S3Object } from "./s3-buckets.ts";
import { listObjects } from "./s3-listing.ts";
import { element, fromXml, toXml } from "./xml.ts";

export type S3Context = {
  readonly buckets: Buckets;
  readonly accessKey: string;
  readonly isConditional: boolean;
};

type S3Request = {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  /** `bucket/key`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
};

type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/** An error as S3 words it. */
class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @throws if the client goes away before its request is complete. */
export async function answerS3(
  context: S3Context,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = await readRequest(incoming);
  const { status, headers, body = "" } = reply(context, request);
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function readRequest(incoming: IncomingMessage): Promise<S3Request> {
  const url = new URL(incoming.url ?? "/", "http://s3");
  const path = decodeURIComponent(url.pathname).slice(1);
  const [bucket = ""] = path.split("/", 1);
  return {
    method: incoming.method ?? "",
    bucket,
    key: path.slice(bucket.length + 1),
    path,
    query: url.searchParams,
    headers: incoming.headers,
    body: await bodyOf(incoming),
  };
}

function reply(context: S3Context, request: S3Request): Reply {
  try {
    authorize(context, request);
    return request.key === "" ? bucketReply(context, request) : objectReply(context, request);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return {
      status: error.status,
      headers: { "content-type": "application/xml" },
      body: toXml("Error", [
        element("Code", error.code),
        element("Message", error.message),
        element("Resource", `/${request.path}`),
      ]),
    };
  }
}

function authorize({ accessKey }: S3Context, { headers }: S3Request): void {
  if (headers.authorization === undefined) throw new S3Error(403, "AccessDenied", "Access Denied");
  if (!headers.authorization.includes(`Credential=${accessKey}/`)) {
    const message = "The AWS Access Key Id you provided does not exist in our records.";
    throw new S3Error(403, "InvalidAccessKeyId", message);
  }
}

function bucketReply({ buckets }: S3Context, { method, bucket, query, body }: S3Request): Reply {
  if (method === "PUT") {
    if (buckets.create(bucket)) return { status: 200, headers: { location: `/${bucket}` } };
    throw new S3Error(409, "BucketAlreadyOwnedByYou", "You already own this bucket.");
  }
  requireBucket(buckets, bucket);
  if (method === "HEAD") return { status: 200 };
  if (method === "GET" && query.get("list-type") === "2") {
    return xml(listObjects(buckets, bucket, query));
  }
  if (method === "POST" && query.has("delete")) {
    const keys = fromXml("Key", body.toString());
    for (const key of keys) buckets.delete(`${bucket}/${key}`);
    return xml(
      toXml(
        "DeleteResult",
        keys.map((key) => `<Deleted>${element("Key", key)}</Deleted>`),
      ),
    );
  }
  throw notImplemented();
}

function objectReply(context: S3Context, request: S3Request): Reply {
  const { buckets } = context;
  const { method, path, query, body } = request;
  requireBucket(buckets, request.bucket);
  const uploadId = query.get("uploadId");
  switch (method) {
    case "PUT":
      if (uploadId !== null) {
        const etag = buckets.putPart(path, uploadId, Number(query.get("partNumber")), body);
        if (etag === undefined) throw noSuchUpload();
        return { status: 200, headers: { etag } };
      }
      return request.headers["x-amz-copy-source"] === undefined
        ? put(context, request)
        : copy(context, request);
    case "POST":
      if (query.has("uploads")) {
        const id = element("UploadId", buckets.beginUpload(path));
        return xml(toXml("InitiateMultipartUploadResult", [...nameOf(request), id]));
      }
      if (uploadId !== null) return completeUpload(context, request, uploadId);
      throw notImplemented();
    case "DELETE":
      if (uploadId === null) buckets.delete(path);
      else if (!buckets.abortUpload(path, uploadId)) throw noSuchUpload();
      return { status: 204 };
    case "GET":
    case "HEAD":
      return get(request, buckets.get(path));
  }
  throw notImplemented();
}

function put(context: S3Context, request: S3Request): Reply {
  requireConditions(context, request);
  const { etag } = context.buckets.put(request.path, request.body);
  return { status: 200, headers: { etag } };
}

function copy(context: S3Context, request: S3Request): Reply {
  const { buckets } = context;
  const from = decodeURIComponent(String(request.headers["x-amz-copy-source"])).replace(/^\//, "");
  const source = buckets.get(from);
  if (source === undefined) throw noSuchKey();
  requireConditions(context, request);
  const { etag, modified } = buckets.put(request.path, source.bytes, source.etag);
  return xml(
    toXml("CopyObjectResult", [
      element("LastModified", modified.toISOString()),
      element("ETag", etag),
    ]),
  );
}

function completeUpload(context: S3Context, request: S3Request, id: string): Reply {
  requireConditions(context, request);
  const numbers = fromXml("PartNumber", request.body.toString()).map(Number);
  const object = context.buckets.completeUpload(request.path, id, numbers);
  if (object === undefined) throw noSuchUpload();
  const result = [...nameOf(request), element("ETag", object.etag)];
  return xml(toXml("CompleteMultipartUploadResult", result));
}

/** For writers that may only make what does not exist, or replace what they have seen. */
function requireConditions(
  { buckets, isConditional }: S3Context,
  { headers, path }: S3Request,
): void {
  if (!isConditional) return;
  const stored = buckets.get(path);
  const match = headers["if-match"];
  if (match !== undefined && stored === undefined) throw noSuchKey();
  const isTaken = headers["if-none-match"] === "*" && stored !== undefined;
  if (!isTaken && (match === undefined || match === stored?.etag)) return;
  const message = "At least one of the pre-conditions you specified did not hold";
  throw new S3Error(412, "PreconditionFailed", message);
}

function get({ headers }: S3Request, object: S3Object | undefined): Reply {
  if (object === undefined) throw noSuchKey();
  const { bytes, etag, modified } = object;
  const head = {
    etag,
    "last-modified": modified.toUTCString(),
    "accept-ranges": "bytes",
    "content-type": "application/octet-stream",
  };
  if (headers["if-none-match"] === etag) return { status: 304, headers: head };
  if (headers["if-match"] !== undefined && headers["if-match"] !== etag) {
    throw new S3Error(412, "PreconditionFailed", "The object has changed");
  }
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
  if (!from && !to) return { status: 200, headers: head, body: bytes };
  const start = from ? Number(from) : Math.max(0, bytes.length - Number(to));
  const end = from && to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
  if (start >= end)
    throw new S3Error(416, "InvalidRange", "The requested range is not satisfiable");
  const contentRange = `bytes ${start}-${end - 1}/${bytes.length}`;
  return {
    status: 206,
    headers: { ...head, "content-range": contentRange },
    body: bytes.subarray(start, end),
  };
}

function nameOf({ bucket, key }: S3Request): string[] {
  return [element("Bucket", bucket), element("Key", key)];
}

function xml(body: string): Reply {
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

function requireBucket(buckets: Buckets, bucket: string): void {
  if (buckets.has(bucket)) return;
  throw new S3Error(404, "NoSuchBucket", "The specified bucket does not exist");
}

function noSuchKey(): S3Error {
  return new S3Error(404, "NoSuchKey", "The specified key does not exist.");
}

function noSuchUpload(): S3Error {
  return new S3Error(404, "NoSuchUpload", "The specified upload does not exist.");
}

function notImplemented(): S3Error {
  const message = "A header or query you provided requests a function that is not implemented.";
  return new S3Error(501, "NotImplemented", message);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
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
