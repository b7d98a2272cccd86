// Sends bytes of any kind, and looks at what is left of it in the process.
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect } from "vitest";

/** How many requests a fuzzer sends: a few, or all of them. */
export const fuzzRequests: number = process.env["POND_ALL"] === "1" ? 20_000 : 500;
/** For as many as the largest number takes on a small machine. */
export const fuzzTimeoutMs = 3_600_000;
/** Bytes that are no whole request are followed by the end of the connection. */
const quietMs = 20;

/** What four fifths of the requests may leave on the heap: server, client and generator together. */
const maxHeapGrowthBytes = 8 * 1024 * 1024;
/** And outside of it, where Lance and the buffers are. */
const maxGrowthBytes = 400 * 1024 * 1024;

export type Sent = { readonly request: Buffer; readonly isSound: boolean };

/**
 * Checks so many values, and that the process holds no more after all of them than it did after
 * the first fifth: neither memory nor connections.
 */
export async function fuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
): Promise<void> {
  const run = (numRuns: number) => fc.assert(fc.asyncProperty(arbitrary, check), { numRuns });
  const sockets = openSockets();
  await run(fuzzRequests / 5);
  const before = await settled(sockets);
  await run((fuzzRequests / 5) * 4);
  const after = await settled(sockets);
  const growth = { heap: after.heapUsed - before.heapUsed, all: after.rss - before.rss };
  if (fuzzRequests > 500) console.log(growth);

  expect(growth.heap).toBeLessThan(maxHeapGrowthBytes);
  expect(growth.all).toBeLessThan(maxGrowthBytes);
}

/** When no more connections are open than before: one that stays open keeps it from ending. */
async function settled(sockets: number): Promise<NodeJS.MemoryUsage> {
  while (openSockets() > sockets) await new Promise((resolve) => setTimeout(resolve, 20));
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  for (let count = 0; count < 3; count += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage();
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
}

/** Sends bytes and gives what came back until an answer was whole or the connection was closed. */
export function exchange(port: number, { request, isSound }: Sent): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" });
    const quiet = isSound ? undefined : setTimeout(() => socket.end(), quietMs);
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      if (bodyOf(text) !== undefined) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(quiet);
      resolve(text);
    });
    socket.on("connect", () => socket.write(request));
  });
}

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";

export function statusOf(text: string): number {
  return Number(/^HTTP\/1.1 (\d+)/m.exec(text.replace(goOn, ""))?.[1]);
}

/** The first whole body; undefined while there is none. */
export function bodyOf(text: string): string | undefined {
  const answer = text.startsWith(goOn) ? text.slice(goOn.length) : text;
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = answer.slice(0, end);
  if (/^transfer-encoding: chunked/im.test(head)) {
    const isWhole = answer.endsWith("0\r\n\r\n");
    return isWhole ? Buffer.from(unchunked(answer.slice(end + 4)), "latin1").toString() : undefined;
  }
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  if (answer.length < end + 4 + length) return undefined;
  return Buffer.from(answer.slice(end + 4, end + 4 + length), "latin1").toString("utf8");
}

function unchunked(text: string): string {
  const [, size = "0"] = /^([0-9a-f]+)\r\n/i.exec(text) ?? [];
  const start = size.length + 2;
  const length = Number.parseInt(size, 16);
  if (length === 0) return "";
  return text.slice(start, start + length) + unchunked(text.slice(start + length + 2));
}

export const bytes: fc.Arbitrary<Buffer> = fc
  .uint8Array({ maxLength: 300 })
  .map((octets) => Buffer.from(octets));

const headerValues = [
  ...["chunked", "gzip", "close", "100-continue", "0", "3", "null", "localhost"],
  ...["application/json", "text/event-stream", "*/*", "2025-06-18", "1999-01-01"],
];

/** Headers of any kind; the ones given among the names are likely. */
export function headersOf(...names: string[]): fc.Arbitrary<Record<string, string>> {
  const text = fc
    .string({ unit: "binary-ascii", maxLength: 20 })
    .map((each) => each.replace(/[\r\n]/g, ""));
  const common = [
    ...["host", "origin", "content-type", "content-length", "transfer-encoding", "expect"],
    ...["content-encoding", "connection", "upgrade", "accept", "x-pond-request-id", "__proto__"],
  ];
  const name = fc.constantFrom(...common, ...names);
  return fc.dictionary(name, fc.oneof(text, fc.constantFrom(...headerValues)), { maxKeys: 4 });
}

/** Requests in which some bytes are changed, missing or doubled. */
export function damagedOf(whole: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc.tuple(whole, fc.nat(), fc.nat({ max: 8 }), bytes).map(([request, at, cut, put]) => {
    const from = at % request.length;
    const rest = request.subarray(from + cut);
    return Buffer.concat([request.subarray(0, from), put.subarray(0, 8), rest]);
  });
}

/** Most of them whole requests, the rest bytes of any kind. */
export function mixOf(
  sound: fc.Arbitrary<Buffer>,
  others: readonly fc.Arbitrary<Buffer>[],
): fc.Arbitrary<Sent> {
  return fc.oneof(
    { weight: 10, arbitrary: sound.map((request) => ({ request, isSound: true })) },
    ...others.map((arbitrary) => ({
      weight: 3,
      arbitrary: arbitrary.map((request) => ({ request, isSound: false })),
    })),
  );
}
