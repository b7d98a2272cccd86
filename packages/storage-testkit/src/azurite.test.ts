import { expect, it, onTestFinished } from "vitest";
import { startAzurite } from "./azurite.ts";

it("runs Azurite with a container that refuses unsigned requests", async ({ skip }) => {
  const azurite = await startAzurite();
  if (azurite === undefined) return skip("azurite has no build for this platform");
  onTestFinished(() => azurite.close());

  const response = await fetch(`${azurite.endpoint}/pond?restype=container&comp=list`);

  expect(response.headers.get("x-ms-error-code")).toBe("AuthorizationFailure");
  expect(azurite.url("store")).toBe("az://pond/store");
});
