import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { finished } from "../../e2e/pond.ts";
import { defineFault, type Fault } from "../fault.ts";
import { differingRows } from "../invariants.ts";
import { done } from "../processes.ts";

const preload = fileURLToPath(import.meta.resolve("../jumping-clock.ts"));

export const clockFaults: readonly Fault[] = [
  defineFault({
    name: "clock/jumps",
    about:
      "the clock jumps by up to 30 days, back or forth, several times in a sync: the rows are those of a steady clock, and the next sync finds nothing new",
    runs: 20,
    async prepare(workshop) {
      const { rows: truth } = await workshop.grown();
      const { home: from } = await workshop.first();
      return { from, truth, sync: workshop.sync };
    },
    async inflict({ from, sync }, trial) {
      const home = trial.home(from);
      const [program, ...before] = home.command;
      const jump = String(trial.random.below(2 ** 31));
      const child = spawn(program, ["--import", preload, ...before, ...sync], {
        env: { ...home.env, POND_CHAOS_CLOCK: jump },
        stdio: ["ignore", "pipe", "pipe"],
      });
      return { home, end: await finished(child) };
    },
    async check({ truth, sync }, { home, end }) {
      if (end.code !== 0) return [`ended with ${end.code}: ${end.stderr}`];
      const problems = await differingRows(home.storage, truth);
      const { stdout } = await done(home, ...sync);
      const { messages_added: added, tombstones } = JSON.parse(stdout).adapters[0];
      if (added + tombstones > 0) problems.push(`the next sync added ${added} and ${tombstones}`);
      return [...problems, ...(await differingRows(home.storage, truth))];
    },
  }),
];
