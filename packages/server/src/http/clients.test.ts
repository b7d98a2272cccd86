import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Clients, clientOf } from "./clients.ts";
import { answering, post, send, withServer } from "./testing.ts";

type From = Pick<IncomingMessage, "socket" | "headers">;

function from(remoteAddress: string, forwarded?: string): From {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return { socket: { remoteAddress } as Socket, headers };
}

describe("clientOf", () => {
  it.each([
    ["10.0.0.7", "10.0.0.7"],
    ["::ffff:10.0.0.7", "10.0.0.7"],
    ["::FFFF:10.0.0.7", "10.0.0.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0db8:0001::9", "2001:db8:1:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["", ""],
  ])("identifies the address %s as the client %s", (address, client) => {
    expect(clientOf(from(address), 0)).toBe(client);
  });

  it.each<[string, string | undefined, number, string]>([
    ["nothing when no proxy is trusted", "1.1.1.1", 0, "10.0.0.1"],
    ["the address that the one trusted proxy added", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"],
    [
      "the address that the outer of two trusted proxies added",
      "6.6.6.6, 1.1.1.1, 10.0.0.2",
      2,
      "1.1.1.1",
    ],
    ["nothing when a trusted proxy was bypassed", "1.1.1.1", 2, "10.0.0.1"],
    ["nothing when the header is missing", undefined, 1, "10.0.0.1"],
    ["nothing that is not an address", "unknown", 1, "10.0.0.1"],
    ["nothing from an empty last entry", "1.1.1.1, ", 1, "10.0.0.1"],
    ["an address, without its port", "1.1.1.1:4567", 1, "1.1.1.1"],
    ["the prefix of an IPv6 address, without its port", "[2001:db8::9]:4567", 1, "2001:db8:0:0"],
    ["the prefix of an IPv6 address", "2001:db8::9", 1, "2001:db8:0:0"],
  ])("takes from X-Forwarded-For %s", (_, forwarded, trusted, client) => {
    expect(clientOf(from("10.0.0.1", forwarded), trusted)).toBe(client);
  });
});

describe("Clients", () => {
  it("limits how many requests each client has under way, and counts off those that end", () => {
    const clients = new Clients(2, 0);
    const enter = (address: string) => clients.enter(from(address) as IncomingMessage);

    const leave = enter("10.0.0.1");
    enter("10.0.0.1");

    expect(() => enter("10.0.0.1")).toThrow("too many of your requests");
    expect(() => enter("10.0.0.2")).not.toThrow();
    leave();
    expect(() => enter("10.0.0.1")).not.toThrow();
    expect(() => enter("10.0.0.1")).toThrow("too many of your requests");
  });
});

describe("a client that asks for every place", () => {
  const limits = { maxPerClient: 2, concurrency: { search: { running: 1, waiting: 100 } } };
  const as = (client: string): Buffer => post("/v1/search", "{}", { "x-forwarded-for": client });

  /** Two requests of `a` that wait, and what `asked` gets then; all is answered in the end. */
  async function beside(trustedProxies: number, ...asked: Buffer[]) {
    const finish = Promise.withResolvers<object>();
    const started = Promise.withResolvers<void>();
    const handlers = answering(() => {
      started.resolve();
      return finish.promise;
    });
    return withServer({ handlers, limits, trustedProxies }, async ({ port }) => {
      // One is being worked on and the other's body is still on its way: both count.
      const slow = post("/v1/search", "{", {
        "x-forwarded-for": "1.1.1.1",
        "content-length": "2",
      });
      const first = [send(port, as("1.1.1.1")), send(port, slow, finish.promise, "}")];
      await started.promise;
      // Both are there before the next one is: one connection after another is taken.
      const answers = asked.map(async (bytes) => send(port, bytes));
      const refused = await Promise.race(answers);
      finish.resolve({});
      const all = await Promise.all([...first, ...answers]);
      return { refused, statuses: all.map(({ status }) => status) };
    });
  }

  it("is refused with 503, and the next client is served", async () => {
    const { refused, statuses } = await beside(1, as("1.1.1.1"), as("2.2.2.2"));

    expect(refused).toMatchObject({
      status: 503,
      code: "storage_unavailable",
      kind: "client_busy",
      headers: { "retry-after": "1" },
    });
    expect(statuses).toEqual([200, 200, 503, 200]);
  });

  it("is known by its socket address when no proxy is trusted", async () => {
    const { statuses } = await beside(0, as("2.2.2.2"));

    expect(statuses).toEqual([200, 200, 503]);
  });

  it("may ask again after an answer or a refusal", async () => {
    const one = { maxPerClient: 1 };
    const statuses = await withServer({ limits: one }, async ({ port }) => {
      const seen: number[] = [];
      for (const bytes of [as(""), post("/v1/search", "no JSON"), as(""), as("")]) {
        seen.push((await send(port, bytes)).status);
      }
      return seen;
    });

    expect(statuses).toEqual([200, 400, 200, 200]);
  });
});
