import { extract } from "tar-stream";
import { describe, expect, it } from "vitest";
import { decodeHeader, encodeHeader, paddingOf } from "./tar-header.ts";

describe("a tar header", () => {
  it.each([
    ["manifest.json", 0],
    ["manifest.json", 511],
    ["a".repeat(100), 8 ** 11 - 1],
    ["messages.lance/data/x.lance", 8 ** 11],
    ["messages.lance/data/x.lance", Number.MAX_SAFE_INTEGER],
  ])("holds the path %s and the size %i, also for another tar reader", async (path, size) => {
    const header = encodeHeader({ path, size });

    const entries = extract();
    const entry = new Promise((resolve) =>
      entries.on("entry", ({ name, size }) => resolve([name, size])),
    );
    entries.write(header);

    expect(decodeHeader(header)).toEqual({ path, size, kind: "0" });
    expect(await entry).toEqual([path, size]);
  });

  it.each(["a".repeat(101), "é", "a\0b", ""])("cannot be made for the path %j", (path) => {
    expect(() => encodeHeader({ path, size: 0 })).toThrow(TypeError);
  });

  it.each([
    ["a changed byte", (header: Buffer) => header.fill(1, 0, 1)],
    ["a zeroed magic", (header: Buffer) => header.fill(0, 257, 263)],
  ])("is not recognized with %s", (_, change) => {
    expect(decodeHeader(change(encodeHeader({ path: "x", size: 1 })))).toBeUndefined();
  });

  it.each([
    ["a file, as old programs write it", "\0", "0"],
    ["a symbolic link", "2", "2"],
    ["a folder", "5", "5"],
  ])("tells what it is of: %s", (_, letter, kind) => {
    const header = encodeHeader({ path: "x", size: 0 });
    header.write(letter, 156, "latin1");
    // The bytes of the checksum count as spaces.
    const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");

    expect(decodeHeader(header)).toEqual({ path: "x", size: 0, kind });
  });

  it("is followed by contents padded to whole blocks", () => {
    expect([0, 1, 511, 512, 513].map(paddingOf)).toEqual([0, 511, 1, 0, 511]);
  });
});
