import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests import workspace packages from src, so no build has to run first.
  ssr: { resolve: { conditions: ["@pond/source"] } },
  test: {
    include: ["{packages,apps}/*/src/**/*.test.ts", "checks/**/*.test.ts"],
    // Real stores, real processes, two cores: slow is not hung.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
