import { createServer } from "node:http";
import { Buckets } from "./s3-buckets.ts";
import { answerS3 } from "./s3-requests.ts";
import { bucket, closeServer, listen, type TestStorage } from "./storage.ts";

export type S3Options = {
  /** False ignores `If-None-Match` and `If-Match`, as some servers do. Default: true. */
  readonly isConditional?: boolean;
  /** Default: a free one. */
  readonly port?: number;
};

export type S3Storage = TestStorage & {
  /** What is stored, by `bucket/key`. */
  readonly objects: ReadonlyMap<string, Buffer>;
};

const accessKey = "pond-access-key";

/**
 * As much of S3 as a client of objects needs, in memory: see the README. It accepts any signature
 * made with its access key.
 */
export async function startS3({
  isConditional = true,
  port = 0,
}: S3Options = {}): Promise<S3Storage> {
  const buckets = new Buckets([bucket]);
  const server = createServer((request, response) => {
    answerS3({ buckets, accessKey, isConditional }, request, response).catch(() => {
      // The client went away in the middle of its request: nothing of it was stored.
      response.destroy();
    });
  });
  const endpoint = await listen(server, port);
  return {
    objects: buckets.objects,
    url: (path) => `s3://${bucket}/${path}`,
    endpoint,
    storageOptions: {
      aws_endpoint: endpoint,
      allow_http: "true",
      aws_access_key_id: accessKey,
      aws_secret_access_key: "pond-secret-key",
      aws_region: "us-east-1",
    },
    close: () => closeServer(server),
  };
}
