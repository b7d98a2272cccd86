// Set-up of every test file: its process, and all that it starts, keep to one core. The engine's
// threads wake each other for every row, and across the cores of a virtual machine that is a third
// of the processor's time; workers side by side keep the other cores busy.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { allowedCores } from "./allowed-cores.ts";
import { wantsAllCores } from "./own-process.ts";

const cores = allowedCores();
const { testPath = "" } = expect.getState();
if (cores.length > 1 && !wantsAllCores(testPath)) {
  const core = cores[Number(process.env["VITEST_POOL_ID"]) % cores.length];
  // Where there is no taskset, tests only take longer.
  spawnSync("taskset", ["-a", "-c", "-p", `${core}`, `${process.pid}`]);
}
