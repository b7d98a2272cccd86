import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "../../e2e/pond.ts";
import { type Rows, storedRows } from "../../e2e/rows.ts";
import type { Fault } from "../fault.ts";
import { differingRows, interruptedProblems } from "../invariants.ts";
import { done } from "../processes.ts";
import { killFault } from "./kill.ts";

const defaultStorage = ({ storage }: Home): string => storage;
const copied = ({ folder }: Home): string => join(folder, "copy", "default");

/** What has to be true of a store on its way from `before`, which may not exist, to `truth`. */
function checksAgainst(
  truth: Rows,
  before?: Rows,
  storageOf: (home: Home) => string = defaultStorage,
) {
  return {
    afterKill: async (home: Home) => {
      const storage = storageOf(home);
      if (before === undefined && !existsSync(storage)) return [];
      return interruptedProblems(storage, before, truth).catch((error: unknown) => {
        if (before === undefined && isIncompleteStore(error)) return [];
        throw error;
      });
    },
    afterEnd: (home: Home) => differingRows(storageOf(home), truth),
  };
}

/** True for a store whose tables were not all made yet: it says so, and it holds nothing. */
function isIncompleteStore(error: unknown): boolean {
  const isNone = error instanceof Error && "code" in error && error.code === "store_not_found";
  return isNone || /older than this table; write to the store once/.test(String(error));
}

/** `kill -9` of every command that writes to a store. */
export const killsIntoStore: readonly Fault[] = [
  killFault({
    name: "first sync",
    runs: 90,
    async prepare(workshop) {
      const { rows } = await workshop.whole();
      const from = await workshop.empty();
      return { from, args: () => workshop.sync, ...checksAgainst(rows) };
    },
  }),
  killFault({
    name: "sync of what grew",
    runs: 90,
    async prepare(workshop) {
      const { rows: truth } = await workshop.grown();
      const { home: from, rows } = await workshop.first();
      return { from, args: () => workshop.sync, ...checksAgainst(truth, rows) };
    },
  }),
  killFault({
    name: "embed",
    runs: 80,
    async prepare(workshop) {
      const { home: from, rows } = await workshop.embeddable();
      const args = ["sync", "--only", "embed", "--json"];
      const undisturbed = workshop.copyOf(from);
      await done(undisturbed, ...args);
      const truth = await storedRows(undisturbed.storage);
      return { from, args: () => args, ...checksAgainst(truth.rows, rows) };
    },
  }),
  killFault({
    name: "fold",
    runs: 80,
    async prepare(workshop) {
      const { home: from, rows } = await workshop.grown();
      const args = ["sync", "--only", "update-indexes", "--json"];
      const { afterEnd } = checksAgainst(rows);
      return {
        ...{ from, args: () => args, afterKill: afterEnd },
        afterEnd: async (home) => [...(await afterEnd(home)), ...(await searchProblems(home))],
      };
    },
  }),
  killFault({
    name: "import",
    runs: 50,
    async prepare(workshop) {
      const { rows: truth } = await workshop.grown();
      const file = await workshop.archive();
      const from = await workshop.empty();
      return { from, args: () => ["import", file, "--json"], ...checksAgainst(truth) };
    },
  }),
  killFault({
    name: "copy",
    runs: 40,
    async prepare(workshop) {
      const { home: from, rows } = await workshop.grown();
      const args = (home: Home) => ["copy", "@", dirname(copied(home)), "--json"];
      return { from, args, ...checksAgainst(rows, undefined, copied) };
    },
  }),
];

/** Words that a search has to find and does not find. */
async function searchProblems(home: Home): Promise<string[]> {
  const { stdout } = await done(home, "search", "+herons +reeds", "--json");
  const { sessions }: { sessions: readonly unknown[] } = JSON.parse(stdout);
  return sessions.length > 0 ? [] : ["a search for what is stored finds nothing"];
}
