// Set-up of every test file: its process, and everything that it starts, stay on one core. The
// engine's threads wake each other for every row, and across the cores of a virtual machine that
// takes a third of the CPU time. Parallel workers keep the other cores busy. A process may run
// several files in turn, so a file that needs all cores gets all of them again.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { wantsAllCores } from "./own-process.ts";

const cores = (process.env["POND_TEST_CORES"] ?? "").split(",").filter(Boolean);
const { testPath = "" } = expect.getState();
if (cores.length > 1) {
  const own = cores[Number(process.env["VITEST_POOL_ID"]) % cores.length];
  const list = wantsAllCores(testPath) ? cores.join() : `${own}`;
  // Without taskset, tests only take longer.
  spawnSync("taskset", ["-a", "-c", "-p", list, `${process.pid}`]);
}
