// What the tests of this package and of the repository start.
import { fileURLToPath } from "node:url";
import { isBuilt } from "../../../checks/built.ts";

const folder = fileURLToPath(new URL("../", import.meta.url));
const fromSource = "--conditions=@pond/source";
/** The built programs start in a fraction of the time. */
const startsBuilt = isBuilt();

type Entry = "main" | "start";

/** What makes Node find our packages: as they were built, or else their sources. */
export const conditions: readonly string[] = startsBuilt ? [] : [fromSource];

/** What makes Node run one of the programs of this package. */
export function startOf(entry: Entry): readonly string[] {
  return startsBuilt ? [`${folder}dist/${entry}.js`] : sourceStartOf(entry);
}

/** The same where it has to be the sources: each module of them is loaded by its name. */
export function sourceStartOf(entry: Entry): readonly string[] {
  return [fromSource, `${folder}src/${entry}.ts`];
}
