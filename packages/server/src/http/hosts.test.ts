import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { type AllowedHosts, createHostCheck, isLoopback } from "./hosts.ts";

type Case = {
  readonly bound?: string;
  readonly allowed?: AllowedHosts;
  readonly host?: string;
  readonly origin?: string;
};

function verdict({ bound = "127.0.0.1", allowed, host, origin }: Case): string {
  const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
  const rawHeaders = Object.entries(headers).flat();
  try {
    createHostCheck(bound, allowed)({ url: "/", headers, rawHeaders } as IncomingMessage);
    return "let in";
  } catch (error) {
    return (error as { details: { kind: string } }).details.kind;
  }
}

describe("a Host header", () => {
  it.each<Case>([
    { host: "localhost" },
    { host: "LocalHost:8080" },
    { host: "localhost.:80" },
    { host: "127.0.0.1:5000" },
    { host: "[::1]:5000" },
    { host: "pond.example", allowed: ["Pond.Example"] },
    { host: "pond.example:8443", allowed: ["pond.example"] },
    { host: "pond.example", allowed: ["pond.example:443"] },
    { host: "10.0.0.7:80", bound: "10.0.0.7" },
    { host: "[fd00::7]", bound: "fd00::7" },
    { host: "anything.example", allowed: "any" },
  ])("is let in: %j", (each) => {
    expect(verdict(each)).toBe("let in");
  });

  it.each<Case>([
    {},
    { host: "" },
    { host: "evil.example" },
    { host: "localhost.evil.example" },
    { host: "127.0.0.1.evil.example:80" },
    { host: "evil-localhost" },
    { host: "localhost@evil.example" },
    { host: "localhost evil.example" },
    { host: "localhost,evil.example" },
    { host: "localhost:80:80" },
    { host: "localhost:notaport" },
    { host: "0.0.0.0" },
    { host: "[::ffff:10.0.0.1]" },
    { host: "2130706433" },
    { host: "a/b", allowed: "any" },
    { allowed: "any" },
  ])("is refused: %j", (each) => {
    expect(verdict(each)).toBe("host_not_allowed");
  });

  it("is refused when there are two", () => {
    const request = {
      url: "/",
      headers: { host: "localhost" },
      rawHeaders: ["Host", "localhost", "host", "x"],
    };

    expect(() => createHostCheck("127.0.0.1")(request as unknown as IncomingMessage)).toThrow(
      "this server does not answer to that host name",
    );
  });
});

describe("an Origin header", () => {
  it.each<Case>([
    { host: "localhost:80", origin: "http://localhost:80" },
    { host: "localhost:80", origin: "https://localhost:80" },
    { host: "127.0.0.1:80", origin: "https://pond.example", allowed: ["pond.example"] },
  ])("is let in: %j", (each) => {
    expect(verdict(each)).toBe("let in");
  });

  it.each<Case>([
    { host: "localhost:80", origin: "null" },
    { host: "localhost:80", origin: "" },
    { host: "localhost:80", origin: "http://evil.example" },
    { host: "localhost:80", origin: "http://localhost:81" },
    { host: "localhost:80", origin: "http://localhost.evil.example:80" },
    { host: "localhost:80", origin: "file://localhost:80" },
    { host: "localhost:80", origin: "localhost:80" },
    { host: "a.example", origin: "http://b.example", allowed: "any" },
    { host: "127.0.0.1:80", origin: "https://pond.example.evil", allowed: ["pond.example"] },
  ])("is refused: %j", (each) => {
    expect(verdict(each)).toBe("origin_not_allowed");
  });
});

it.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.2", false],
  ["pond.example", false],
])("tells whether only this machine reaches %s: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
