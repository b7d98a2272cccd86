// Set-up of every test file: its process, and all that it starts, keep to one core. The engine's
// threads wake each other for every row, and across the cores of a virtual machine that is a third
// of the processor's time; workers side by side keep the other cores busy. A process may run one file
// after the other, so that a file that wants all cores is given all of them again.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { wantsAllCores } from "./own-process.ts";

const cores = (process.env["POND_TEST_CORES"] ?? "").split(",").filter(Boolean);
const { testPath = "" } = expect.getState();
if (cores.length > 1) {
  const own = cores[Number(process.env["VITEST_POOL_ID"]) % cores.length];
  const list = wantsAllCores(testPath) ? cores.join() : `${own}`;
  // Where there is no taskset, tests only take longer.
  spawnSync("taskset", ["-a", "-c", "-p", list, `${process.pid}`]);
}
