import { createRequire } from "node:module";
import type * as Arrow from "apache-arrow";

/**
 * The one copy of Arrow. LanceDB is CommonJS: an `import` would load a second copy, whose objects
 * it converts slowly or rejects.
 */
export const arrow: typeof Arrow = createRequire(import.meta.url)("apache-arrow");
