import { chmodSync, globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { allowedCores } from "./checks/allowed-cores.ts";
import { memoryFolder } from "./checks/memory-folder.ts";
import { wantsOwnProcess } from "./checks/own-process.ts";

// For all programs that the tests start: each would compile pond and the engine's bindings again.
process.env["NODE_COMPILE_CACHE"] ??= resolve("node_modules/.cache/compiled");

// Thousands of small stores, each flushed as a user's is: on a disk that is half of the time.
if (process.env["TMPDIR"] === undefined) {
  const folder = memoryFolder();
  if (folder !== undefined) {
    // A space, as in the paths of many users: whatever splits a path at one shows.
    const place = join(folder, "of a test");
    mkdirSync(place);
    // Some tests run as another user.
    chmodSync(place, 0o1777);
    process.env["TMPDIR"] = place;
  }
}

// What pond prints are local times.
process.env["TZ"] = "UTC";

// A process that keeps to one of them (checks/one-core.ts) cannot ask for the others.
process.env["POND_TEST_CORES"] = allowedCores().join();

/** Real clients and processes take longest, in short files: begun last, one would run alone. */
class ChecksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isCheck = ({ moduleId }: TestSpecification): boolean => moduleId.includes("/checks/");
    return [...sorted.filter(isCheck), ...sorted.filter((file) => !isCheck(file))];
  }
}

/** Each of them gets a process of its own; the others share some. */
const alone = globSync("{packages,apps}/*/src/**/*.test.ts").filter(wantsOwnProcess);

/** Patterns of the substrate's tests with these names. Throws for a test that was renamed. */
function substrateTests(...names: readonly string[]): string[] {
  return names.map((name) => {
    const pattern = `packages/substrate/src/**/${name}.test.ts`;
    if (globSync(pattern).length > 0) return pattern;
    throw new Error(`vitest.config.ts names ${name}.test.ts, which is not there`);
  });
}

// They start object stores of their own, or store nothing on the one they are given.
const withoutObjectStore = substrateTests(
  ...["object-store", "faults", "float16", "nudge-threads", "redact", "retry", "storage"],
);

/** Tests that read and write rows in a bucket: on S3 always, on others with POND_ALL. */
const ofRows = process.env["POND_ALL"]
  ? []
  : substrateTests(
      ...["filter", "text-cells", "sparse-cells", "scores", "text-indexes", "key-cache"],
      "declaration-problem",
    );

/** The substrate's tests once more, on an object store; `others` say nothing more about it. */
const onObjectStore = (name: string, others: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name: `on ${name}`,
    include: ["packages/substrate/src/**/*.test.ts"],
    exclude: [...withoutObjectStore, ...others],
    isolate: false,
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
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // As many as there are cores, for each keeps to one; every one may take a gigabyte.
    maxWorkers: Math.min(availableParallelism(), 8),
    setupFiles: ["checks/one-core.ts"],
    sequence: { sequencer: ChecksFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "folders",
          include: ["{packages,apps}/*/src/**/*.test.ts"],
          exclude: alone,
          // To start a process and load the engine and the adapters takes longer than most tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "alone", include: ["checks/**/*.test.ts", ...alone] },
      },
      onObjectStore("s3"),
      onObjectStore("azure", ofRows),
    ],
  },
});
