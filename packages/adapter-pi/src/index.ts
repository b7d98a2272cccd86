export { fromOmp, fromPi } from "./from-pi.ts";
export { ompHomes, piHomes } from "./homes.ts";
export { ompMovedTo } from "./moved.ts";
export { ompProblems, piProblems } from "./problems.ts";
export type { PiOptions } from "./reader.ts";
export { piRecordRules } from "./record-rules.ts";
export { ompResume, piResume } from "./resume.ts";
export {
  buildSessionContext,
  EntryNotFoundError,
  type NewSession,
  type SessionContext,
  type SessionDialect,
  type SessionEntry,
  SessionFile,
  SessionFileError,
  type SessionFileOptions,
  type SessionHeader,
  SessionTree,
  type SessionTreeNode,
} from "./session-file/index.ts";
export { toOmp, toPi } from "./to-pi.ts";
export { ompTools, piTools } from "./tools.ts";
