import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../e2e/pond.ts";
import type { Rows } from "../../e2e/rows.ts";
import { defineFault, type Fault } from "../fault.ts";
import { differingRows, interruptedProblems } from "../invariants.ts";
import { done } from "../processes.ts";
import { noMounting, SmallDisk } from "../small-disk.ts";
import type { Workshop } from "../workshop.ts";

type Operation = {
  readonly from: Home;
  /** The folder that is on the failing disk. */
  folderOf(home: Home): string;
  args(home: Home): readonly string[];
  /** The rows that the store holds before the failure and has to hold after it. */
  readonly before?: Rows;
  readonly truth: Rows;
  /** The file that must not exist after a failure. */
  finalFile?(home: Home): string;
};

const operations: Readonly<Record<string, (workshop: Workshop) => Promise<Operation>>> = {
  sync: async (workshop) => {
    const { rows: truth } = await workshop.grown();
    const { home: from, rows: before } = await workshop.first();
    return { from, before, truth, folderOf: dataOf, args: () => workshop.sync };
  },
  import: async (workshop) => {
    const { rows: truth } = await workshop.grown();
    const file = await workshop.archive();
    return { from: await workshop.empty(), truth, folderOf: dataOf, args: () => ["import", file] };
  },
  export: async (workshop) => {
    const { home: from, rows } = await workshop.grown();
    const finalFile = (home: Home): string => join(outOf(home), "all.pond");
    const args = (home: Home) => ["export", "-o", finalFile(home)];
    return { from, before: rows, truth: rows, folderOf: outOf, args, finalFile };
  },
  restore: async (workshop) => {
    const { home: from, rows } = await workshop.grown();
    const args = (home: Home) => ["restore", "--all", "--out", join(outOf(home), "restored")];
    return { from, before: rows, truth: rows, folderOf: outOf, args };
  },
};

const dataOf = ({ folder }: Home): string => join(folder, "data");
const outOf = ({ folder }: Home): string => join(folder, "out");

const diskStates = ["full", "read-only"] as const;

/** A disk that is full or read-only, in the middle of the work or from the start. */
export const diskFaults: readonly Fault[] = diskStates.flatMap((diskState) =>
  Object.entries(operations).map(([name, prepare]) =>
    defineFault({
      name: `${diskState} disk/${name}`,
      about: `${name} on a disk that is ${diskState}: says so and where, loses nothing, continues once it is mended`,
      runs: diskState === "full" ? 12 : 2,
      unmet: noMounting,
      prepare,
      async inflict(work, trial) {
        const home = trial.home(work.from);
        const disk = new SmallDisk(work.folderOf(home), trial.random.below(120) * 1024, trial);
        if (diskState === "read-only") disk.makeReadOnly();
        return { home, disk, end: await home.pond(...work.args(home)) };
      },
      async check(work, { home, disk, end }) {
        const problems: string[] = [];
        const words = diskState === "full" ? /no space left|disk is full/i : /read-only/i;
        if (end.code === null) problems.push(`it was killed: ${end.stderr}`);
        else if (end.code !== 0) {
          if (!words.test(end.stderr)) problems.push(`does not say what is wrong: ${end.stderr}`);
          if (!end.stderr.includes(home.folder) && !end.stderr.includes("~/")) {
            problems.push(`does not say where: ${end.stderr}`);
          }
          if (/Run it again with -v/.test(end.stderr))
            problems.push(`no typed error: ${end.stderr}`);
          const file = work.finalFile?.(home);
          if (file !== undefined && existsSync(file)) problems.push("a file under the final name");
        } else if (diskState === "read-only") problems.push("succeeded on a read-only disk");
        disk.repair();
        if (globSync("**/*.manifest", { cwd: home.storage }).length > 0 && work.before) {
          problems.push(...(await interruptedProblems(home.storage, work.before, work.truth)));
        }
        if (problems.length > 0) return problems;
        if (end.code !== 0) await done(home, ...work.args(home));
        return differingRows(home.storage, work.truth);
      },
    }),
  ),
);
