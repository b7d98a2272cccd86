import { expect, it } from "vitest";
import { base64Bytes } from "./base64.ts";

it.each([
  ["in its usual form", "+/8=", [0xfb, 0xff]],
  ["without padding", "+/8", [0xfb, 0xff]],
  ["in the URL-safe alphabet", "-_8", [0xfb, 0xff]],
  ["broken into lines", " +/\r\n8=\n", [0xfb, 0xff]],
])("decodes base64 %s", (_, text, bytes) => {
  expect([...(base64Bytes(text) ?? [])]).toEqual(bytes);
});

it.each([
  ["an empty text", ""],
  ["white space", " \n"],
  ["a note in brackets", "[image data removed]"],
  ["the address of a blob", "blob:sha256:f0f0"],
  ["a text with one digit too many", "aGkha"],
  ["a last digit with stray bits", "aGl="],
  ["padding in the middle", "aGk=aGk="],
  ["too much padding", "aGk==="],
])("does not decode %s", (_, text) => {
  expect(base64Bytes(text)).toBeUndefined();
});

it("stays fast on long runs of padding or white space", () => {
  const long = 1_000_000;

  expect(base64Bytes(`aGkh${"=".repeat(long)}x`)).toBeUndefined();
  expect(base64Bytes(`${" ".repeat(long)}aGkh`)?.toString()).toBe("hi!");
});
