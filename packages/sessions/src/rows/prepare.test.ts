import type { MessageHeader, Part, ReadEvent } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { type DemoMessage, demoEvents } from "../testing.ts";
import { prepareMessage } from "./prepare.ts";

function messageOf(demo: DemoMessage): [MessageHeader, Part[]] {
  const events: ReadEvent[] = demoEvents({ id: "s", messages: [demo] });
  const headers = events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
  const parts = events.flatMap((event) => (event.kind === "part" ? [event.part] : []));
  const [header] = headers;
  if (header === undefined) throw new TypeError("no message");
  return [header, parts];
}

const base: DemoMessage = { id: "a", text: "one", more: ["two"], options: { kind: "x" } };
const [header, parts] = messageOf(base);
const { digest } = prepareMessage(header, parts);

describe("the digest of a message", () => {
  it("is the same for the same value", () => {
    expect(prepareMessage(...messageOf(base)).digest).toBe(digest);
  });

  it.each<[string, DemoMessage]>([
    ["the id", { ...base, id: "b" }],
    ["the role", { ...base, role: "assistant" }],
    ["the time", { ...base, seconds: 1 }],
    ["a text", { ...base, text: "One" }],
    ["the place where a text is split", { ...base, text: "onet", more: ["wo"] }],
    ["the number of parts", { ...base, more: [] }],
    ["the order of parts", { ...base, text: "two", more: ["one"] }],
    ["the provenance", { ...base, isInjected: true }],
    ["an option", { ...base, options: { kind: "y" } }],
    [
      "an option beyond the range of doubles",
      { ...base, options: { kind: "x", n: JSON.rawJSON("1e400") } },
    ],
    ["a file", { ...base, bytes: new Uint8Array([1]) }],
  ])("changes with %s", (_, other) => {
    expect(prepareMessage(...messageOf(other)).digest).not.toBe(digest);
  });

  it("tells files with different bytes apart", () => {
    const file = (...bytes: number[]) =>
      prepareMessage(...messageOf({ ...base, bytes: new Uint8Array(bytes) })).digest;

    expect(file(1, 2)).not.toBe(file(1, 3));
    expect(file(1, 2)).toBe(file(1, 2));
  });

  it("does not depend on the session, so that copies are recognized", () => {
    const copy = { ...header, session_id: "other" as typeof header.session_id };

    expect(prepareMessage(copy, parts).digest).toBe(digest);
  });
});
