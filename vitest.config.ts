import { defineConfig } from "vitest/config";

/** The substrate's tests once more, on an object store. */
const onObjectStore = (name: string) => ({
  extends: true as const,
  test: {
    name: `on ${name}`,
    include: ["packages/substrate/src/**/*.test.ts"],
    // They start object stores of their own.
    exclude: ["**/{object-store,faults}.test.ts"],
    globalSetup: [`packages/substrate/src/testing/${name}.test-setup.ts`],
  },
});

export default defineConfig({
  // Tests import workspace packages from src, so no build has to run first.
  ssr: { resolve: { conditions: ["@pond/source"] } },
  // Where global setups run.
  environments: { __vitest__: { resolve: { conditions: ["@pond/source"] } } },
  test: {
    // Real stores, real processes, two cores: slow is not hung.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "folders",
          include: ["{packages,apps}/*/src/**/*.test.ts", "checks/**/*.test.ts"],
        },
      },
      onObjectStore("s3"),
      onObjectStore("azure"),
    ],
  },
});
