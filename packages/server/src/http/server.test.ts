import { networkInterfaces } from "node:os";
import { jsonSchemas, openApi } from "@pond/wire";
import { describe, expect, it } from "vitest";
import { createHttpServer } from "./server.ts";
import { answering, post, send, sendUntilClosed, withServer } from "./testing.ts";

const handlers = answering(async () => ({}));

describe("the address", () => {
  it.each(["0.0.0.0", "::", "192.168.1.2", "pond.example"])(
    "%s, which other machines reach, needs isRemoteAllowed",
    (host) => {
      expect(() => createHttpServer({ handlers, host, port: 0 })).toThrow("needs isRemoteAllowed");
    },
  );

  it.each([undefined, "127.0.0.1", "localhost", "Localhost"])(
    "%s listens on 127.0.0.1",
    async (host) => {
      const seen = await withServer({ host }, async ({ url, port }) => ({
        url,
        port,
        status: (await send(port, post("/v1/search", "{}"))).status,
      }));

      expect(seen).toMatchObject({ url: `http://127.0.0.1:${seen.port}`, status: 200 });
    },
  );

  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === "::1"),
  );
  it.runIf(hasIpv6)("can be an IPv6 address as it is written in a URL", async () => {
    const seen = await withServer({ host: "[::1]" }, async ({ url, port }) => ({
      url,
      port,
      status: (await fetch(`${url}/v1/schema`)).status,
    }));

    expect(seen).toMatchObject({ url: `http://[::1]:${seen.port}`, status: 200 });
  });

  it("can be every interface, answering only to the host names that are listed", async () => {
    const options = { host: "0.0.0.0", isRemoteAllowed: true, allowedHosts: ["pond.example"] };
    const statuses = await withServer(options, async ({ port }) => {
      const listed = await send(port, post("/v1/search", "{}", { host: "pond.example" }));
      const other = await send(port, post("/v1/search", "{}", { host: "10.0.0.1" }));
      return [listed.status, other.status];
    });

    expect(statuses).toEqual([200, 403]);
  });

  it("fails with EADDRINUSE when it is taken", async () => {
    const listening = withServer({}, async ({ port }) => {
      const second = createHttpServer({ handlers, port });
      await second.listen();
    });

    await expect(listening).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

it.each([
  ["/v1/schema", jsonSchemas()],
  ["/openapi.json", openApi()],
])("serves %s to GET and HEAD", async (path, document) => {
  const [answer, head] = await withServer({}, async ({ url }) => [
    await (await fetch(`${url}${path}`)).json(),
    await fetch(`${url}${path}`, { method: "HEAD" }),
  ]);

  expect(answer).toEqual(document);
  expect(head.status).toBe(200);
});

it("answers every path and method of the OpenAPI document", async () => {
  const { paths } = openApi() as { paths: Record<string, Record<string, object>> };
  const asked = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  const statuses = await withServer({}, async ({ url }) =>
    Promise.all(
      asked.map(async ([method, path]) => {
        const headers = { "content-type": "application/json" };
        const init = method === "POST" ? { method, headers, body: "{}" } : { method };
        return (await fetch(`${url}${path}`, init)).status;
      }),
    ),
  );

  expect(asked.length).toBeGreaterThan(8);
  expect(statuses).toEqual(asked.map(() => 200));
});

it("answers several requests on one connection in their order", async () => {
  const answered = answering(async (_, request) => request);
  const bodies = ['{"n":1}', '{"n":2}', '{"n":3}'];
  const text = await withServer({ handlers: answered }, async ({ port, server }) => {
    const last = post("/v1/get", bodies[2] ?? "", { connection: "close" });
    const many = Buffer.concat([...bodies.slice(0, 2).map((each) => post("/v1/get", each)), last]);
    const text = await sendUntilClosed(port, many);
    await server.stop();
    return text;
  });

  expect(text.match(/^\{.*\}/gm)).toEqual(bodies);
});
