import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests import workspace packages from src, so no build has to run first.
  ssr: { resolve: { conditions: ["@pond/source"] } },
  test: {
    include: ["{packages,apps}/*/src/**/*.test.ts", "checks/*.test.ts"],
  },
});
