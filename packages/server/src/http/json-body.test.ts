import { WireError } from "@pond/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBody } from "./json-body.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

const limits = { maxDepth: 32, maxObjects: 1_000 };

function refusalOf(body: Buffer, maxDepth = 32): unknown {
  try {
    parseBody(body, { ...limits, maxDepth });
    return undefined;
  } catch (error) {
    if (error instanceof WireError) return error.details["kind"];
    throw error;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("parseBody", () => {
  it.each([
    ["no bytes", "", "body_not_json"],
    ["text that ends early", '{"a":', "body_not_json"],
    ["an unterminated string", '"abc', "body_not_json"],
    ["a string that ends in a backslash", '"abc\\', "body_not_json"],
    ["two values", "{} {}", "body_not_json"],
    ["NaN", '{"a":NaN}', "body_not_json"],
    ["closing brackets alone", "]]]]", "body_not_json"],
    ["a million opening brackets", "[".repeat(1_000_000), "body_too_deep"],
    ["a million nested objects", '{"a":'.repeat(1_000_000), "body_too_deep"],
  ])("refuses a body of %s", (_, text, kind) => {
    expect(refusalOf(bytes(text))).toBe(kind);
  });

  it.each([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["an overlong encoding of a slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a truncated character", [0x22, 0xe2, 0x82]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("refuses invalid UTF-8: %s", (_, octets) => {
    expect(refusalOf(Buffer.from(octets))).toBe("body_not_utf8");
  });

  it("never quotes the body in an error", () => {
    const secret = "sk-12345";

    expect(() => parseBody(bytes(`{"key": ${secret}}`), limits)).toThrow("the body is not JSON");
  });

  it("accepts a body of the maximum depth, and refuses a deeper one", () => {
    const text = `${"[".repeat(32)}${"]".repeat(32)}`;

    expect(refusalOf(bytes(text), 32)).toBeUndefined();
    expect(refusalOf(bytes(text), 31)).toBe("body_too_deep");
  });

  it("accepts as many arrays and objects as a body may have, and refuses more", () => {
    const text = (count: number): string =>
      `{"[{":[${Array(count - 2)
        .fill("{}")
        .join(",")}]}`;

    expect(refusalOf(bytes(text(1_000)))).toBeUndefined();
    expect(refusalOf(bytes(text(1_001)))).toBe("body_too_many_objects");
  });

  it("is not misled about the depth by brackets in keys and strings", () => {
    const keyOrText = fc.string({ unit: fc.constantFrom("[", "{", '"', "\\", "]", "a", "é") });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        keyOrText,
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(keyOrText, tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const body = bytes(JSON.stringify(value));
        const depth = depthOf(value);

        expect(refusalOf(body, depth)).toBeUndefined();
        if (depth > 0) expect(refusalOf(body, depth - 1)).toBe("body_too_deep");
      }),
    );
  });

  it("keeps __proto__ as an ordinary field", () => {
    const value = parseBody(bytes('{"__proto__":{"isAdmin":true}}'), limits);

    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  });
});
