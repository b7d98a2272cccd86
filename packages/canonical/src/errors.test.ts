import { expect, it } from "vitest";
import { PondError, SourceFault, ValidationError } from "./errors.ts";

const at = { adapter: "demo", uri: "a.jsonl", record: 7, byteOffset: 120 };

it("names the adapter, place and reason of a fault (`adapter-integrity-no-silent-drops`)", () => {
  const cause = new SyntaxError("unexpected");
  const fault = new SourceFault(at, "not JSON", { cause });

  expect(fault).toMatchObject({
    name: "SourceFault",
    code: "source_fault",
    message: "demo: a.jsonl:7: not JSON",
    details: { ...at, reason: "not JSON" },
    cause,
  });
  expect(JSON.parse(JSON.stringify(fault.details))).toEqual(fault.details);
});

it("names the path and reason of an invalid value", () => {
  expect(new ValidationError("part.id", "is empty")).toMatchObject({
    code: "validation_failed",
    message: "part.id: is empty",
    details: { path: "part.id", reason: "is empty" },
  });
});

it.each([
  ["a pond error", new SourceFault(at, "x"), true],
  [
    "a pond error of another copy of the package",
    Object.assign(new Error(), { [Symbol.for("pond.error")]: true }),
    true,
  ],
  ["a plain Error", new Error("x"), false],
  ["undefined", undefined, false],
])("PondError.is tells pond errors from others: %s", (_, error, expected) => {
  expect(PondError.is(error)).toBe(expected);
});
