import { expect, it, onTestFinished } from "vitest";
import type { Fault } from "./faults.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { type S3Storage, startS3 } from "./s3.ts";

async function started(): Promise<{
  s3: S3Storage;
  proxy: FaultyProxy;
  call(method: string, key: string, signal?: AbortSignal): Promise<string>;
}> {
  const s3 = await startS3();
  const proxy = await startFaultyProxy(s3);
  onTestFinished(async () => {
    await proxy.close();
    await s3.close();
  });
  const authorization = `Credential=${s3.storageOptions["aws_access_key_id"]}/`;
  const call = async (method: string, key: string, signal?: AbortSignal): Promise<string> => {
    try {
      const response = await fetch(`${proxy.endpoint}/pond/${key}`, {
        method,
        headers: { authorization },
        ...(method === "PUT" && { body: `text of ${key}` }),
        ...(signal && { signal }),
      });
      const text = await response.text();
      return [response.status, /<Code>(.*)<\/Code>/.exec(text)?.[1] ?? text].join(" ").trim();
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    }
  };
  return { s3, proxy, call };
}

it.each<[string, Fault, string, boolean]>([
  ["answers 503 SlowDown", { kind: "status", status: 503 }, "503 SlowDown", false],
  ["answers 403 ExpiredToken", { kind: "status", status: 403 }, "403 ExpiredToken", false],
  [
    "answers with the given status and body",
    { kind: "status", status: 500, body: "as told" },
    "500 as told",
    false,
  ],
  [
    "resets the connection before a request reaches the storage",
    { kind: "reset", when: "before" },
    "TypeError",
    false,
  ],
  [
    "resets the connection in the middle of an answer",
    { kind: "reset", when: "in-response" },
    "TypeError",
    true,
  ],
  [
    "resets the connection in place of an answer",
    { kind: "reset", when: "after" },
    "TypeError",
    true,
  ],
  ["delays requests", { kind: "slow", delayMs: 1 }, "200", true],
])("%s, until the fault is cleared", async (_, fault, expected, isStored) => {
  const { s3, proxy, call } = await started();

  proxy.fault(fault);
  const put = await call("PUT", "key");
  proxy.fault(undefined);

  expect([put, s3.objects.has("pond/key"), proxy.faults]).toEqual([expected, isStored, 1]);
  expect(await call("PUT", "other")).toBe("200");
});

it("never answers", async () => {
  const { proxy, call } = await started();
  const patience = new AbortController();

  proxy.fault({ kind: "hang" });
  const hung = call("GET", "key", patience.signal);
  await expect.poll(() => proxy.faults).toBe(1);
  patience.abort();

  expect(await hung).toBe("AbortError");
});

it("holds a request back until a given event", async () => {
  const { s3, proxy, call } = await started();
  const happened = Promise.withResolvers<void>();

  proxy.fault({ kind: "hold", until: happened.promise, only: /^PUT / });
  const held = call("PUT", "key");
  await expect.poll(() => proxy.faults).toBe(1);
  const whileHeld = [s3.objects.size, await call("GET", "key")];
  happened.resolve();

  expect([...whileHeld, await held, s3.objects.size]).toEqual([0, "404 NoSuchKey", "200", 1]);
});

it("cuts a response off in the middle", async () => {
  const { proxy, call } = await started();
  await call("PUT", "key");

  proxy.fault({ kind: "reset", when: "in-response", only: /^GET / });

  expect(await call("GET", "key")).toBe("TypeError");
});

it("faults only the requests it is told to, and the same ones in every run", async () => {
  const { proxy, call } = await started();
  const statuses = async (fault: Partial<Fault>): Promise<string> => {
    proxy.fault({ kind: "status", status: 500, ...fault } as Fault);
    const outcomes: string[] = [];
    for (let index = 0; index < 12; index++) {
      outcomes.push((await call(index % 2 ? "PUT" : "HEAD", "key")).startsWith("500") ? "x" : ".");
    }
    return outcomes.join("");
  };

  expect(await statuses({ only: /^PUT \/pond\/key/ })).toBe(".x.x.x.x.x.x");
  expect(await statuses({ every: 3 })).toBe("..x..x..x..x");
  expect(await statuses({ forRequests: 2, only: /HEAD/, every: 2 })).toBe("..x...x.....");
  const share = await statuses({ share: 0.4 });
  expect(share).toMatch(/x/);
  expect(await statuses({ share: 0.4 })).toBe(share);
  expect(await statuses({ share: 0 })).toBe("............");
});
