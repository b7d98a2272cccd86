import { expect, it } from "vitest";
import { connectionFailure } from "./network.ts";

it.each([
  ["ECONNRESET", true],
  ["ENOTFOUND", false],
  ["CERT_HAS_EXPIRED", false],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false],
])("tells whether a failure with the code %s may pass: %j", (code, isTransient) => {
  const failure = connectionFailure(Object.assign(new Error("failed"), { code }));

  expect(failure).toEqual({ reason: `the connection failed (${code})`, isTransient });
});
