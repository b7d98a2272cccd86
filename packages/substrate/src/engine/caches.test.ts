import { expect, it } from "vitest";
import { createCaches } from "./caches.ts";

it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a cache size of %s", (bytes) => {
  for (const name of ["indexBytes", "metadataBytes"]) {
    const create = (): unknown => createCaches({ [name]: bytes });

    expect(create).toThrow(TypeError);
    expect(create).toThrow(`${name}: ${bytes} is not a number of bytes`);
  }
});

it("accepts caches of 0 bytes", () => {
  expect(createCaches({ indexBytes: 0, metadataBytes: 0 }).bytes).toBeGreaterThanOrEqual(0);
});
