import { PondError } from "@pond/canonical";
import { expect, test } from "vitest";
import { errorCodes, isErrorCode, WireError } from "./errors.ts";

test("the error codes have the statuses and retryability of the spec (7.4)", () => {
  expect(errorCodes).toEqual({
    validation_failed: { httpStatus: 400, isRetryable: false },
    version_unsupported: { httpStatus: 400, isRetryable: false },
    not_found: { httpStatus: 404, isRetryable: false },
    namespace_unknown: { httpStatus: 403, isRetryable: false },
    storage_unavailable: { httpStatus: 503, isRetryable: true },
    conflict: { httpStatus: 409, isRetryable: true },
    internal: { httpStatus: 500, isRetryable: false },
  });
});

test.each([
  ["conflict", true],
  ["teapot", false],
  ["constructor", false],
  [7, false],
])("isErrorCode(%s) returns %s", (code, expected) => {
  expect(isErrorCode(code)).toBe(expected);
});

test("the body of an error contains neither its cause nor its stack", () => {
  const cause = new Error("secret");
  const error = new WireError("conflict", "try again", { attempts: 3 }, { cause });

  expect(error.toBody()).toEqual({
    error: { code: "conflict", message: "try again", details: { attempts: 3 } },
  });
  expect(PondError.is(error)).toBe(true);
});
