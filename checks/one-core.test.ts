import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { allowedCores, coresIn } from "./allowed-cores.ts";

test("a test process is allowed to use one core only", ({ skip }) => {
  skip(spawnSync("taskset", ["-c", "-p", `${process.pid}`]).status !== 0, "no taskset here");
  expect(allowedCores().length).toBeLessThanOrEqual(1);
});

test.for([
  ["Name:\tnode\nCpus_allowed_list:\t0\nMems_allowed:\t1\n", [0]],
  ["Name:\tnode\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n", [0, 1, 2, 3]],
  ["Cpus_allowed_list:\t2,5-6\n", [2, 5, 6]],
  ["Name:\tnode\n", []],
] as const)("reads from the process status %j the allowed cores %j", ([status, cores]) => {
  expect(coresIn(status)).toEqual(cores);
});
