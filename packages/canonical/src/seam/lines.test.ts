import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectGarbage } from "../collect-garbage.ts";
import { type Line, type LineOptions, readLines } from "./lines.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const utf8 = (text: string): Buffer => Buffer.from(text);

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe("readLines", () => {
  it.each<[string, Buffer, readonly Partial<Line>[]]>([
    ["nothing for an empty file", utf8(""), []],
    ["a blank line", utf8("\n"), [{ text: "", byteLength: 0, isTerminated: true }]],
    [
      "lines with their positions",
      utf8("a\nbé\n"),
      [
        { number: 1, byteOffset: 0, byteLength: 1, text: "a", isTerminated: true },
        { number: 2, byteOffset: 2, byteLength: 3, text: "bé", isTerminated: true },
      ],
    ],
    [
      "a last line without its newline",
      utf8("a\nb"),
      [
        { text: "a", isTerminated: true },
        { text: "b", byteOffset: 2, isTerminated: false },
      ],
    ],
    [
      "lines with mixed CRLF and LF endings",
      utf8("a\r\nb\n\r\nc\r"),
      [
        { text: "a", byteLength: 1 },
        { text: "b", byteOffset: 3 },
        { text: "", byteOffset: 5, byteLength: 0 },
        { text: "c\r", byteOffset: 7, isTerminated: false },
      ],
    ],
    [
      "a first line without its byte order mark",
      utf8("\ufeff{}\n"),
      [{ text: "{}", byteOffset: 3, byteLength: 2 }],
    ],
    [
      "a byte order mark that is not at the start",
      utf8("a\n\ufeffb\n"),
      [{ text: "a" }, { text: "\ufeffb" }],
    ],
    [
      "half a byte order mark as a fault",
      bytes("\xef\xbb\n"),
      [{ fault: "invalid_utf8", byteLength: 2 }],
    ],
    ["nothing for a byte order mark alone", utf8("\ufeff"), []],
    [
      "invalid UTF-8 as a fault between whole lines",
      bytes("a\n\xff\xfe\n\xc3\xa9\n\xed\xa0\x80\n"),
      [
        { text: "a" },
        { number: 2, byteOffset: 2, byteLength: 2, fault: "invalid_utf8", isTerminated: true },
        { text: "é", byteOffset: 5 },
        { fault: "invalid_utf8", byteOffset: 8, byteLength: 3 },
      ],
    ],
    ["NUL as text", utf8("\0\0\n"), [{ text: "\0\0" }]],
    [
      "a line past the bound as a fault",
      utf8("12345678\n123456789\r\n12345678\r\n123456789"),
      [
        { text: "12345678" },
        { number: 2, byteOffset: 9, byteLength: 9, fault: "too_long", isTerminated: true },
        { number: 3, byteOffset: 20, text: "12345678" },
        { number: 4, byteOffset: 30, byteLength: 9, fault: "too_long", isTerminated: false },
      ],
    ],
  ])("yields %s", async (_, file, expected) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      const lines = await collect(file, size, { maxLineBytes: 8 });

      expect(lines).toMatchObject(expected);
      expect(lines).toHaveLength(expected.length);
    }
  });

  it("yields the same lines however the bytes are chunked", async () => {
    const piece = fc.constantFrom(
      "a",
      "é",
      "😀",
      "\n",
      "\r\n",
      "\r",
      "\xff",
      "\ufeff",
      "long line",
      "\0",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 20 }), async (pieces, size) => {
        const file = Buffer.concat(
          pieces.map((text) => (text === "\xff" ? bytes(text) : utf8(text))),
        );
        const options = { maxLineBytes: 12 };

        expect(await collect(file, size, options)).toEqual(await collect(file, 1000, options));
      }),
      { numRuns: 500 },
    );
  });

  it("places every byte in one line, or in its end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (data) => {
        const ends: Readonly<Record<number, number>> = { 0: 0x0a, 1: 0x0d };
        const file = Buffer.from(data.map((byte) => ends[byte % 7] ?? byte));
        const mark = utf8("\ufeff");
        let next = file.subarray(0, mark.length).equals(mark) ? mark.length : 0;

        for (const line of await collect(file, 16, { maxLineBytes: 30 })) {
          const end = line.byteOffset + line.byteLength;
          expect(line.byteOffset).toBe(next);
          if (line.text !== undefined)
            expect(utf8(line.text)).toEqual(file.subarray(line.byteOffset, end));
          next = end;
          if (!line.isTerminated) continue;
          if (file[next] === 0x0d) next += 1;
          expect(file[next]).toBe(0x0a);
          next += 1;
        }
        expect(next).toBe(file.length);
      }),
    );
  });

  it("holds no more than the bound of a line far past it, and reads on behind it (`adapter-bounded-values`)", async () => {
    const held: number[] = [];
    const chunks = async function* () {
      for (let count = 0; count < 600; count++) {
        yield Buffer.alloc(1 << 20, "x");
        if (count % 100 === 0) held.push(heldBytes());
      }
      yield utf8("\nshort\n");
    };

    const lines = (await Array.fromAsync(readLines(chunks(), { maxLineBytes: 4 << 20 }))).flat();

    expect(lines).toMatchObject([
      { fault: "too_long", byteLength: 600 << 20, number: 1 },
      { text: "short", byteOffset: (600 << 20) + 1, number: 2 },
    ]);
    const [first = 0] = held;
    expect(Math.max(...held) - first).toBeLessThan(50 << 20);
  });

  it.each<[string, Buffer, Partial<Line>]>([
    ["of multi-byte characters", utf8("織".repeat(7 << 20)), { text: "織".repeat(7 << 20) }],
    ["that ends with CRLF", utf8(`${"x".repeat(9 << 20)}\r`), { text: "x".repeat(9 << 20) }],
    [
      "that is not UTF-8",
      Buffer.concat([bytes("\xff"), Buffer.alloc(9 << 20, "y")]),
      {
        fault: "invalid_utf8",
        bytes: Buffer.concat([bytes("\xff"), Buffer.alloc(9 << 20, "y")]),
      },
    ],
  ])("yields a large line %s unchanged, in a batch of its own", async (_, large, expected) => {
    const file = Buffer.concat([utf8("before\nb\n"), large, utf8("\nafter\n"), large]);
    const chunks = async function* () {
      for (let at = 0; at < file.length; at += 1 << 20) yield file.subarray(at, at + (1 << 20));
    };

    const batches = await Array.fromAsync(readLines(chunks()));

    const { text, ...fault } = expected;
    const last = text === undefined ? fault : { text: large.toString() };
    expect(batches.map((lines) => lines.length)).toEqual([2, 1, 1, 1]);
    const lines = batches.flat();
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    // Compared at once: what differs is too long to be shown.
    expect(isDeepStrictEqual({ ...lines[2], ...expected }, lines[2])).toBe(true);
    expect(isDeepStrictEqual({ ...lines[4], ...last }, lines[4])).toBe(true);
    expect([lines[0]?.text, lines[1]?.text, lines[3]?.text]).toEqual(["before", "b", "after"]);
  });
});

async function collect(file: Buffer, size: number, options: LineOptions): Promise<Line[]> {
  const chunks = async function* () {
    for (let at = 0; at < file.length; at += size)
      yield Uint8Array.from(file.subarray(at, at + size));
  };
  return (await Array.fromAsync(readLines(chunks(), options))).flat();
}
