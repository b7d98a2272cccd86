export { fromOmp, fromPi } from "./from-pi.ts";
export { ompHomes, piHomes } from "./homes.ts";
export { ompProblems, piProblems } from "./problems.ts";
export type { PiOptions } from "./reader.ts";
export { ompResume, piResume } from "./resume.ts";
export { toOmp, toPi } from "./to-pi.ts";
export { ompTools, piTools } from "./tools.ts";
