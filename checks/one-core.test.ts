import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allowedCores } from "./allowed-cores.ts";

test("a test and what it starts keep to one core", ({ skip }) => {
  skip(spawnSync("taskset", ["-c", "-p", `${process.pid}`]).status !== 0, "no taskset here");
  expect(allowedCores().length).toBeLessThanOrEqual(1);
});

test.for([
  ["0", [0]],
  ["0-3", [0, 1, 2, 3]],
  ["2,5-6", [2, 5, 6]],
] as const)("of %s are the cores %j", ([list, cores]) => {
  const file = join(mkdtempSync(join(tmpdir(), "pond-cores-")), "status");
  writeFileSync(
    file,
    `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`,
  );
  expect(allowedCores(file)).toEqual(cores);
});

test("where the system says nothing, none are known", () => {
  expect(allowedCores("/no/such/file")).toEqual([]);
});
