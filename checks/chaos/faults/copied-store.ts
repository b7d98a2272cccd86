import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PondError } from "@pond/canonical";
import { finished } from "../../e2e/pond.ts";
import { defineFault, type Fault } from "../fault.ts";
import { differingRows, interruptedProblems } from "../invariants.ts";

export const copiedStores: readonly Fault[] = [
  defineFault({
    name: "copied store/while written",
    about:
      "`cp -r` of a store in the middle of a sync: the copy opens with the right rows, or is refused by a typed error",
    runs: 30,
    async prepare(workshop) {
      const { rows: truth } = await workshop.grown();
      return { ...(await workshop.first()), truth, args: workshop.sync };
    },
    async inflict({ home: from, args }, trial) {
      const home = trial.home(from);
      const copy = trial.home(from);
      rmSync(copy.storage, { recursive: true });
      const end = finished(home.start(...args));
      await sleep(250 + trial.random.below(500));
      spawnSync("cp", ["-r", home.storage, copy.storage], { stdio: "ignore" });
      await end;
      return { home, copy };
    },
    async check({ truth }, { home, copy }) {
      const problems = await interruptedProblems(copy.storage, undefined, truth).catch(
        (error: unknown) => (PondError.is(error) ? [] : [String(error)]),
      );
      return [...problems, ...(await differingRows(home.storage, truth))];
    },
  }),
];
