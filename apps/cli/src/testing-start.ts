// What the tests of this package and of the repository start.
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../", import.meta.url));
const fromSource = "--conditions=@pond/source";
/** vitest.config.ts says so where all is built of the sources there are now. */
const isBuilt = process.env["POND_BUILT"] === "1";

type Entry = "main" | "start";

/** What makes Node find our packages: as they were built, or else their sources. */
export const conditions: readonly string[] = isBuilt ? [] : [fromSource];

/** What makes Node run one of the programs of this package. */
export function startOf(entry: Entry): readonly string[] {
  return isBuilt ? [`${folder}dist/${entry}.js`] : sourceStartOf(entry);
}

/** The same where it has to be the sources: each module of them is loaded by its name. */
export function sourceStartOf(entry: Entry): readonly string[] {
  return [fromSource, `${folder}src/${entry}.ts`];
}
