import { createHash, randomUUID } from "node:crypto";

export type S3Object = { readonly bytes: Buffer; readonly etag: string; readonly modified: Date };

type Upload = { readonly path: string; readonly parts: Map<number, Buffer> };

/** The content of an S3 server: buckets, their objects, and uploads in progress. */
export class Buckets {
  /** Bytes by `bucket/key`. */
  readonly objects: Map<string, Buffer> = new Map();
  readonly #names: Set<string>;
  readonly #stored = new Map<string, S3Object>();
  readonly #uploads = new Map<string, Upload>();

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  has(bucket: string): boolean {
    return this.#names.has(bucket);
  }

  /** Returns false if there is one of that name. */
  create(bucket: string): boolean {
    if (this.has(bucket)) return false;
    this.#names.add(bucket);
    return true;
  }

  get(path: string): S3Object | undefined {
    return this.#stored.get(path);
  }

  put(path: string, bytes: Buffer, etag: string = etagOf(bytes)): S3Object {
    const object = { bytes, etag, modified: new Date() };
    this.objects.set(path, bytes);
    this.#stored.set(path, object);
    return object;
  }

  delete(path: string): void {
    this.objects.delete(path);
    this.#stored.delete(path);
  }

  /** Keys of a bucket that begin with the prefix, in the order of their UTF-8 bytes. */
  keys(bucket: string, prefix: string): string[] {
    const start = `${bucket}/${prefix}`;
    return [...this.objects.keys()]
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(bucket.length + 1))
      .sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  }

  beginUpload(path: string): string {
    const id = randomUUID();
    this.#uploads.set(id, { path, parts: new Map() });
    return id;
  }

  /** The part's ETag; undefined if there is no such upload. */
  putPart(path: string, id: string, number: number, bytes: Buffer): string | undefined {
    const upload = this.#upload(path, id);
    upload?.parts.set(number, bytes);
    return upload && etagOf(bytes);
  }

  /** Makes an object of the named parts; undefined if one of them, or the upload, is missing. */
  completeUpload(path: string, id: string, numbers: readonly number[]): S3Object | undefined {
    const parts = this.#upload(path, id)?.parts;
    const bytes = numbers.flatMap((number) => parts?.get(number) ?? []);
    if (parts === undefined || bytes.length !== numbers.length) return undefined;
    this.#uploads.delete(id);
    const hashes = Buffer.concat(bytes.map((part) => createHash("md5").update(part).digest()));
    const etag = `${etagOf(hashes).slice(0, -1)}-${bytes.length}"`;
    return this.put(path, Buffer.concat(bytes), etag);
  }

  /** Returns false if there is no such upload. */
  abortUpload(path: string, id: string): boolean {
    return this.#upload(path, id) !== undefined && this.#uploads.delete(id);
  }

  #upload(path: string, id: string): Upload | undefined {
    const upload = this.#uploads.get(id);
    return upload?.path === path ? upload : undefined;
  }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}
