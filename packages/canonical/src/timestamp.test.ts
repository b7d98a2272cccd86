import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromMillis, fromRfc3339, fromSeconds, isPlainTime, toRfc3339 } from "./timestamp.ts";

describe("fromRfc3339", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z", 1767323045678000n],
    ["2026-01-02T03:04:05Z", 1767323045000000n],
    ["2026-01-02T03:04:05.6789012Z", 1767323045678901n],
    ["2026-01-02t03:04:05.6z", 1767323045600000n],
    ["2026-01-02 04:04:05,678+01:00", 1767323045678000n],
    ["2026-01-02T04:04:05.678+0100", 1767323045678000n],
    ["1969-12-31T23:59:59.999999Z", -1n],
    ["2024-02-29T00:00:00.000Z", 1709164800000000n],
    ["0000-01-01T00:00:00.000Z", -62167219200000000n],
    ["9999-12-31T23:59:59.999999Z", 253402300799999999n],
  ])("reads %s", (text, micros) => {
    expect(fromRfc3339(text)).toBe(micros);
  });

  it.each([
    "",
    "today",
    "2026-01-02",
    "2026-01-02T03:04:05",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00.000Z",
    "2026-02-30T00:00:00+01:00",
    "2026-01-01T24:00:00.000Z",
    "2026-01-01T23:59:60Z",
    "20260102T030405Z",
    "9999-12-31T23:59:59-01:00",
    "0000-01-01T00:00:00+01:00",
    "+012026-01-01T00:00:00Z",
  ])("does not accept %j as a time", (text) => {
    expect(fromRfc3339(text)).toBeUndefined();
  });
});

const micros = fc.bigInt({ min: -62167219200000000n, max: 253402300799999999n });

it("writes every time so that it reads back the same", () => {
  fc.assert(
    fc.property(micros, (time) => {
      expect(fromRfc3339(toRfc3339(time))).toBe(time);
      expect(isPlainTime(toRfc3339(time), time)).toBe(true);
    }),
  );
});

it.each([
  ["2026-01-02T03:04:05.678Z", true],
  ["2026-01-02T03:04:05.678901Z", true],
  ["2026-01-02T03:04:05.678000Z", false],
  ["2026-01-02T03:04:05Z", false],
  ["2026-01-02T03:04:05.678+00:00", false],
])("tells whether %s is written as pond writes times: %s", (text, expected) => {
  expect(isPlainTime(text, fromRfc3339(text) ?? 0n)).toBe(expected);
});

it.each([-62_167_219_200_000, 253_402_300_799_999])(
  "takes %d ms, at an end of the years that RFC 3339 can write",
  (millis) => {
    const time = fromMillis(millis);

    expect(time).toBe(BigInt(millis) * 1000n);
    expect(fromRfc3339(toRfc3339(time ?? 0n))).toBe(time);
  },
);

it.each([-62_167_219_200_001, 253_402_300_800_000, Number.NaN])("takes no %d ms", (millis) => {
  expect(fromMillis(millis)).toBeUndefined();
  expect(fromSeconds(millis / 1000)).toBeUndefined();
});
