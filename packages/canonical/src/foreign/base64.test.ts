import { expect, it } from "vitest";
import { base64Bytes } from "./base64.ts";

it.each([
  ["as it is written", "+/8=", [0xfb, 0xff]],
  ["without padding", "+/8", [0xfb, 0xff]],
  ["in the alphabet of addresses", "-_8", [0xfb, 0xff]],
  ["broken into lines", " +/\r\n8=\n", [0xfb, 0xff]],
])("decodes base64 %s", (_, text, bytes) => {
  expect([...(base64Bytes(text) ?? [])]).toEqual(bytes);
});

it.each([
  ["no byte", ""],
  ["white space", " \n"],
  ["a word in brackets", "[image data removed]"],
  ["an address", "blob:sha256:f0f0"],
  ["a digit too many", "aGkha"],
  ["bits that no byte has", "aGl="],
  ["padding in the middle", "aGk=aGk="],
  ["more padding than there is", "aGk==="],
])("does not decode %s", (_, text) => {
  expect(base64Bytes(text)).toBeUndefined();
});

it("stays fast on long runs of padding or white space", () => {
  const long = 1_000_000;

  expect(base64Bytes(`aGkh${"=".repeat(long)}x`)).toBeUndefined();
  expect(base64Bytes(`${" ".repeat(long)}aGkh`)?.toString()).toBe("hi!");
});
