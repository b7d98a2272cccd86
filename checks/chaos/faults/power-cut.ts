import { existsSync, rmSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Home } from "../../e2e/pond.ts";
import type { Rows } from "../../e2e/rows.ts";
import { defineFault, type Fault } from "../fault.ts";
import { differingRows, interruptedProblems } from "../invariants.ts";
import { Disk } from "../power/disk.ts";
import { noTracing, type Operation, traced } from "../power/trace.ts";
import { done } from "../processes.ts";
import type { Workshop } from "../workshop.ts";

type Start = { readonly from: Home; readonly before?: Rows; readonly truth: Rows };

/** Replays what a traced sync did to the disk up to a random call; unflushed data is lost. */
function powerCut(
  name: string,
  runs: number,
  prepare: (workshop: Workshop) => Promise<Start>,
): Fault {
  return defineFault({
    name: `power cut/${name}`,
    about: `the power fails at a random system call of ${name}; what was not flushed is lost, torn or zero`,
    runs,
    unmet: noTracing,
    async prepare(workshop) {
      const start = await prepare(workshop);
      const home = workshop.copyOf(start.from);
      const operations = await traced(home, workshop.sync, join(workshop.folder, "trace"));
      return { ...start, operations, traced: home.folder, sync: workshop.sync };
    },
    async inflict({ from, operations, traced }, trial) {
      const said = operations.findLastIndex(({ kind }) => kind === "say");
      // Often right after the report: everything that it calls stored has to be stored.
      const isSaid = trial.random.isIn(1 / 4);
      const calls = isSaid ? said + 1 : trial.random.below(operations.length + 1);
      const home = trial.home(from);
      const disk = new Disk(home.folder);
      for (const operation of operations.slice(0, calls))
        disk.apply(moved(operation, traced, home));
      rmSync(home.folder, { recursive: true });
      disk.cut(home.folder, trial.random, Date.now() - uptime() * 1000);
      return { home, isAcknowledged: calls > said };
    },
    async check({ before, truth, sync }, { home, isAcknowledged }) {
      // Heals torn tables.
      const opened = await home.pond("status", "--json");
      const isNothing = opened.code !== 0 && before === undefined && !isAcknowledged;
      if (opened.code !== 0 && !isNothing) return [`it does not open: ${opened.stderr}`];
      const problems =
        isNothing || !existsSync(home.storage)
          ? []
          : await interruptedProblems(home.storage, isAcknowledged ? truth : before, truth);
      if (problems.length > 0) return problems;
      await done(home, ...sync);
      return differingRows(home.storage, truth);
    },
  });
}

/** The same operation in another home. */
function moved(operation: Operation, from: string, { folder }: Home): Operation {
  const move = (path: string): string =>
    path.startsWith(`${from}/`)
      ? join(folder, path.slice(from.length))
      : path === from
        ? folder
        : path;
  if (operation.kind === "say") return operation;
  const path = move(operation.path);
  return "to" in operation
    ? { ...operation, path, to: move(operation.to) }
    : { ...operation, path };
}

export const powerCuts: readonly Fault[] = [
  powerCut("first sync", 60, async (workshop) => {
    const { rows: truth } = await workshop.whole();
    return { from: await workshop.empty(), truth };
  }),
  powerCut("sync of what grew", 60, async (workshop) => {
    const { rows: truth } = await workshop.grown();
    const { home: from, rows: before } = await workshop.first();
    return { from, before, truth };
  }),
];
