import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Home } from "../../e2e/pond.ts";
import type { Fault } from "../fault.ts";
import { differingRows } from "../invariants.ts";
import { done } from "../processes.ts";
import { killFault } from "./kill.ts";

const archiveOf = ({ folder }: Home): string => join(folder, "all.pond");
const restoredTo = ({ folder }: Home): string => join(folder, "restored");

/** `kill -9` of every command that writes files outside the store. */
export const killsOutOfStore: readonly Fault[] = [
  killFault({
    name: "export",
    runs: 50,
    async prepare(workshop) {
      const { home: from, rows } = await workshop.grown();
      const args = (home: Home) => ["export", "-o", archiveOf(home), "--json"];
      return {
        ...{ from, args, again: (home) => [...args(home), "--force"] },
        async afterKill(home) {
          const stored = await differingRows(home.storage, rows);
          return existsSync(archiveOf(home))
            ? [...stored, ...(await archiveProblems(home))]
            : stored;
        },
        async afterEnd(home) {
          const file = archiveOf(home);
          const besides = readdirSync(dirname(file)).filter((name) =>
            name.startsWith(`${basename(file)}.`),
          );
          return [...besides.map((name) => `left: ${name}`), ...(await archiveProblems(home))];
        },
      };
    },
  }),
  killFault({
    name: "restore",
    runs: 20,
    async prepare(workshop) {
      const { home: from } = await workshop.grown();
      const args = (home: Home) => ["restore", "--all", "--out", restoredTo(home), "--json"];
      const undisturbed = workshop.copyOf(from);
      await done(undisturbed, ...args(undisturbed));
      const truth = contentsOf(restoredTo(undisturbed));
      return {
        ...{ from, args },
        afterKill: async (home) => {
          const found = contentsOf(restoredTo(home));
          return [...found].flatMap(([path, text]) =>
            path.endsWith(".tmp") || truth.get(path) === text ? [] : [`half or other: ${path}`],
          );
        },
        afterEnd: async (home) => {
          const found = contentsOf(restoredTo(home));
          const paths = new Set([...truth.keys(), ...found.keys()]);
          return [...paths].flatMap((path) =>
            truth.get(path) === found.get(path) ? [] : [`not as undisturbed: ${path}`],
          );
        },
      };
    },
  }),
];

/** What is wrong with an archive. It has to be whole and to give its rows back. */
async function archiveProblems(home: Home): Promise<string[]> {
  const { code, stderr } = await home.pond("import", "--dry-run", archiveOf(home), "--json");
  return code === 0 ? [] : [`the archive is not whole: ${stderr}`];
}

/** Every file below a folder, by its path. */
function contentsOf(folder: string): ReadonlyMap<string, string> {
  const paths = globSync("**/*", { cwd: folder }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "latin1")]));
}
