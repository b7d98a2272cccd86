import type { MessageHeader, Part } from "@pond/canonical";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DamagedRowError } from "../errors.ts";
import { fromHeadText, headOf, toHeadText } from "./message-head.ts";

const text = fc.string({ unit: "grapheme" });
const part = fc.record({
  session_id: fc.constant("s"),
  message_id: fc.constant("m"),
  id: text,
  type: fc.constant("text"),
  provenance: fc.constantFrom("conversational", "injected"),
  text,
  options: fc.constant({}),
}) as unknown as fc.Arbitrary<Part>;
const header = fc.record({
  id: text,
  role: fc.constantFrom("user", "assistant"),
  timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
}) as unknown as fc.Arbitrary<MessageHeader>;

it("round-trips through its stored text", () => {
  fc.assert(
    fc.property(text, header, fc.array(part, { maxLength: 40 }), (sessionId, message, parts) => {
      const head = headOf(sessionId, message, parts);

      expect(fromHeadText(toHeadText(head))).toEqual(head);
      expect(head).toMatchObject({ sessionId, ...message });
      expect(head.parts).toHaveLength(message.role === "user" ? Math.min(32, parts.length) : 0);
    }),
  );
});

it("cuts the long name of a part, but no character in half", () => {
  const file = (file_name: string) =>
    ({
      ...{ session_id: "s", message_id: "m", id: "0", provenance: "conversational", options: {} },
      ...{ type: "file", media_type: "text/plain", file_name, data: { type: "url", url: "x:" } },
    }) as unknown as Part;
  const message = { id: "m", role: "user", timestamp: 0n } as MessageHeader;
  const nameOf = (name: string) => headOf("s", message, [file(name)]).parts[0]?.name;

  expect(nameOf("x".repeat(200))).toBe("x".repeat(200));
  expect(nameOf("x".repeat(201))).toBe("x".repeat(200));
  expect(nameOf(`${"x".repeat(199)}\u{1F985}`)).toBe("x".repeat(199));
});

it.each([
  "",
  "{}",
  "null",
  "[]",
  '["s","m","user"]',
  '["s","m","user","soon"]',
  '["s",1,"user","1"]',
])("refuses the stored text %j as damaged", (stored) => {
  expect(() => fromHeadText(stored)).toThrow(DamagedRowError);
});
