import type { Buckets } from "./s3-buckets.ts";
import { element, toXml } from "./xml.ts";

const maxPageKeys = 1000;

/**
 * A page of ListObjectsV2. Keys that share a folder after the prefix count as one. The continuation
 * token is the name with which the page ended.
 */
export function listObjects(buckets: Buckets, bucket: string, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : fromToken(token);
  const maxKeys = Math.min(Number(query.get("max-keys") ?? maxPageKeys), maxPageKeys);
  const encode = query.get("encoding-type") === "url" ? encodeURIComponent : String;

  const page: string[] = [];
  let isTruncated = false;
  for (const name of namesOf(buckets.keys(bucket, prefix), prefix, delimiter)) {
    if (Buffer.compare(Buffer.from(name), Buffer.from(after)) <= 0) continue;
    isTruncated = page.length === maxKeys;
    if (isTruncated) break;
    page.push(name);
  }
  return toXml("ListBucketResult", [
    element("Name", bucket),
    element("Prefix", encode(prefix)),
    element("KeyCount", String(page.length)),
    element("MaxKeys", String(maxKeys)),
    element("IsTruncated", String(isTruncated)),
    ...(isTruncated ? [element("NextContinuationToken", toToken(page.at(-1) ?? after))] : []),
    ...page.map((name) => entry(buckets, bucket, name, encode(name))),
  ]);
}

/** Keys that are in no folder, and each folder once in place of its keys. */
function namesOf(keys: readonly string[], prefix: string, delimiter: string): Set<string> {
  return new Set(
    keys.map((key) => {
      const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      return cut < 0 ? key : key.slice(0, cut + delimiter.length);
    }),
  );
}

function entry(buckets: Buckets, bucket: string, name: string, encoded: string): string {
  const object = buckets.get(`${bucket}/${name}`);
  if (object === undefined) return `<CommonPrefixes>${element("Prefix", encoded)}</CommonPrefixes>`;
  const fields = [
    element("Key", encoded),
    element("LastModified", object.modified.toISOString()),
    element("ETag", object.etag),
    element("Size", String(object.bytes.length)),
    element("StorageClass", "STANDARD"),
  ];
  return `<Contents>${fields.join("")}</Contents>`;
}

function toToken(name: string): string {
  return Buffer.from(name).toString("base64url");
}

function fromToken(token: string): string {
  return Buffer.from(token, "base64url").toString();
}
