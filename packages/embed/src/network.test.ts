import { expect, it } from "vitest";
import { connectionFailure } from "./network.ts";

it.each([
  ["ECONNRESET", true],
  ["ENOTFOUND", false],
  ["CERT_HAS_EXPIRED", false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false],
])("tells whether a failure with the code %s may pass: %j", (code, isTransient) => {
  const failure = connectionFailure(Object.assign(new Error("failed"), { code }));

  expect(failure).toEqual({ reason: `the connection failed (${code})`, isTransient });
});

it.each([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
])("says how to trust the authority that signed a certificate: %s", (code) => {
  expect(connectionFailure(Object.assign(new Error("failed"), { code }))).toEqual({
    reason: `the connection failed (${code}); NODE_EXTRA_CA_CERTS can name a file with the authority that signed its certificate`,
    isTransient: false,
  });
});
