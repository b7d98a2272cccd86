import { join } from "node:path";
import { root } from "./packages.ts";
import { readReference } from "./reference.ts";

const folder = process.argv[2] ?? join(root, "docs", "reference");
const { warnings, write } = await readReference();
await write(folder);
for (const warning of warnings) console.error(warning);
console.log(folder);
process.exitCode = warnings.length > 0 ? 1 : 0;
