import { expect, it, onTestFinished } from "vitest";
import { type S3Options, startS3 } from "./s3.ts";

type Call = (
  method: string,
  path: string,
  request?: { readonly headers?: Record<string, string>; readonly body?: string },
) => Promise<{ status: number; headers: Headers; text: string }>;

async function started(options?: S3Options): Promise<Call> {
  const s3 = await startS3(options);
  onTestFinished(() => s3.close());
  const authorization = `AWS4-HMAC-SHA256 Credential=${s3.storageOptions["aws_access_key_id"]}/x`;
  return async (method, path, { headers, body } = {}) => {
    const response = await fetch(`${s3.endpoint}/${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const all = (name: string, xml: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "g"))].map(([, text = ""]) => text);

it("keeps objects and returns them, whole and in ranges", async () => {
  const call = await started();
  await call("PUT", "pond/a%20b/%26%3C%3E", { body: "0123456789" });

  const ranges = [undefined, "bytes=2-4", "bytes=7-", "bytes=-3", "bytes=8-99", "bytes=10-"];
  const got = await Promise.all(
    ranges.map((range) => call("GET", "pond/a%20b/%26%3C%3E", range ? { headers: { range } } : {})),
  );
  const head = await call("HEAD", "pond/a%20b/%26%3C%3E");

  const outcomes = got.map(({ status, text }) => [status, status < 300 ? text : all("Code", text)]);
  expect(outcomes).toEqual([
    [200, "0123456789"],
    [206, "234"],
    [206, "789"],
    [206, "789"],
    [206, "89"],
    [416, ["InvalidRange"]],
  ]);
  expect([head.status, head.headers.get("content-length"), head.text]).toEqual([200, "10", ""]);
  expect(head.headers.get("etag")).toBe('"781e5e245d69b566979b86e28d23f2c7"');
});

it.each([
  [true, [200, 412, 412, 200, 404], "d"],
  [false, [200, 200, 200, 200, 200], "d"],
])("honours conditional requests, or not: %s", async (isConditional, statuses, last) => {
  const call = await started({ isConditional });
  const put = async (key: string, body: string, headers: Record<string, string>) =>
    (await call("PUT", `pond/${key}`, { body, headers })).status;
  const etag = '"0cc175b9c0f1b6a831c399e269772661"';

  const outcomes = [
    await put("key", "a", { "if-none-match": "*" }),
    await put("key", isConditional ? "b" : "a", { "if-none-match": "*" }),
    await put("key", isConditional ? "c" : "a", { "if-match": '"other"' }),
    await put("key", "d", { "if-match": etag }),
    await put("none", "e", { "if-match": etag }),
  ];

  expect(outcomes).toEqual(statuses);
  expect((await call("GET", "pond/key")).text).toBe(last);
});

it("lists keys in pages and in byte order, with each folder as one entry", async () => {
  const call = await started();
  const keys = ["b&<>/1", "b&<>/2", "a", "b", "c/1", "\u{1f600}", "\uffee"];
  for (const key of keys) await call("PUT", `pond/${encodeURIComponent(key)}`, { body: key });
  const list = async (query: Record<string, string>): Promise<string[][]> => {
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const parameters = new URLSearchParams({ "list-type": "2", ...query });
      if (token !== undefined) parameters.set("continuation-token", token);
      const { text } = await call("GET", `pond?${parameters}`);
      pages.push([...all("Key", text), ...all("CommonPrefixes", text)]);
      [token] = all("NextContinuationToken", text);
    } while (token !== undefined);
    return pages;
  };

  expect(await list({ "max-keys": "3" })).toEqual([
    ["a", "b", "b&amp;&lt;&gt;/1"],
    ["b&amp;&lt;&gt;/2", "c/1", "\uffee"],
    ["\u{1f600}"],
  ]);
  expect(await list({ delimiter: "/", "max-keys": "2" })).toEqual([
    ["a", "b"],
    ["<Prefix>b&amp;&lt;&gt;/</Prefix>", "<Prefix>c/</Prefix>"],
    ["\uffee", "\u{1f600}"],
  ]);
  expect(await list({ prefix: "b&", "start-after": "b&<>/1", "encoding-type": "url" })).toEqual([
    ["b%26%3C%3E%2F2"],
  ]);
  expect(await list({ prefix: "none" })).toEqual([[]]);
});

it("deletes several objects at once, by keys that need escaping", async () => {
  const call = await started();
  for (const key of ["a&b", "c", "d"]) {
    await call("PUT", `pond/${encodeURIComponent(key)}`, { body: key });
  }

  const keys = ["a&amp;b", "&#99;", "never there"].map((key) => `<Key>${key}</Key>`);
  const body = `<Delete>${keys.map((key) => `<Object>${key}</Object>`).join("")}</Delete>`;
  await call("POST", "pond?delete", { body });
  await call("DELETE", "pond/d");

  expect(all("KeyCount", (await call("GET", "pond?list-type=2")).text)).toEqual(["0"]);
});

it("assembles an object from parts, and copies it", async () => {
  const call = await started();
  const begin = async () => all("UploadId", (await call("POST", "pond/big?uploads")).text)[0];
  const [id, aborted] = [await begin(), await begin()];
  await call("PUT", `pond/big?uploadId=${id}&partNumber=2`, { body: "two" });
  await call("PUT", `pond/big?uploadId=${id}&partNumber=1`, { body: "one " });
  const finish = (upload: string | undefined, headers: Record<string, string> = {}) =>
    call("POST", `pond/big?uploadId=${upload}`, {
      headers,
      body: "<X><Part><PartNumber>1</PartNumber></Part><Part><PartNumber>2</PartNumber></Part></X>",
    });

  const done = await finish(id, { "if-none-match": "*" });
  const statuses = [
    (await finish(id)).status,
    (await finish(aborted, { "if-none-match": "*" })).status,
    (await call("DELETE", `pond/big?uploadId=${aborted}`)).status,
    (await call("DELETE", `pond/big?uploadId=${aborted}`)).status,
    (await call("PUT", "pond/copy", { headers: { "x-amz-copy-source": "/pond/big" } })).status,
    (await call("PUT", "pond/copy", { headers: { "x-amz-copy-source": "pond/none" } })).status,
  ];

  expect(all("ETag", done.text)[0]).toMatch(/^&quot;[0-9a-f]{32}-2&quot;$/);
  expect(statuses).toEqual([404, 412, 204, 404, 200, 404]);
  expect((await call("GET", "pond/copy")).text).toBe("one two");
});

it("answers errors as S3 does", async () => {
  const call = await started();
  const other = { authorization: "AWS4-HMAC-SHA256 Credential=other/x" };

  const replies = [
    await call("GET", "pond/none"),
    await call("GET", "none/key"),
    await call("PUT", "pond/key", { headers: other, body: "" }),
    await call("PUT", "pond"),
    await call("PUT", "other"),
    await call("HEAD", "other"),
    await call("POST", "pond/key"),
  ];

  expect(replies.map(({ status, text }) => [status, ...all("Code", text)])).toEqual([
    [404, "NoSuchKey"],
    [404, "NoSuchBucket"],
    [403, "InvalidAccessKeyId"],
    [409, "BucketAlreadyOwnedByYou"],
    [200],
    [200],
    [501, "NotImplemented"],
  ]);
});
