import { expect, it } from "vitest";
import { redact, rememberSecrets } from "./redact.ts";

it.each([
  ["PUT https://a/b?sv=1&sig=abc%3D&se=2 failed", "PUT https://a/b?sv=1&sig=…&se=2 failed"],
  ["https://a/b?X-Amz-Signature=0f0f) failed", "https://a/b?X-Amz-Signature=…) failed"],
  ["<AWSAccessKeyId>AKIA1</AWSAccessKeyId>", "<AWSAccessKeyId>…</AWSAccessKeyId>"],
  ["AccountName=a;AccountKey=b==;EndpointSuffix=c", "AccountName=a;AccountKey=…;EndpointSuffix=c"],
  ["said qwe/rty+uio= and qwe%2Frty%2Buio%3D", "said … and …"],
  ["a short key is no reason to cut words", "a short key is no reason to cut words"],
])("leaves no credentials in %j", (message, expected) => {
  rememberSecrets({ account_key: "qwe/rty+uio=", aws_access_key_id: "key", aws_region: "reason" });

  expect(redact(message)).toBe(expected);
});

it("leaves no credentials of the environment either", () => {
  process.env["AWS_SECRET_ACCESS_KEY"] = "fromTheEnvironment";
  try {
    expect(redact("signed with fromTheEnvironment")).toBe("signed with …");
  } finally {
    delete process.env["AWS_SECRET_ACCESS_KEY"];
  }
});
